"""Tables of statistics that have no null distribution: no p-value, and nothing that could be taken for one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.diagnostics.adjustment import ADJUSTMENTS, require_level
from psyirt.results.table import StatisticTable


def untested_table(
    frame: pd.DataFrame,
    name: str,
    tests: str,
    source: str,
    why: str,
    notes: tuple[str, ...] = (),
    flagged_when: str = "never: there is no test",
) -> StatisticTable:
    """A table whose p-values are NaN, and whose rows and header say why.

    Parameters
    ----------
    frame : DataFrame
        Index item; statistic, effect sizes, df where it has a meaning, note, and flag where an effect size decides.
    name, tests, source, flagged_when
        As in :class:`StatisticTable`.
    why : str
        Why there is no null distribution.
    notes : tuple of str
        What else to know about the whole table.

    Returns
    -------
    StatisticTable
        With ``has_null`` False.
    """
    note = np.array([each or why for each in frame["note"]], dtype=object)
    columns = frame.assign(p=np.nan, p_adjusted=np.nan, note=note)
    if "flag" not in columns:
        columns["flag"] = False
    if "df" not in columns:
        columns["df"] = np.nan
    first = ["statistic", "df", "p", "p_adjusted"]
    between = [column for column in frame.columns if column not in (*first, "flag", "note")]
    return StatisticTable(
        columns[[*first, *between, "flag", "note"]],
        name,
        tests,
        source,
        "none: no null distribution",
        flagged_when,
        (why, *notes),
        has_null=False,
    )


def check_unused(adjust: str, alpha: float) -> None:
    """Refuse an adjustment or a level that is none, although no p-value is there to use it on."""
    assert ADJUSTMENTS[adjust]
    require_level(alpha)
