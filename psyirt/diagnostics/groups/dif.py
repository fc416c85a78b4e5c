"""Differential item functioning between two groups, by name: one line per statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.patterns import checked_weights
from psyirt.data.response_source import ResponseSource
from psyirt.diagnostics.adjustment import ADJUSTMENTS, decide, require_level
from psyirt.diagnostics.fitted_data import require_responses
from psyirt.diagnostics.groups.dif_test import DIFTest
from psyirt.diagnostics.groups.logistic_dif import logistic_dif
from psyirt.diagnostics.groups.mantel_haenszel import mantel_haenszel_dif
from psyirt.diagnostics.groups.matching import Matching, read_matching, require_strata
from psyirt.diagnostics.groups.purification import Findings, purified
from psyirt.diagnostics.groups.two_groups import TwoGroups, two_groups
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.registry import Registry
from psyirt.results.table import StatisticTable

# options of its own -> the statistic
DIFStatistic = Callable[..., DIFTest]

DIF: Registry[DIFStatistic] = Registry("DIF statistic", {"MH": mantel_haenszel_dif, "logistic": logistic_dif})

NOT_VALID = (
    "not valid: some answers are missing, and sums over different items do not compare; give matching= a score of "
    "everybody, or leave out subjects with missing answers"
)


def dif(
    responses: ResponseSource,
    groups: Any,
    method: str = "MH",
    *,
    focal: object = None,
    matching: Any = "total",
    strata: int | None = None,
    purify: bool | None = None,
    adjust: str = "holm",
    alpha: float = 0.05,
    weights: ArrayLike | None = None,
    **options: Any,
) -> StatisticTable:
    """Whether items behave differently for two groups of subjects of equal score.

    Parameters
    ----------
    responses : ResponseSource
        Subjects x items; no fit is needed.
    groups : mapping or Series by subject, or sequence of length N
        Each subject's group, two in all; None or NaN for a subject that belongs to neither.
    method : {"MH", "logistic"}
        Mantel-Haenszel, the usual choice, which finds differences of one direction; or logistic regression, which
        finds differences that turn round along the score too.
    focal : object, optional
        Label of the focal group, by default the smaller one; the other is the reference.
    matching : {"total", "rest"} or scores of N subjects
        What makes subjects equal: the sum of all answers, of all but the studied item's, or a score of your own (by
        subject, or in the responses' order), such as an earlier test's. Sum scores need complete answers: where any
        are missing, every row says that it is not valid. A score of your own is used with what each item has.
    strata : int, optional
        Cuts scores into so many groups of about equal size, for "MH" alone; by default each score is a stratum. A
        score with fractions needs it there.
    purify : bool, optional
        Whether flagged items leave the sum score (not their own) until no other is flagged; by default wherever
        matching is a sum score.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the items.
    alpha : float
        Level of the flag, which also needs an effect of class B or C.
    weights : array_like, shape (N,), optional
        Frequency weights.
    **options
        The statistic's own: ``test`` ("both", "uniform", "nonuniform") of "logistic"; an unknown one raises TypeError.

    Returns
    -------
    StatisticTable
        Index item; for "MH" statistic (chi-square with continuity correction), odds_ratio, delta (MH D-DIF) with se,
        ets_class; for "logistic" statistic (likelihood ratio), r2_change, jg_class, zt_class, delta (2.35 times
        the group's coefficient, on the scale of MH D-DIF) with se and ets_class, and both 1-df tests; n_reference,
        n_focal, and anchor (whether the item is matched on in the end).

    Raises
    ------
    InputError
        If there are not two groups, an option's value is unknown, or options contradict each other.

    Examples
    --------
    >>> import psyirt
    >>> responses = psyirt.simulate_responses(subjects=600, items=8, seed=1).responses
    >>> table = dif(responses, ["a", "b"] * 300)
    >>> len(table), len(table.flagged)
    (8, 0)
    """
    require_responses(responses, "dif")
    test = DIF[method](**options)
    ADJUSTMENTS[adjust]
    require_level(alpha)
    kind, given = read_matching(matching, responses.subject_names)
    _require_fitting(test, kind, purify, strata)
    parted = two_groups(groups, focal, responses.subject_names)
    chosen = parted.chosen
    each = checked_weights(weights, len(responses.subject_names))[chosen]
    codes = np.concatenate([block.codes for block in responses.blocks()])[chosen]
    own = None if given is None else given[chosen]
    if not test.needs_scores:
        require_strata(strata, own, len(codes))
    matched = Matching(codes, each, parted.is_focal, kind, own, strata)
    return _table(
        test, matched, parted, tuple(responses.item_names), purify is not False and kind is not None, adjust, alpha
    )


def _require_fitting(test: DIFTest, kind: str | None, purify: bool | None, strata: int | None) -> None:
    """Refuse options that would be ignored."""
    if purify is not None:
        require(purify, (bool, np.bool_), "purify", "dif", "Give True or False")
    if purify and kind is None:
        raise InputError("purify=True with a score of your own", "dif", "Leave purify= out: items do not enter it")
    if strata is not None and test.needs_scores:
        raise InputError("strata with method='logistic'", "dif", "Leave strata= out: scores are used as they are")


def _table(
    test: DIFTest,
    matched: Matching,
    parted: TwoGroups,
    names: tuple[str, ...],
    purify: bool,
    adjust: str,
    alpha: float,
) -> StatisticTable:
    """Purify where asked for, then one row per item."""
    anchors, notes = np.ones(len(names), dtype=bool), parted.notes
    if not matched.is_valid:
        frame = test.rows([])
        classes = {str(column): "" for column in frame if str(column).endswith("_class")}
        frame = frame.reindex(range(len(names))).assign(note=NOT_VALID, **classes)
        notes = (*notes, NOT_VALID)
    else:
        if purify:
            anchors, more = purified(lambda mask: _findings(test, matched, mask, adjust, alpha), len(names))
            notes = (*notes, *more)
        frame = _rows(test, matched, anchors)
    seen = matched.codes >= 0
    decision = decide(frame["p"].to_numpy(float), adjust, alpha)
    head = ["statistic", "df", "p"]
    rest = frame.drop(columns=[*head, "note"]).assign(
        n_reference=matched.weights[~matched.is_focal] @ seen[~matched.is_focal],
        n_focal=matched.weights[matched.is_focal] @ seen[matched.is_focal],
        anchor=anchors,
        flag=_flags(test, frame, adjust, alpha),
        note=frame["note"],
    )
    frame = pd.concat([frame[head].assign(p_adjusted=decision.p_adjusted), rest], axis=1)
    frame = frame.set_index(pd.Index(names, name="item"))
    flagged_when = f"{decision.flagged_when} and {' or '.join(test.effects)} B or C"
    return StatisticTable(
        frame, test.name, test.tests, test.source, decision.adjustment, flagged_when, (*test.notes, *notes)
    )


def _rows(test: DIFTest, matched: Matching, anchors: NDArray[np.bool_]) -> pd.DataFrame:
    """The statistics of all items with some of them to match on."""
    anchored = matched.on(anchors)
    return test.rows([anchored.counts(item) for item in range(len(anchors))])


def _findings(test: DIFTest, matched: Matching, anchors: NDArray[np.bool_], adjust: str, alpha: float) -> Findings:
    """What purification asks of a round: flags and effect sizes."""
    frame = _rows(test, matched, anchors)
    return _flags(test, frame, adjust, alpha), np.abs(frame[test.size].to_numpy(float))


def _flags(test: DIFTest, frame: pd.DataFrame, adjust: str, alpha: float) -> NDArray[np.bool_]:
    """Significant after adjustment, and not negligible in size."""
    significant = decide(frame["p"].to_numpy(float), adjust, alpha).flag
    matters = ~frame[list(test.effects)].isin(["A", ""])
    flags: NDArray[np.bool_] = significant & matters.any(axis=1).to_numpy()
    return flags
