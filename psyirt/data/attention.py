"""Attention checks: workers who miss items that anyone who reads them gets right are set aside, by name."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.columns import listed
from psyirt.data.grading import answer_codes, gold_codes
from psyirt.data.label_map import LabelMap
from psyirt.data.label_table import LabelTable
from psyirt.errors import DataWarning, InputError
from psyirt.foundation.words import counted

Labels = TypeVar("Labels", bound=LabelTable)


@dataclass(frozen=True)
class AttentionRule:
    """Which items check attention, and how many of them a worker must get right.

    Attributes
    ----------
    items : sequence of str
        The attention items; they need gold.
    min_correct : int, optional
        How many must be right, whatever number was presented.
    min_share : float, optional
        Which share of those presented must be right, above 0 and up to 1. Exactly one of the two is given. An item
        presented and not answered is not right.

    Raises
    ------
    InputError
        If no item is named, one is named twice, or not exactly one threshold that can be met is given.
    """

    items: Sequence[str]
    min_correct: int | None = None
    min_share: float | None = None

    def __post_init__(self) -> None:
        """Check the thresholds."""
        names = (self.items,) if isinstance(self.items, str) else tuple(self.items)
        object.__setattr__(self, "items", names)
        if not names or len(set(names)) < len(names):
            raise InputError("attention items must be named, each once", "", f"Given: {listed(names)}")
        if (self.min_correct is None) == (self.min_share is None):
            raise InputError("an attention rule has one threshold", "", "Give one of min_correct= and min_share=")
        if self.min_correct is not None and not 1 <= self.min_correct <= len(names):
            raise InputError(
                f"min_correct={self.min_correct} for {counted(len(names), 'attention item')}",
                "",
                f"Give a whole number from 1 to {len(names)}",
            )
        if self.min_share is not None and not 0 < self.min_share <= 1:
            raise InputError(f"min_share={self.min_share} is no share", "", "Give a number above 0, up to 1")


@dataclass(frozen=True, eq=False)
class ScreeningResult(Generic[Labels]):
    """What an attention rule did.

    Attributes
    ----------
    kept : CrowdLabels
        The labels of the workers who stay, without the attention items.
    removed : DataFrame, index ``worker``
        One row per worker who fails: ``reason`` (text), ``value`` (number right, or share right, as the rule counts),
        ``threshold``.
    rule : AttentionRule
        The rule.
    """

    kept: Labels
    removed: pd.DataFrame
    rule: AttentionRule

    def __repr__(self) -> str:
        """How many left and how many stay."""
        return f"ScreeningResult({counted(len(self.removed), 'worker')} removed, {len(self.kept.worker_names)} kept)"


def screen_workers(labels: Labels, meanings: LabelMap, rule: AttentionRule) -> ScreeningResult[Labels]:
    """Apply an attention rule; see ``CrowdLabels.screen``.

    Parameters
    ----------
    labels : LabelTable
        Labels with gold for the attention items.
    meanings : LabelMap
        What the labels mean.
    rule : AttentionRule
        The rule. Workers to whom no attention item was presented cannot be judged and stay.

    Returns
    -------
    ScreeningResult

    Raises
    ------
    InputError
        If an attention item is unknown or has no gold, no other items are left, or nobody passes.

    Warns
    -----
    DataWarning
        If workers cannot be judged.
    """
    correct, presented = _right_and_presented(labels, meanings, rule)
    threshold = float(rule.min_share if rule.min_correct is None else rule.min_correct)  # type: ignore[arg-type]
    value = correct / np.maximum(presented, 1) if rule.min_correct is None else correct.astype(float)
    fails = (value < threshold) & (presented > 0)
    removed = _removed(labels, fails, correct, presented)
    removed["value"], removed["threshold"] = value[fails], threshold
    if fails.all():
        raise InputError("no worker passes the attention checks", "", "Check their gold labels, or lower the threshold")
    removal = f"{len(removed)} of {counted(len(fails), 'worker')} {'fails' if len(removed) == 1 else 'fail'}"
    notes = [f"{removal} the attention checks and {'is' if len(removed) == 1 else 'are'} removed"]
    unjudged = [name for name, seen in zip(labels.worker_names, presented, strict=True) if seen == 0]
    if unjudged:
        number = counted(len(unjudged), "worker was", "workers were")
        notes.append(f"{number} shown no attention item, the first is {unjudged[0]!r}")
        warnings.warn(
            DataWarning(notes[-1], "", "They stay; remove them with select() if they should not"), stacklevel=3
        )
    kept = labels.select(
        items=[name for name in labels.item_names if name not in rule.items],
        workers=[name for name, fail in zip(labels.worker_names, fails, strict=True) if not fail],
    )
    return ScreeningResult(kept.with_notes(notes), removed, rule)


def _right_and_presented(
    labels: LabelTable, meanings: LabelMap, rule: AttentionRule
) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many attention items each worker got right and was shown, both of shape (workers,)."""
    unknown = [name for name in rule.items if name not in labels.item_names]
    if unknown:
        raise InputError(f"attention item {unknown[0]!r} is not among the items", "", "Check the item names")
    if len(rule.items) == len(labels.item_names):
        raise InputError("every item is an attention item", "", "Nothing would be left to grade")
    gold = gold_codes(labels, meanings)
    is_check = np.isin(labels.item_names, rule.items)
    without = [name for name, code in zip(labels.item_names, gold, strict=True) if code < 0 and name in rule.items]
    if without:
        raise InputError(f"attention item {without[0]!r} has no gold", "", "Add its right label to the gold table")
    shown = is_check[labels.item_index]
    right = shown & (answer_codes(labels, meanings) == gold[labels.item_index])
    workers = len(labels.worker_names)
    return (
        np.bincount(labels.worker_index[right], minlength=workers),
        np.bincount(labels.worker_index[shown], minlength=workers),
    )


def _removed(labels: LabelTable, fails: NDArray[Any], correct: NDArray[Any], presented: NDArray[Any]) -> pd.DataFrame:
    """Who fails and why."""
    who = np.flatnonzero(fails)
    reasons = [f"{correct[k]} of {presented[k]} attention items right" for k in who]
    index = pd.Index([labels.worker_names[k] for k in who], name="worker", dtype=object)
    return pd.DataFrame({"reason": reasons}, index=index, dtype=object)
