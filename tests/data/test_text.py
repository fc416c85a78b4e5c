"""Names as text, and the columns they stand in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data import columns
from psyirt.data.text import coded, plain, positions
from psyirt.errors import InputError


@pytest.mark.parametrize(
    ("value", "text"),
    [("007", "007"), (" a ", "a"), (1.0, "1"), (1.5, "1.5"), (np.float64(3), "3"), (np.int64(3), "3"), (None, ""),
     (np.nan, ""), (pd.NA, ""), (pd.NaT, ""), (True, "True"), (1e300, str(int(1e300))), (np.inf, "inf")],
)  # fmt: skip
def test_plain_text(value: object, text: str) -> None:
    """An item called 7.0 in one file and 7 in the other is two items."""
    assert plain(value) == text


@pytest.mark.parametrize(
    "column",
    [
        np.array(["b", "a", "", "b"], dtype=object),
        np.array(["b", " a", None, "b "], dtype=object),
        pd.Series(["b", "a", None, "b"]),
        pd.Series(["b", "a", None, "b"], dtype="category"),
        pd.Series(["b", "a", None, "b"], dtype="string"),
    ],
)
def test_codes_of_every_kind_of_column(column: object) -> None:
    """A dtype that factorizes differently must not shift the names; blanks are missing."""
    codes, names = coded(column)
    assert codes.tolist() == [0, 1, -1, 0]
    assert names == ("b", "a")


def test_values_of_one_text_are_one_name() -> None:
    """1, 1.0 and "1" in a mixed column name one worker."""
    codes, names = coded(np.array([1, 2.0, "1", "2", np.nan], dtype=object))
    assert codes.tolist() == [0, 1, 0, 1, -1]
    assert names == ("1", "2")


def test_positions_of_names() -> None:
    """Positions are among the wanted names; a name twice would write one row over another."""
    assert positions(["c", "a"], ["a", "b", "c"], "item").tolist() == [1, -1, 0]
    assert positions(None, ["a", "b"], "item").tolist() == [0, 1]
    with pytest.raises(InputError, match="item 'a' is named more than once"):
        positions(["a", "a"], ["a", "b"], "item")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["id", "worker"], "worker"),
        (["WorkerId", "task"], "WorkerId"),
        (["subject_id"], "subject_id"),
        (["Annotator ID"], "Annotator ID"),
        (["id", "q1"], "id"),
        (["", "q1"], ""),
        (["Unnamed: 0"], "Unnamed: 0"),
        (["userid"], "userid"),
        (["grid", "q1"], None),
    ],
)
def test_subject_columns_in_use(names: list[str], found: str | None) -> None:
    """A row number called id must not pass for the workers where a column worker stands beside it."""
    assert columns.find_column(names, columns.SUBJECT) == found


def test_a_named_column_must_exist() -> None:
    """An option that is misspelt must not fall back to a guess."""
    with pytest.raises(InputError, match=r"no column 'wroker'.*Columns are: worker, q1"):
        columns.find_column(["worker", "q1"], columns.SUBJECT, "wroker")


def test_long_lists_are_cut() -> None:
    """A message about 80,000 columns must stay one that can be read."""
    assert columns.listed(range(10), most=3) == "0, 1, 2 and 7 more"


@pytest.mark.parametrize(
    ("cells", "place"),
    [
        (pd.Series(["a", ["b"]], index=[3, 4], name="label"), "row 4, column 'label'"),
        (pd.Series(["a", {"b": 1}], index=pd.Index([3, 4], name="line"), name="label"), "line 4, column 'label'"),
        (pd.DataFrame({"q1": ["a", "b"], "q2": ["c", np.array([1])]}, index=["ann", "bob"]), "row bob, column 'q2'"),
        (np.array(["a", {1}], dtype=object), "row 2"),
    ],
)
def test_cells_that_hold_several_values_are_refused_with_their_place(cells: object, place: str) -> None:
    """Parquet files may hold lists; "unhashable type" says neither where nor what to do."""
    with pytest.raises(InputError, match=f"{place}: a cell holds a (list|mapping), not a text or a number"):
        coded(cells)


def test_a_frame_is_coded_row_by_row() -> None:
    """Codes in another order would give one worker's answers to another."""
    codes, names = coded(pd.DataFrame({"q1": ["a", "b"], "q2": ["b", None]}))
    assert codes.tolist() == [0, 1, 1, -1]
    assert names == ("a", "b")
