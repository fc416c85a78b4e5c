"""What subjects are matched on before groups are compared: a sum score, the rest score, or a score that is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.groups.two_groups import by_subject
from psyirt.errors import InputError

Array = NDArray[np.float64]

TOTAL, REST = "total", "rest"


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """One item's answers by group and matching score.

    Attributes
    ----------
    scores : ndarray, shape (S,)
        Value of the matching score in each stratum, ascending.
    right, wrong : ndarray, shape (2, S)
        Subjects, the reference group first.
    """

    scores: Array
    right: Array
    wrong: Array

    @property
    def subjects(self) -> Array:
        """Subjects in all, shape (2, S)."""
        return self.right + self.wrong


@dataclass(frozen=True, eq=False)
class Matching:
    """Answers, groups and what they are matched on.

    Attributes
    ----------
    codes : ndarray of int8, shape (N, J)
        1, 0, -1 missing.
    weights : ndarray, shape (N,)
        How many like subjects each stands for.
    is_focal : ndarray of bool, shape (N,)
        Group.
    kind : {"total", "rest"} or None
        Which sum score; None where a score was given.
    given : ndarray, shape (N,), or None
        That score.
    strata : int or None
        Into how many groups of about equal size scores are cut; None keeps each score apart.
    """

    codes: NDArray[np.int8]
    weights: Array
    is_focal: NDArray[np.bool_]
    kind: str | None
    given: Array | None
    strata: int | None

    @property
    def is_valid(self) -> bool:
        """Whether subjects can be compared: sums over different items cannot."""
        return self.given is not None or bool(np.all(self.codes >= 0))

    def on(self, anchors: NDArray[np.bool_]) -> AnchoredMatching:
        """The same with some items, shape (J,), whose right answers are the score."""
        if self.given is not None:
            return AnchoredMatching(self, anchors, self.given)
        return AnchoredMatching(self, anchors, self.codes[:, anchors].sum(axis=1, dtype=float))


@dataclass(frozen=True, eq=False)
class AnchoredMatching:
    """Matching on the sum of some items, or on a score that was given.

    Attributes
    ----------
    matching : Matching
        Answers and groups.
    anchors : ndarray of bool, shape (J,)
        The items that are summed.
    score : ndarray, shape (N,)
        Their sum, or the given score.
    """

    matching: Matching
    anchors: NDArray[np.bool_]
    score: Array

    def counts(self, item: int) -> ItemCounts:
        """One item's answers by group and stratum.

        A total counts the studied item too, whether it is an anchor or not (Holland & Thayer, 1988); a rest score never
        does.

        Parameters
        ----------
        item : int
            Its column.

        Returns
        -------
        ItemCounts
        """
        matching = self.matching
        answers = matching.codes[:, item]
        seen = answers >= 0
        right = answers[seen] == 1
        strata, place = _strata(self._score_for(item)[seen], matching.strata)
        cell = (matching.is_focal[seen] * 2 + right) * len(strata) + place
        sums = np.bincount(cell, weights=matching.weights[seen], minlength=4 * len(strata)).astype(float)
        table = sums.reshape(2, 2, len(strata))
        return ItemCounts(strata, table[:, 1], table[:, 0])

    def _score_for(self, item: int) -> Array:
        """The score with or without the item's own answer, shape (N,)."""
        if self.matching.kind is None or self.anchors[item] == (self.matching.kind == TOTAL):
            return self.score
        own = self.matching.codes[:, item]
        return self.score + own if self.matching.kind == TOTAL else self.score - own


def _strata(score: Array, count: int | None) -> tuple[Array, NDArray[np.intp]]:
    """The strata's scores, and each subject's stratum."""
    if count is not None:
        # only the order of strata counts where they are cut
        return np.arange(count, dtype=float), _cut(score, count)
    strata, place = np.unique(score, return_inverse=True)
    return strata, place.ravel().astype(np.intp)


def _cut(score: Array, strata: int) -> NDArray[np.intp]:
    """Groups of about equal size, equal scores together."""
    edges = np.unique(np.quantile(score, np.arange(1, strata) / strata)) if len(score) else np.empty(0)
    return np.searchsorted(edges, score, side="left").astype(np.intp)


def read_matching(matching: object, subject_names: Sequence[str]) -> tuple[str | None, Array | None]:
    """Kind of sum score, or the score that was given, for all subjects.

    Raises
    ------
    InputError
        If it is no known word, or holds what is no finite number for each subject.
    """
    if isinstance(matching, str):
        if matching not in (TOTAL, REST):
            raise InputError(f"{matching!r} is not known", "matching", "Give 'total', 'rest' or a score per subject")
        return matching, None
    try:
        given = np.array(by_subject(matching, subject_names, "matching"), dtype=float)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("a score is no number", "matching", "Give one finite number for each subject") from None
    if not np.isfinite(given).all():
        raise InputError("a score is no finite number", "matching", "Leave out subjects without one")
    return None, given


def require_strata(strata: int | None, given: Array | None, subjects: int) -> None:
    """Refuse strata that hold one subject each."""
    if strata is None:
        if given is not None and np.any(given != np.round(given)):
            raise InputError("a score in fractions leaves nobody to compare with", "matching", "Give strata=, e.g. 10")
    elif isinstance(strata, bool) or not isinstance(strata, (int, np.integer)) or strata < 2:
        raise InputError(f"strata is {strata!r}", "dif", "Give a whole number of 2 or more, e.g. 10")
    elif strata > subjects:
        raise InputError(f"{strata} strata of {subjects} subjects", "dif", "Give fewer, e.g. strata=10")
