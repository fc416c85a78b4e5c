"""Systems' answers against a key: what is not an answer is wrong unless asked otherwise, and is counted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.columns import listed
from psyirt.data.gold import Gold, gold_table
from psyirt.data.grading import answer_codes, gold_codes, with_option_counts
from psyirt.data.label_map import NA_LABELS, LabelMap, explain_labels
from psyirt.data.label_table import LabelTable
from psyirt.data.response_source import MISSING
from psyirt.data.responses import Responses
from psyirt.data.text import is_number
from psyirt.errors import DataWarning, InputError
from psyirt.foundation.arguments import require_word
from psyirt.foundation.words import counted

NonAnswer = Literal["wrong", "missing"]


@dataclass(frozen=True, eq=False)
class GradedPredictions:
    """Systems' graded answers, and how often each did not answer.

    Attributes
    ----------
    responses : Responses
        Systems x items of the key that were presented.
    non_answers : DataFrame, index ``subject``
        Whole numbers: ``presented`` items, of which ``answered``, ``unrecognised`` (a refusal, a text that is no
        option), ``absent`` (no entry, or an empty one), and ``non_answers`` = unrecognised + absent.
    label_map : LabelMap
        How the labels were read; its ``unexplained`` and ``unanswered`` are the non-answers' texts.
    policy : {"wrong", "missing"}
        What a non-answer counted as.
    """

    responses: Responses
    non_answers: pd.DataFrame
    label_map: LabelMap
    policy: NonAnswer


def grade_predictions(
    predictions: LabelTable | pd.DataFrame,
    key: Gold,
    *,
    label_map: Mapping[str, str] | None = None,
    options: Sequence[str] | None = None,
    non_answer: NonAnswer = "wrong",
    na_labels: Sequence[str] = NA_LABELS,
    presented: Sequence[str] | None = None,
    only_key: bool = False,
) -> GradedPredictions:
    """Grade systems' answers.

    A system that may abstain on what it finds hard and have that ignored would gain by it; so a label that stands for
    no option, and the absence of one, count as wrong by default.

    Parameters
    ----------
    predictions : CrowdLabels or DataFrame
        Systems' labels, wide or long as in ``CrowdLabels.from_frame``.
    key : mapping, Series or DataFrame
        Item -> right label.
    label_map : mapping of str to str, optional
        Label -> option; without it a label must be an option, or begin exactly one.
    options : sequence of str, optional
        What can be answered; default: the key's labels and what `label_map` leads to. Needed where the key does not
        show them all (the key of a single class), or else answers count as non-answers.
    non_answer : {"wrong", "missing"}
        What a non-answer counts as.
    na_labels : sequence of str
        Labels that mean "no answer" even where they begin an option.
    presented : sequence of str, optional
        The items that every system was given; default: those that any of them has an entry for.
    only_key : bool
        Whether answers to items that the key lacks are left out; otherwise they are an error.

    Returns
    -------
    GradedPredictions

    Raises
    ------
    InputError
        If no label is an answer and they look like another coding of the options, items are not in the key, or
        non-answers are to be missing while the key shows one option only.

    Warns
    -----
    DataWarning
        If a system gave no recognised answer, or (where `presented` is not given) nobody has an entry for an item of
        the key.
    """
    require_word(non_answer, NonAnswer, "non_answer")
    table = predictions if isinstance(predictions, LabelTable) else LabelTable.from_frame(predictions)
    labels = _aligned(table, gold_table(key), presented, only_key)
    meanings = explain_labels(labels.present_labels(), labels.gold_set, label_map, options, na_labels)
    if not meanings.entries and any(meanings.unexplained) and _may_be_codes(meanings):
        found = listed([repr(label) for label in labels.present_labels()])
        raise InputError(f"none of the labels is an answer: {found}", "", meanings.remedy)
    if non_answer == "missing" and len(meanings.options) < 2:
        raise InputError(
            f"the key shows one option only ({meanings.options[0]!r}): every other answer would count as missing", "",
            "Name all options with options=, or count non-answers as wrong",
        )  # fmt: skip
    counts = _counts(labels, meanings)
    silent = int(counts["non_answers"].sum())
    notes = [
        *labels.notes,
        meanings.sentence,
        f"{counted(silent, 'non-answer counts', 'non-answers count')} as {non_answer}",
    ]
    if meanings.unexplained:
        notes.append(f"labels that are no answer: {listed([repr(label) for label in meanings.unexplained])}")
    info = with_option_counts(labels.items, meanings)
    codes = _graded(labels, meanings, non_answer)
    # a label beyond the key's may be a refusal or an answer: only the caller can say that the options are complete
    label_set = None if options is None or len(meanings.options) < 2 else meanings.options
    responses = Responses(codes, labels.worker_names, labels.item_names, info, tuple(notes), label_set)
    return GradedPredictions(responses, counts, meanings, non_answer)


def _aligned(table: LabelTable, key: pd.DataFrame, presented: Sequence[str] | None, only_key: bool) -> LabelTable:
    """The labels of the presented items of the key, with the key as their gold."""
    keyed = set(key.index[key["gold"].notna()])
    strangers = [name for name in table.item_names if name not in keyed]
    if strangers and not only_key:
        raise InputError(
            f"{counted(len(strangers), 'item with answers is', 'items with answers are')} not in the key",
            f"item {strangers[0]!r}, the first of them",
            "Check the item names, or leave these items out with only_key=True",
        )
    names = [name for name in table.item_names if name in keyed]
    if not names:
        raise InputError("no item with answers is in the key", "", "Check the item names")
    labels = table.select(items=names)
    if presented is not None:
        unkeyed = [name for name in presented if name not in keyed]
        if unkeyed:
            raise InputError(f"presented item {unkeyed[0]!r} is not in the key", "", "Check the item names")
        extra = set(names) - set(presented)
        if extra:
            raise InputError(
                f"item {min(extra)!r} has answers but is not among the presented", "", "Add it, or drop it"
            )
        place = {name: k for k, name in enumerate(presented)}
        where = np.array([place[name] for name in names], dtype=np.intp)
        labels = replace(labels, item_names=tuple(presented), item_index=where[labels.item_index])
    if presented is None:
        return labels.with_gold(key)
    # the caller says what was presented: the key's other items are no surprise, but still tell what can be answered
    graded = labels.with_gold(key.loc[list(presented)])
    return replace(graded, gold_set=tuple(sorted(set(key["gold"].dropna()))))


def _graded(labels: LabelTable, meanings: LabelMap, non_answer: NonAnswer) -> NDArray[np.int8]:
    """1, 0 or -1 for every system and item, shape (systems, items)."""
    answers, gold = answer_codes(labels, meanings), gold_codes(labels, meanings)
    shape = (len(labels.worker_names), len(labels.item_names))
    codes = np.full(shape, 0 if non_answer == "wrong" else MISSING, dtype=np.int8)
    given = answers >= 0
    codes[labels.worker_index[given], labels.item_index[given]] = (answers == gold[labels.item_index])[given]
    return codes


def _may_be_codes(meanings: LabelMap) -> bool:
    """Whether labels none of which is an answer look like the options in another coding, rather than like refusals.

    Numbers, letters and beginnings of options do, and so do about as many single words as there are options.
    """
    labels, options = [label for label in meanings.unexplained if label], meanings.options
    if len(options) < 2 or all(len(label) == 1 or is_number(label) for label in labels):
        return True
    if any(option.casefold().startswith(label.casefold()) for label in labels for option in options):
        return True
    return 1 < len(labels) <= len(options) + 1 and not any(len(label.split()) > 1 for label in labels)


def _counts(labels: LabelTable, meanings: LabelMap) -> pd.DataFrame:
    """How often each system answered and did not; warns of a system that never did."""
    systems = len(labels.worker_names)
    answered = np.bincount(labels.worker_index[answer_codes(labels, meanings) >= 0], minlength=systems)
    empty = np.array([label == "" for label in labels.label_set], dtype=bool)[labels.label_index]
    entries = np.bincount(labels.worker_index[~empty], minlength=systems)
    presented = np.full(systems, len(labels.item_names))
    silent = [labels.worker_names[k] for k in np.flatnonzero(answered == 0)]
    if silent:
        text = f"{counted(len(silent), 'system')} gave no recognised answer, the first is {silent[0]!r}"
        warnings.warn(DataWarning(text, "", meanings.remedy if meanings.unexplained else ""), stacklevel=3)
    return pd.DataFrame(
        {
            "presented": presented,
            "answered": answered,
            "unrecognised": entries - answered,
            "absent": presented - entries,
            "non_answers": presented - answered,
        },
        index=pd.Index(labels.worker_names, name="subject"),
    )
