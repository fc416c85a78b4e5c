"""A table with a row per subject: what all person-fit statistics have in common."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.diagnostics.adjustment import decide
from psyirt.diagnostics.persons.answers import Subjects
from psyirt.foundation.words import counted
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

# so few answers tell next to nothing of a subject, and no statistic of them has its limiting distribution
FEW_ANSWERS = 10


def subject_notes(subjects: Subjects, absent: Array, reason: str, theta: Array | None = None) -> list[str]:
    """What to know about each pattern.

    Parameters
    ----------
    subjects : Subjects
        R patterns.
    absent : ndarray of bool, shape (R,)
        Patterns without a statistic.
    reason : str
        Why those have none although there are answers and an ability.
    theta : ndarray, shape (R,), optional
        Abilities, where the statistic needs them.

    Returns
    -------
    list of str, length R
    """
    unknown = np.zeros(len(absent), bool) if theta is None else ~np.isfinite(theta)
    notes = []
    for k, (answered, right) in enumerate(zip(subjects.answered, subjects.right, strict=True)):
        if not answered:
            notes.append("no responses")
            continue
        parts = []
        if right in (0, answered):
            parts.append(f"all answers are {'right' if right else 'wrong'}: they tell next to nothing of fit")
        if absent[k]:
            parts.append("no finite estimate of ability to judge the answers at" if unknown[k] else reason)
        if answered < FEW_ANSWERS:
            parts.append(f"{counted(answered, 'answer')} only: the p-value is rough")
        notes.append("; ".join(parts))
    return notes


def subject_table(
    subjects: Subjects,
    columns: Mapping[str, Array],
    notes: list[str],
    words: tuple[str, str, str],
    adjust: str,
    alpha: float,
    table_notes: tuple[str, ...] = (),
) -> StatisticTable:
    """Statistics of patterns, a row for each subject.

    Parameters
    ----------
    subjects : Subjects
        N subjects with R patterns.
    columns : mapping of str to ndarray, shape (R,)
        "statistic", "p", and whatever else is shown.
    notes : list of str, length R
        See :func:`subject_notes`.
    words : tuple of str
        Name, null hypothesis, source.
    adjust, alpha
        See :func:`psyirt.diagnostics.adjustment.decide`; each subject is a test.
    table_notes : tuple of str
        What to know about the whole table.

    Returns
    -------
    StatisticTable
        Index subject.
    """
    index = subjects.patterns.index
    frame = pd.DataFrame(
        {name: np.asarray(values)[index] for name, values in columns.items()},
        index=pd.Index(subjects.names, name="subject"),
    )
    decision = decide(frame["p"].to_numpy(float), adjust, alpha)
    frame = frame.assign(
        df=np.nan,
        p_adjusted=decision.p_adjusted,
        answered=subjects.answered[index],
        flag=decision.flag,
        note=np.array(notes, dtype=object)[index],
    )
    first = ["statistic", "df", "p", "p_adjusted"]
    rest = [name for name in columns if name not in first]
    frame = frame[[*first, *rest, "answered", "flag", "note"]]
    name, tests, source = words
    return StatisticTable(frame, name, tests, source, decision.adjustment, decision.flagged_when, table_notes)
