"""Tables of responses as codes and names; what cannot be either is refused with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.response_source import MISSING
from psyirt.data.text import coded, refuse_missing, refuse_repeated
from psyirt.errors import InputError
from psyirt.foundation.words import counted

_NUMERIC = "biuf"  # kinds of numpy's types: boolean, whole, unsigned, floating
_GRADE = "Grade the answers first (CrowdLabels.grade) or give a threshold"


def table_of(values: ArrayLike) -> NDArray[Any]:
    """Values as a table.

    Parameters
    ----------
    values : array_like, shape (subjects, items)
        Of any type.

    Returns
    -------
    ndarray, shape (subjects, items)

    Raises
    ------
    InputError
        If they do not have two dimensions, or rows differ in length.
    """
    try:
        table = np.asarray(values)
    except ValueError:
        raise InputError("rows of responses differ in length", "", "Give every subject a value for each item") from None
    if table.ndim != 2:
        raise InputError(f"responses have {table.ndim} dimensions", "", "Give a table of subjects x items")
    return table


def codes_of(table: NDArray[Any], subjects: Sequence[str], items: Sequence[str]) -> NDArray[np.int8]:
    """Values as codes.

    Parameters
    ----------
    table : ndarray, shape (subjects, items)
        0, 1 (or booleans), and NaN, None or -1 for missing.
    subjects, items : sequence of str
        Names, for the message.

    Returns
    -------
    ndarray of int8, shape (subjects, items)
        A C-contiguous copy: 1, 0, -1.

    Raises
    ------
    InputError
        If a value is anything else; the message has its place.
    """
    if table.dtype == np.int8:
        codes, inside = np.array(table, order="C"), not table.size or (table.min() >= MISSING and table.max() <= 1)
        bad = np.zeros((), dtype=bool) if inside else (table < MISSING) | (table > 1)
    else:  # other types go through floats: int8 would cut off fractions and wrap large numbers around
        values = _numbers(table, subjects, items)
        missing = np.isnan(values) | (values == MISSING)
        bad = ~missing & (values != 0) & (values != 1)
        codes = np.where(missing | bad, MISSING, values).astype(np.int8, order="C")
    if bad.any():
        raise _no_response(table, np.argwhere(bad)[0], subjects, items)
    return codes


def numeric(frame: pd.DataFrame) -> NDArray[np.float64]:
    """A table as floats.

    Parameters
    ----------
    frame : DataFrame, shape (rows, columns)
        Numbers, booleans, missing values.

    Returns
    -------
    ndarray of float, shape (rows, columns)

    Raises
    ------
    InputError
        If a cell is no number; the message has its place.
    """
    try:
        return frame.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        row, column = _first_no_number(frame.to_numpy(dtype=object))
        raise InputError(
            f"{frame.iloc[row, column]!r} is not 0, 1 or missing",
            f"row {frame.index[row]!r}, column {frame.columns[column]!r}",
            "Leave missing cells empty, and put names into the index or a column called 'subject'",
        ) from None


@dataclass(frozen=True, eq=False)
class LongAnswers:
    """Answers one by one.

    Attributes
    ----------
    rows, columns : ndarray of int, shape (answers,)
        Positions in the names; no pair occurs twice.
    codes : ndarray of int8, shape (answers,)
        1, 0, -1 missing.
    subject_names, item_names : tuple of str
        In the order of their first answer.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    codes: NDArray[np.int8]
    subject_names: tuple[str, ...]
    item_names: tuple[str, ...]

    def table(self) -> NDArray[np.int8]:
        """Subjects x items, -1 for a pair that does not occur."""
        table = np.full((len(self.subject_names), len(self.item_names)), MISSING, dtype=np.int8)
        table[self.rows, self.columns] = self.codes
        return table


def long_answers(frame: pd.DataFrame, subject: str, item: str, response: str) -> LongAnswers:
    """The answers in a table of one row per pair (subject, item).

    Parameters
    ----------
    frame : DataFrame
        One row per response.
    subject, item, response : str
        Column names.

    Returns
    -------
    LongAnswers

    Raises
    ------
    InputError
        If a column is absent, a name is missing, a pair occurs twice, or a response is no number.
    """
    for column in (subject, item, response):
        if column not in frame.columns:
            known = ", ".join(map(str, frame.columns))
            raise InputError(f"no column {column!r}", "", f"Columns are: {known}; name the right one")
    rows, row_names = coded(frame[subject])
    columns, column_names = coded(frame[item])
    refuse_missing(rows, "subject", frame.index)
    refuse_missing(columns, "item", frame.index)
    refuse_repeated(rows, columns, (row_names, column_names), "subject item response")
    values = numeric(frame[[response]])[:, 0]
    missing = np.isnan(values) | (values == MISSING)
    bad = np.flatnonzero(~missing & (values != 0) & (values != 1))
    if bad.size:
        first = bad[0]
        names = ([row_names[rows[first]]], [column_names[columns[first]]])
        raise _no_response(values[first : first + 1, None], (0, 0), *names)
    codes = np.where(missing, MISSING, values).astype(np.int8)
    return LongAnswers(rows, columns, codes, row_names, column_names)


def unique_names(names: Sequence[str], kind: str, length: int) -> tuple[str, ...]:
    """Names as text.

    Parameters
    ----------
    names : sequence of str
        One for each.
    kind : str
        What they name ("subject", "item"), for the message.
    length : int
        How many there must be.

    Returns
    -------
    tuple of str

    Raises
    ------
    InputError
        If there is another number of them, or one occurs twice.
    """
    result = tuple(str(name) for name in names)
    if len(result) != length:
        cause = f"{counted(len(result), f'{kind} name')} for {counted(length, kind)}"
        raise InputError(cause, "", "Give one name for each")
    if len(set(result)) != length:
        index = pd.Index(result)
        twice = index[index.duplicated()][0]
        raise InputError(f"{kind} {twice!r} occurs more than once", "", f"Give each {kind} its own name")
    return result


def _numbers(table: NDArray[Any], subjects: Sequence[str], items: Sequence[str]) -> NDArray[np.float64]:
    """A table as floats; a value that is no number is refused with its place."""
    if table.dtype.kind in _NUMERIC or not table.size:
        return table.astype(float)
    cells = table.astype(object)
    cells[pd.isna(cells)] = np.nan
    try:
        return cells.astype(float)
    except (TypeError, ValueError):
        raise _no_response(table, _first_no_number(cells), subjects, items) from None


def _first_no_number(cells: NDArray[Any]) -> tuple[int, int]:
    """Row and column of the first cell that is neither a number nor missing; there is one."""
    for row, column in np.ndindex(cells.shape):
        cell: Any = cells[row, column]
        try:
            float(np.nan if cell is pd.NA or cell is None else cell)
        except (TypeError, ValueError):
            return row, column
    raise AssertionError("every cell is a number")


def _no_response(
    table: NDArray[Any], place: Sequence[int], subjects: Sequence[str], items: Sequence[str]
) -> InputError:
    """The error for a value that is no response."""
    row, column = place
    value = table[row, column]
    plain = value.item() if isinstance(value, np.generic) else value
    told = f"{plain:g}" if table.dtype.kind in _NUMERIC else repr(plain)
    where = f"subject {str(subjects[row])!r}, item {str(items[column])!r}"
    return InputError(f"response {told} is not 0, 1 or missing", where, _GRADE)
