"""The page of a check: findings first, then the tables behind them."""

from __future__ import annotations

import pandas as pd

from psyirt.diagnostics.overview.check_up import CheckUp
from psyirt.foundation.words import counted
from psyirt.results.table import StatisticTable

# rows of a table on the page; the CSV files hold all of them
_ROWS = 15


def page_lines(checked: CheckUp) -> list[str]:
    """The page, line by line.

    Parameters
    ----------
    checked : CheckUp
        The results.

    Returns
    -------
    list of str
    """
    lines = ["FINDINGS", *(f"- {sentence}" for sentence in checked.findings)]
    lines += [f"note: {note}" for note in (*checked.notes, *checked.calibration.notes)]
    lines += _section("THE WHOLE MODEL", repr(checked.model_fit))
    if checked.dimensions is not None:
        lines += _section("DIMENSIONS", repr(checked.dimensions))
    lines += _section("RELIABILITY", _table(checked.reliability))
    lines += _section("PRECISION OF ABILITIES", _table(checked.information))
    lines += _statistic("ITEMS", checked.item_fit, "p")
    lines += _statistic("PAIRS OF ITEMS", checked.pairs, "p")
    lines += _statistic("SUBJECTS", checked.persons, "p")
    return lines


def _section(title: str, text: str) -> list[str]:
    return ["", title, *text.splitlines()]


def _statistic(title: str, table: StatisticTable, by: str) -> list[str]:
    """What was tested, and the rows that fit worst."""
    head = [f"{table.name}: {table.tests}", f"source: {table.source}; p-values: {table.adjustment}"]
    worst = table.frame.sort_values(by, kind="stable").head(_ROWS)
    notes = [f"note: {note}" for note in table.notes]
    first = f"the {len(worst)} of {counted(len(table), 'row')} with the smallest p:" if len(worst) < len(table) else ""
    return _section(title, "\n".join([*head, *notes, *([first] if first else []), _table(worst)]))


def _table(frame: pd.DataFrame) -> str:
    """Rows as text, without columns that say nothing; every row with its whole name."""
    silent = [name for name in frame if frame[name].isna().all() or (name == "note" and (frame[name] == "").all())]
    return frame.drop(columns=silent).round(4).to_string(sparsify=False)
