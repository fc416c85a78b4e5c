"""Signs that the answer key or the label map is wrong: gold that nobody answers, classes right less than by chance."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.columns import listed
from psyirt.data.label_map import LabelMap, begun_by
from psyirt.foundation.words import counted

# how many binomial standard errors below chance call for a word: a few unlucky answers do not
_BELOW = 3.0
# how alike (difflib's ratio) two labels are that may be one word and its misspelling
_ALIKE = 0.8


def closest(word: str, others: Iterable[str]) -> str | None:
    """The other word that `word` may be a misspelling of, whatever the case; None where none is that close."""
    folded = {other.casefold(): other for other in others if other != word}
    near = difflib.get_close_matches(word.casefold(), sorted(folded), n=1, cutoff=_ALIKE)
    return folded[near[0]] if near else None


def never_answered(answers: NDArray[np.intp], of_gold: NDArray[np.intp], meanings: LabelMap) -> dict[str, str | None]:
    """Gold labels of items with answers that nobody ever gave, to any item.

    Parameters
    ----------
    answers, of_gold : ndarray of int, shape (labels,)
        What every entry answers and what its item's gold is, as positions in ``meanings.options``; -1 for none.
    meanings : LabelMap
        What the labels mean.

    Returns
    -------
    dict of str to (str or None)
        Gold label -> the answered label that it resembles.
    """
    given = {meanings.options[k] for k in np.unique(answers[answers >= 0])}
    asked = {meanings.options[k] for k in np.unique(of_gold[(of_gold >= 0) & (answers >= 0)])}
    return {label: closest(label, given) for label in sorted(asked - given)} if given else {}


def gold_slip(meanings: LabelMap, items_of: Mapping[str, int]) -> tuple[str, str] | None:
    """The gold label that leaves labels unexplained because it is another word misspelt.

    Parameters
    ----------
    meanings : LabelMap
        With unexplained labels.
    items_of : mapping of str to int
        Gold label -> how many items have it.

    Returns
    -------
    (str, str) or None
        The misspelt gold label and what it should probably be: a gold label of more items, where an unexplained label
        begins both, or an unexplained label itself. None where nothing resembles anything.
    """
    answered = set(meanings.entries.values())
    silent = sorted((label for label in items_of if label not in answered), key=lambda label: items_of[label])
    for label in silent:
        rivals = {
            other
            for raw in meanings.unexplained
            for begun in [begun_by(raw, meanings.options)]
            if label in begun
            for other in begun
            if items_of.get(other, 0) > items_of[label]
        }
        near = closest(label, rivals) or closest(label, meanings.unexplained)
        if near is not None:
            return label, near
    return None


def below_chance(correct: ArrayLike, chance: ArrayLike) -> bool:
    """Whether answers are right less often than random ones, by more than three binomial standard errors.

    Parameters
    ----------
    correct : array_like of bool, shape (answers,)
        Which answers are right.
    chance : array_like of float, shape (answers,)
        Each one's probability of being right if drawn at random.

    Returns
    -------
    bool
        False without answers.
    """
    by_chance = np.asarray(chance, dtype=float)
    expected, spread = by_chance.sum(), math.sqrt((by_chance * (1 - by_chance)).sum())
    return bool(np.count_nonzero(correct) < expected - _BELOW * spread)


def key_doubts(
    answers: NDArray[np.intp], of_gold: NDArray[np.intp], chance: NDArray[np.float64], meanings: LabelMap
) -> tuple[str, ...]:
    """What in graded labels looks like a wrong key or a wrong label map, a sentence each.

    Parameters
    ----------
    answers, of_gold : ndarray of int, shape (labels,)
        As for :func:`never_answered`.
    chance : ndarray of float, shape (labels,)
        One over the number of options of each entry's item; NaN where it is unknown.
    meanings : LabelMap
        What the labels mean.

    Returns
    -------
    tuple of str
        Empty where nothing is odd. An unanswered gold label is named if it resembles an answered one, or if its items
        have enough answers for their share to be clearly below chance.
    """
    silent = never_answered(answers, of_gold, meanings)
    doubts = [
        f"gold label {label!r} was never answered (did you mean {near!r}?)" for label, near in silent.items() if near
    ]
    used = (answers >= 0) & (of_gold >= 0) & np.isfinite(chance)
    rows = pd.DataFrame({"gold": of_gold[used], "correct": answers[used] == of_gold[used], "chance": chance[used]})
    said = {meanings.options.index(label) for label, near in silent.items() if near}
    of_class = {label: rows[rows["gold"] == code] for code, label in enumerate(meanings.options) if code not in said}
    poor = {label: part for label, part in of_class.items() if below_chance(part["correct"], part["chance"])}
    if poor:
        classes = listed([f"{label!r} ({_shares(part)})" for label, part in poor.items()])
        doubts.append(
            f"items of gold {classes} are answered correctly less often than "
            "by chance: the label map or the key may be wrong"
        )
    elif not said and below_chance(rows["correct"], rows["chance"]):
        doubts.append(
            f"answers are right less often than by chance ({_shares(rows)}): the label map or the key may be wrong"
        )
    return tuple(doubts)


def _shares(part: pd.DataFrame) -> str:
    """How many answers are right, and how many would be by chance."""
    right, chance = part["correct"].mean(), part["chance"].mean()
    return f"{right:.1%} of {counted(len(part), 'answer')}, chance {chance:.1%}"
