"""Names and labels as text: ``1.0`` is written ``1``, blanks at the ends go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.errors import InputError


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


def coded(column: Any) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The distinct texts of a column and where each cell's text stands among them.

    Parameters
    ----------
    column : Series or array_like, shape (rows,)
        Cells of any type.

    Returns
    -------
    codes : ndarray of int, shape (rows,)
        Position in `names`; -1 where the cell is missing (None, NaN) or blank.
    names : tuple of str
        Distinct texts in the order of their first cell.
    """
    codes, values = pd.factorize(column)
    texts = [plain(value) for value in values]
    names: dict[str, int] = {}
    place = np.array([names.setdefault(text, len(names)) if text else -1 for text in texts] + [-1], dtype=np.intp)
    # The extra last entry answers factorize's own -1.
    return place[codes], tuple(names)


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
    if wanted is None:
        return np.arange(len(known))
    where = {name: k for k, name in enumerate(wanted)}
    everyone = set(known)
    strangers = [name for name in wanted if name not in everyone]
    if strangers:
        raise InputError(f"{kind} {strangers[0]!r} is unknown", "", f"Check the {kind} names")
    if len(where) < len(wanted):
        twice = next(name for k, name in enumerate(wanted) if where[name] != k)
        raise InputError(f"{kind} {twice!r} is named more than once", "", f"Name each {kind} once")
    return np.array([where.get(name, -1) for name in known], dtype=np.intp)


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
            f"no {what} is named in {nameless.size} rows",
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
    repeated = pd.Series(keys).duplicated().to_numpy()
    if repeated.any():
        one, two, held = kinds.split()
        at = int(np.argmax(repeated))
        raise InputError(
            f"{int(repeated.sum())} {held}s repeat a ({one}, {two}) pair that has one already",
            f"{one} {names[0][first[at]]!r}, {two} {names[1][second[at]]!r}",
            f"Keep one {held} for each {one} and {two}",
        )
