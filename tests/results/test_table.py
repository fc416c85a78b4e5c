"""StatisticTable: no number without a meaning, no gap without a reason."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from psyirt.results.table import StatisticTable


def _frame(**columns: object) -> pd.DataFrame:
    values = {
        "statistic": [1.5, 20.0],
        "df": [2.0, 2.0],
        "p": [0.5, 0.001],
        "p_adjusted": [0.5, 0.002],
        "rmsea": [0.0, 0.1],
        "flag": [False, True],
        "note": ["", ""],
    } | columns
    return pd.DataFrame(values, index=pd.Index(["q1", "q2"], name="item"))


def _table(frame: pd.DataFrame) -> StatisticTable:
    return StatisticTable(
        frame, "S-X2", "H0: the item fits", "Somebody (2000)", "adjusted by Holm", "p_adjusted < 0.05"
    )


@pytest.mark.parametrize("column", ["statistic", "p"])
def test_nan_needs_a_note(column: str) -> None:
    """A silent NaN reads as "nothing found"."""
    gap = {column: [np.nan, 20.0]}
    with pytest.raises(InputError, match=r"row 'q1': .* NaN without a note"):
        _table(_frame(**gap))
    assert len(_table(_frame(**gap, note=["no variance", ""]))) == 2


def test_every_column_is_there() -> None:
    """A rule that reads p_adjusted must not find out at its threshold that there is none."""
    with pytest.raises(InputError, match="no column 'p_adjusted'"):
        _table(_frame().drop(columns="p_adjusted"))


@pytest.mark.parametrize("names", [[None], ["worker"], ["item_1", "item_3"]])
def test_index_says_what_the_rows_are(names: list[str | None]) -> None:
    """An unnamed index loses the items' names in the first reset_index or CSV."""
    frame = _frame()
    frame.index = pd.MultiIndex.from_tuples([("q1", "q2"), ("q1", "q3")]) if len(names) == 2 else frame.index
    frame.index.names = names
    with pytest.raises(InputError, match="index is called"):
        _table(frame)


def test_later_edits_do_not_reach_the_result() -> None:
    """A result that changes with the frame it was made from is no record of what was found."""
    frame = _frame()
    table = _table(frame)
    frame.loc["q1", "statistic"] = 99.0
    assert table.loc["q1", "statistic"] == 1.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.name = "X2"  # type: ignore[misc]


def test_reads_like_a_frame() -> None:
    """The issue of every notebook: table["p"], table.loc["q2"], len(table), what was flagged."""
    table = _table(_frame())
    assert table["p"].tolist() == [0.5, 0.001]
    assert table.loc["q2", "rmsea"] == 0.1
    assert table.flagged.index.tolist() == ["q2"]


def test_printing_says_what_was_tested() -> None:
    """A column of numbers without its null hypothesis and adjustment is misread."""
    table = _table(_frame())
    for text in (repr(table), table._repr_html_()):
        for part in ("S-X2: 2 items, 1 flagged", "the item fits", "adjusted by Holm", "Somebody (2000)", "q2"):
            assert part in text
    assert "&lt; 0.05" in table._repr_html_()


@pytest.mark.parametrize("reasons", [("no variance", "no variance"), ("no variance", "nobody answered")])
def test_nothing_tested_does_not_read_as_nothing_found(reasons: tuple[str, str]) -> None:
    """'0 flagged' over a column of NaN says that all items fit; none was tested."""
    gap = [np.nan, np.nan]
    table = _table(_frame(statistic=gap, p=gap, p_adjusted=gap, flag=[False, False], note=list(reasons)))
    head = repr(table).splitlines()[0]
    assert "flagged" not in head
    why = "no variance" if len(set(reasons)) == 1 else "for the reasons in their notes"
    assert head == f"S-X2: 2 of 2 items not testable: {why}"
    assert len(table.untested) == 2


def test_items_that_were_not_tested_are_counted_beside_the_flagged() -> None:
    """One item in two untested is half an answer, and a head that keeps it back a false one."""
    table = _table(_frame(statistic=[np.nan, 20.0], p=[np.nan, 0.001], note=["no variance", ""]))
    head = repr(table).splitlines()[0]
    assert head == "S-X2: 2 items, 1 flagged (p_adjusted < 0.05); 1 of 2 items not testable: no variance"
    assert table.untested.index.tolist() == ["q1"]
    assert "not testable" not in repr(_table(_frame()))


def test_what_is_said_of_all_rows_is_printed_once() -> None:
    """A note repeated in 30 rows pushes the numbers off the screen; what one row alone says must stay."""
    shared = "on complete rows only"
    table = StatisticTable(_frame(note=[shared, shared]), "S-X2", "t", "s", "a", "f", (shared,))
    assert repr(table).count(shared) == 1
    assert table["note"].tolist() == [shared, shared]
    other = repr(StatisticTable(_frame(note=[shared, "weak"]), "S-X2", "t", "s", "a", "f", (shared,)))
    assert other.count(shared) == 1
    assert "weak" in other


def test_printing_stays_short() -> None:
    """Two million pairs must not be turned into text."""
    frame = pd.concat([_frame()] * 500)
    frame.index = pd.Index([f"q{k}" for k in range(1000)], name="item")
    assert len(repr(_table(frame)).splitlines()) < 80


def test_a_statistic_without_a_null_distribution_has_no_p() -> None:
    """A p-value beside it, however it came there, would be read and used."""
    options = ("X2", "H0: the item fits", "Somebody (2000)", "none", "never")
    with pytest.raises(InputError, match="p-values without a null distribution"):
        StatisticTable(_frame(note=["a", "b"]), *options, has_null=False)
    without = _frame(p=np.nan, p_adjusted=np.nan, flag=False, note="no null distribution")
    table = StatisticTable(without, *options, has_null=False)
    assert repr(table).startswith("X2: 2 items, 0 flagged (never)\n")


def test_top() -> None:
    """Largest in size, negative ones too; a gap is not the largest of all, and a misspelt column no silent default."""
    frame = pd.concat([_frame()] * 3).assign(statistic=[1.0, -5.0, np.nan, 3.0, 5.0, 0.5], note="a note")
    frame.index = pd.Index([f"q{k}" for k in range(6)], name="item")
    table = _table(frame)
    assert table.top(3).index.tolist() == ["q1", "q4", "q3"]
    assert table.top(50).index.tolist() == ["q1", "q4", "q3", "q0", "q5"]
    assert table.top(1, by="p").shape == (1, frame.shape[1])
    for wrong in ({"by": "note"}, {"by": "statistics"}, {"count": 0}, {"count": 2.5}):
        with pytest.raises(InputError):
            table.top(**wrong)
