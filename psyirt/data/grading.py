"""Labels against gold: the graded responses of a crowd."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.key_check import key_doubts
from psyirt.data.label_map import LabelMap
from psyirt.data.label_table import LabelTable
from psyirt.data.response_source import MISSING
from psyirt.data.responses import Responses
from psyirt.errors import DataWarning, InputError
from psyirt.foundation.arguments import require_word
from psyirt.foundation.words import counted

Unanswered = Literal["missing", "wrong"]


def answer_codes(labels: LabelTable, meanings: LabelMap) -> NDArray[np.intp]:
    """Every entry's answer as a position in ``meanings.options``.

    Parameters
    ----------
    labels : LabelTable
        Labels that `meanings` speaks of.
    meanings : LabelMap
        What they mean.

    Returns
    -------
    ndarray of int, shape (labels,)
        -1 where an entry is no answer.
    """
    place = {option: k for k, option in enumerate(meanings.options)}
    of_label = [place[meanings.entries[label]] if label in meanings.entries else -1 for label in labels.label_set]
    return np.array(of_label, dtype=np.intp)[labels.label_index]


def gold_codes(labels: LabelTable, meanings: LabelMap) -> NDArray[np.intp]:
    """Every item's gold as a position in ``meanings.options``; -1 where an item has none (shape (items,))."""
    place = {option: k for k, option in enumerate(meanings.options)}
    if "gold" not in labels.items.columns:
        return np.full(len(labels.item_names), -1, dtype=np.intp)
    return np.array([place.get(gold, -1) for gold in labels.items["gold"]], dtype=np.intp)


def with_option_counts(items: pd.DataFrame, meanings: LabelMap) -> pd.DataFrame:
    """What is known of the items, with ``n_options`` where the gold table says nothing of it.

    Parameters
    ----------
    items : DataFrame, index ``item``
        As ``LabelTable.items``.
    meanings : LabelMap
        What can be answered. A single option is no choice: a key that shows no more does not tell how many there are.

    Returns
    -------
    DataFrame, index ``item``
        A copy.
    """
    known = "n_options" in items.columns or len(meanings.options) < 2
    return items.copy() if known else items.assign(n_options=len(meanings.options))


def grade_labels(labels: LabelTable, meanings: LabelMap, *, unanswered: Unanswered, only_gold: bool) -> Responses:
    """Responses of labels whose meanings are known; see ``CrowdLabels.grade``.

    Parameters
    ----------
    labels : LabelTable
        The labels.
    meanings : LabelMap
        What they mean.
    unanswered : {"missing", "wrong"}
        What an entry that is no answer counts as.
    only_gold : bool
        Whether items without gold are left out rather than refused.

    Returns
    -------
    Responses

    Raises
    ------
    InputError
        If items have no gold and `only_gold` is false, or `unanswered` is not known.

    Warns
    -----
    DataWarning
        If the key or the label map looks wrong; see :mod:`psyirt.data.key_check`. The notes tell it too.
    """
    require_word(unanswered, Unanswered, "unanswered")
    gold, answers = gold_codes(labels, meanings), answer_codes(labels, meanings)
    without = [name for name, code in zip(labels.item_names, gold, strict=True) if code < 0]
    if without and not only_gold:
        raise InputError(
            f"{len(without)} of {counted(len(gold), 'item')} have no gold", f"item {without[0]!r}, the first of them",
            "Add them to the gold table, or leave them out with only_gold=True",
        )  # fmt: skip
    correct = (answers == gold[labels.item_index]).astype(np.int8)
    blank = answers < 0
    correct[blank] = 0 if unanswered == "wrong" else MISSING
    codes = np.full((len(labels.worker_names), len(labels.item_names)), MISSING, dtype=np.int8)
    codes[labels.worker_index, labels.item_index] = correct
    info = with_option_counts(labels.items, meanings)
    notes = [*labels.notes, meanings.sentence]
    empty = int((blank & (gold[labels.item_index] >= 0)).sum())
    if blank.any():
        notes.append(f"{counted(empty, 'unanswered entry counts', 'unanswered entries count')} as {unanswered}")
    if without:
        number = counted(len(without), "item without gold was", "items without gold were")
        notes.append(f"{number} left out, the first is {without[0]!r}")
    doubts = key_doubts(answers, gold[labels.item_index], _chances(info)[labels.item_index], meanings)
    for doubt in doubts:
        warnings.warn(DataWarning(doubt), stacklevel=3)
    notes += doubts
    kept = gold >= 0
    names = tuple(name for name, keep in zip(labels.item_names, kept, strict=True) if keep)
    label_set = meanings.options if len(meanings.options) > 1 else None
    return Responses(codes[:, kept], labels.worker_names, names, info[kept], tuple(notes), label_set)


def _chances(items: pd.DataFrame) -> NDArray[np.float64]:
    """Each item's probability that a random answer is right, shape (items,); NaN where its options are not counted."""
    if "n_options" not in items.columns:
        return np.full(len(items), np.nan)
    options = pd.to_numeric(items["n_options"], errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    return 1 / np.where(options >= 1, options, np.nan)
