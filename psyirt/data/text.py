"""Names and labels as text, and where they stand: ``1.0`` is written ``1``, blanks at the ends go."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.errors import InputError
from psyirt.foundation.words import counted


def plain(value: object) -> str:
    """A name or a label as text.

    Parameters
    ----------
    value : object
        Text, or a number that a table held in place of text.

    Returns
    -------
    str
        Whole floats without their point (a column of whole numbers with a gap is float in pandas), blanks at the
        ends removed, missing values as ``""``.

    Examples
    --------
    >>> plain(7.0), plain(" 007 "), plain(None)
    ('7', '007', '')
    """
    if isinstance(value, str):
        return value.strip()
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else str(int(value)) if float(value).is_integer() else str(value)
    return str(value).strip()


def is_number(text: str) -> bool:
    """Whether a text is digits, with a sign and a point at the most: the code of something rather than its name."""
    return text.replace(".", "", 1).replace("-", "", 1).isdigit()


def distinct(cells: Any) -> tuple[NDArray[np.intp], Any]:
    """The distinct values of cells and where each cell's value stands among them.

    Parameters
    ----------
    cells : DataFrame, shape (rows, columns), Series or array_like, shape (rows,)
        Text, numbers, booleans, missing values; those of a DataFrame are taken row by row.

    Returns
    -------
    codes : ndarray of int, shape (rows * columns,) or (rows,)
        Position in the values; -1 where the cell is missing.
    values : array_like
        In the order of their first cell.

    Raises
    ------
    InputError
        If a cell holds a list, a mapping or an array, as Parquet files may.
    """
    flat = cells.to_numpy(dtype=object).ravel() if isinstance(cells, pd.DataFrame) else cells
    try:
        return pd.factorize(flat)
    except TypeError:
        values = np.fromiter(flat, dtype=object, count=len(flat))
        at = next((k for k, value in enumerate(values) if not isinstance(value, Hashable)), None)
        if at is None:
            raise
        kind = "mapping" if isinstance(values[at], Mapping) else "list"
        cause = f"a cell holds a {kind}, not a text or a number"
        raise InputError(cause, _place(cells, at), "Give each cell one value") from None


def _place(cells: Any, at: int) -> str:
    """Where the cell at a flat position stands."""
    if not isinstance(cells, pd.DataFrame | pd.Series):
        return f"row {at + 1}"
    row, column = divmod(at, cells.shape[1]) if isinstance(cells, pd.DataFrame) else (at, None)
    name = cells.name if column is None else cells.columns[column]
    return f"{'line' if cells.index.name == 'line' else 'row'} {cells.index[row]}, column {name!r}"


def coded(column: Any) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The distinct texts of a column and where each cell's text stands among them.

    Parameters
    ----------
    column : DataFrame, Series or array_like
        Cells, as for :func:`distinct`.

    Returns
    -------
    codes : ndarray of int
        Position in `names`; -1 where the cell is missing (None, NaN) or blank.
    names : tuple of str
        Distinct texts in the order of their first cell.

    Raises
    ------
    InputError
        If a cell holds a list or the like.
    """
    codes, values = distinct(column)
    texts = [plain(value) for value in values]
    names: dict[str, int] = {}
    place = np.array([names.setdefault(text, len(names)) if text else -1 for text in texts] + [-1], dtype=np.intp)
    # The extra last entry answers factorize's own -1.
    return place[codes], tuple(names)


def chosen_positions(
    wanted: Sequence[str] | NDArray[np.bool_] | None, known: Sequence[str], kind: str
) -> NDArray[np.intp]:
    """Where the wanted names stand among the known ones.

    Parameters
    ----------
    wanted : sequence of str, boolean array of shape (known names,), or None
        Names in the order asked for, or which to keep; None keeps all.
    known : sequence of str
        All names.
    kind : str
        What they name, for the message.

    Returns
    -------
    ndarray of int, shape (wanted names,)

    Raises
    ------
    InputError
        If a name is unknown, or a boolean array has another length.
    """
    if wanted is None:
        return np.arange(len(known))
    if isinstance(wanted, np.ndarray) and wanted.dtype == bool:
        if wanted.shape != (len(known),):
            cause = f"a mask of shape {wanted.shape} for {counted(len(known), kind)}"
            raise InputError(cause, "", f"Give one True or False for each {kind}")
        return np.flatnonzero(wanted)
    where = {name: k for k, name in enumerate(known)}
    names = [str(name) for name in wanted]
    unknown = [name for name in names if name not in where]
    if unknown:
        others = f" ({len(unknown)} such names in all)" if len(unknown) > 1 else ""
        cause = f"{kind} {unknown[0]!r} is unknown{others}"
        raise InputError(cause, "", f"Check the {kind} names")
    return np.array([where[name] for name in names], dtype=np.intp)


def positions(wanted: Sequence[str] | None, known: Sequence[str], kind: str) -> NDArray[np.intp]:
    """Where each known name stands among the wanted ones.

    Parameters
    ----------
    wanted : sequence of str or None
        Names to keep, each once; None keeps all.
    known : sequence of str
        All names.
    kind : str
        What they name, for the message.

    Returns
    -------
    ndarray of int, shape (known names,)
        Position in `wanted`, -1 for a name that is not kept.

    Raises
    ------
    InputError
        If a wanted name is unknown or given twice.
    """
    chosen = chosen_positions(wanted, known, kind)
    place = np.full(len(known), -1, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))
    again = np.flatnonzero(place[chosen] != np.arange(len(chosen)))
    if again.size:
        raise InputError(f"{kind} {known[chosen[again[0]]]!r} is named more than once", "", f"Name each {kind} once")
    return place


def refuse_missing(codes: NDArray[np.intp], what: str, rows: Any) -> None:
    """Refuse cells without a name.

    Parameters
    ----------
    codes : ndarray of int, shape (rows,)
        As :func:`coded` gives them.
    what : str
        What the column holds ("worker", "item").
    rows : Index
        Row labels, for the message; an index called "line" holds the lines of a file.

    Raises
    ------
    InputError
        If a code is -1.
    """
    nameless = np.flatnonzero(codes < 0)
    if nameless.size:
        raise InputError(
            f"no {what} is named in {counted(nameless.size, 'row')}",
            f"{'line' if rows.name == 'line' else 'row'} {rows[nameless[0]]}",
            f"Name the {what} in every row",
        )


def refuse_repeated(first: NDArray[np.intp], second: NDArray[np.intp], names: tuple[Any, Any], kinds: str) -> None:
    """Refuse a pair of codes that occurs twice.

    Parameters
    ----------
    first, second : ndarray of int, shape (rows,)
        Codes of the pair's two members.
    names : pair of sequences of str
        What the codes stand for.
    kinds : str
        The kinds of the two members and of what they hold, e.g. ``"worker item label"``.

    Raises
    ------
    InputError
        If a pair occurs more than once.
    """
    keys = first.astype(np.int64) * max(len(names[1]), 1) + second
    if np.all(np.diff(keys) > 0) or np.all(np.diff(np.sort(keys)) > 0):  # a table of all keys takes more memory
        return
    repeated = pd.Series(keys).duplicated().to_numpy()
    if repeated.any():
        one, two, held = kinds.split()
        at = int(np.argmax(repeated))
        number = counted(int(repeated.sum()), f"{held} repeats", f"{held}s repeat")
        raise InputError(
            f"{number} a ({one}, {two}) pair that has one already",
            f"{one} {names[0][first[at]]!r}, {two} {names[1][second[at]]!r}",
            f"Keep one {held} for each {one} and {two}",
        )
