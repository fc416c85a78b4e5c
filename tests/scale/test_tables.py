"""Tables that go into a file and come back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from psyirt.scale.tables import decoded_column, encoded_column, kind_of, plain_table


@pytest.mark.parametrize(
    ("values", "kind", "dtype"),
    [
        ([1.5, None], "number", "float64"),
        ([1.5, np.inf, -np.inf, np.nan], "number", "float64"),
        ([1, 2], "integer", "int64"),
        (pd.array([1, None], dtype="Int64"), "integer", "Int64"),
        ([True, False], "flag", "bool"),
        ([True, None], "flag", "boolean"),
        (["a", None], "text", "str"),
        ([None, None], "text", "str"),
        (pd.Categorical(["a", "b"]), "text", "str"),
        ([np.float32(0.1), 2], "number", "float64"),
        (["a", 1.5], "text", "str"),
    ],
)
def test_columns_come_back_as_they_were(values: object, kind: str, dtype: str) -> None:
    """A flag that comes back as 1.0, or a gap as the word "nan", changes what a table says."""
    column = plain_table(pd.DataFrame({"x": values}), "test")["x"]
    assert str(column.dtype) == dtype
    assert kind_of(column) == kind
    back = decoded_column(encoded_column(column), kind_of(column)).rename("x")
    pd.testing.assert_series_equal(back, column, check_exact=True)


@pytest.mark.parametrize(
    ("values", "kind"),
    [(["1"], "number"), ([True], "number"), ([True], "integer"), ([1.0], "integer"), ([1], "flag"), ([1], "text")],
)
def test_wrong_kinds_are_refused(values: list[object], kind: str) -> None:
    """Quiet conversion would hide that somebody changed the file."""
    with pytest.raises(ValueError, match="row 0"):
        decoded_column(values, kind)  # type: ignore[arg-type]


def test_tables_that_cannot_be_kept_are_refused() -> None:
    """Of two columns with one name, one would be lost."""
    with pytest.raises(InputError, match="'x' occurs more than once"):
        plain_table(pd.DataFrame([[1, 2]], columns=["x", "x"]), "test")
    with pytest.raises(InputError, match="2 levels"):
        plain_table(pd.DataFrame({"x": [1]}, index=pd.MultiIndex.from_tuples([(1, 2)])), "test")


def test_index_is_kept_where_it_has_a_name() -> None:
    """Rows are found again by item only if the index survives."""
    kept = plain_table(pd.DataFrame({"x": [1.0]}, index=pd.Index(["q1"], name="item")), "test")
    assert kept.index.name == "item"
    assert list(kept.index) == ["q1"]
    assert list(plain_table(pd.DataFrame({"x": [1.0]}, index=[7]), "test").index) == [0]
