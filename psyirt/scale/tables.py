"""Tables as a scale keeps them: every column of one plain kind, so that a file gives back the same table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from psyirt.errors import InputError

Kind = Literal["number", "integer", "flag", "text"]
Cell = float | int | str | bool | None

# JSON has no infinities
_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def plain_table(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """A copy whose columns are float64, int64 (Int64 with gaps), bool (boolean with gaps) or str.

    Parameters
    ----------
    frame : DataFrame
        Any table; columns that mix numbers and words become text.
    what : str
        What it is, for messages.

    Returns
    -------
    DataFrame
        With column names and an unnamed or single index of strings or positions.

    Raises
    ------
    InputError
        If two columns have one name, or the index has several levels.
    """
    names = [str(name) for name in frame.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(f"column {repeated[0]!r} occurs more than once", what, "Rename one of them")
    if frame.index.nlevels != 1:
        raise InputError(f"the index has {frame.index.nlevels} levels", what, "Use reset_index() first")
    if frame.index.name is None:
        index: pd.Index = pd.RangeIndex(len(frame))
    else:
        index = pd.Index([str(name) for name in frame.index], name=str(frame.index.name), dtype="str")
    columns = {
        name: decoded_column(encoded_column(frame.iloc[:, k]), kind_of(frame.iloc[:, k]))
        for k, name in enumerate(names)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)), columns=pd.Index(names, dtype="str")).set_axis(index)


def kind_of(column: pd.Series) -> Kind:
    """What a column's values are, gaps apart."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return "flag"
    if pd.api.types.is_integer_dtype(column.dtype):
        return "integer"
    if pd.api.types.is_float_dtype(column.dtype):
        return "number"
    values = [value for value in column if not _is_gap(value)]
    if values and all(isinstance(value, bool) for value in values):
        return "flag"
    if values and all(pd.api.types.is_integer(value) for value in values):
        return "integer"
    if values and all(pd.api.types.is_number(value) and not isinstance(value, bool) for value in values):
        return "number"
    return "text"


def encoded_column(column: pd.Series) -> list[Cell]:
    """Values as JSON has them: gaps as null, infinities as words."""
    kind = kind_of(column)
    return [None if _is_gap(value) else _encoded(value, kind) for value in column]


def _encoded(value: Any, kind: Kind) -> Cell:
    if kind == "text":
        return str(value)
    if kind == "flag":
        return bool(value)
    if kind == "integer":
        return int(value)
    number = float(value)
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def decoded_column(values: Sequence[Cell], kind: Kind) -> pd.Series:
    """The inverse of :func:`encoded_column`.

    Raises
    ------
    ValueError
        If a value is not of the kind; the message names the row.
    """
    for row, value in enumerate(values):
        if value is not None and not _is_of(value, kind):
            raise ValueError(f"{value!r} in row {row} is no {kind}")
    gaps = any(value is None for value in values)
    if kind == "number":
        numbers = [math.nan if v is None else _INFINITIES[v] if isinstance(v, str) else float(v) for v in values]
        return pd.Series(numbers, dtype="float64")
    if kind == "integer":
        return pd.Series(values, dtype="Int64" if gaps else "int64")
    if kind == "flag":
        return pd.Series(values, dtype="boolean" if gaps else "bool")
    return pd.Series(values, dtype="str")


def _is_of(value: Cell, kind: Kind) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "flag":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int) and abs(value) < 2**63
    return isinstance(value, (int, float)) or value in _INFINITIES


def _is_gap(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)) or value is pd.NaT
