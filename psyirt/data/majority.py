"""What most workers answered to each item, beside its gold."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.data.agreement import answer_counts
from psyirt.data.grading import answer_codes, gold_codes
from psyirt.data.label_map import LabelMap
from psyirt.data.label_table import LabelTable


def item_majorities(labels: LabelTable, meanings: LabelMap) -> pd.DataFrame:
    """The most frequent answer to each item.

    Parameters
    ----------
    labels : LabelTable
        The labels.
    meanings : LabelMap
        What they mean; its options are the categories. Entries without an answer do not count.

    Returns
    -------
    DataFrame, index ``item``
        ``majority_label``: the most frequent answer, whether or not it is more than half (None where two are equally
        frequent or nobody answered); ``majority_share``: the share of the answers that the most frequent has (NaN
        without answers); ``majority_count`` and ``answers``: the two numbers of answers behind it; ``gold``: None where
        there is none.
    """
    counts = answer_counts(labels, answer_codes(labels, meanings), len(meanings.options))
    most, answers = counts.max(axis=1), counts.sum(axis=1)
    alone = (counts == most[:, None]).sum(axis=1) == 1
    names = [meanings.options[k] if only else None for k, only in zip(counts.argmax(axis=1), alone, strict=True)]
    gold = [meanings.options[k] if k >= 0 else None for k in gold_codes(labels, meanings)]
    index = pd.Index(labels.item_names, name="item")
    return pd.DataFrame(
        {
            "majority_label": pd.Series(names, index, dtype=object),
            "majority_share": np.where(answers > 0, most / np.maximum(answers, 1), np.nan),
            "majority_count": most,
            "answers": answers,
            "gold": pd.Series(gold, index, dtype=object),
        },
        index=index,
    )


def against_gold(majorities: pd.DataFrame) -> pd.DataFrame:
    """The items whose gold label is not the answer that most workers gave, the clearest disagreement first.

    Parameters
    ----------
    majorities : DataFrame
        From :func:`item_majorities`.

    Returns
    -------
    DataFrame, index ``item``
        Those with gold and answers whose majority label is another, or shared with another (a tie).
    """
    asked = majorities["gold"].notna() & (majorities["answers"] > 0)
    found = majorities[asked & (majorities["majority_label"] != majorities["gold"])]
    return found.sort_values("majority_share", ascending=False, kind="stable")
