"""Cells of response tables as codes 1, 0 and -1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psyirt.data.response_source import MISSING
from psyirt.data.text import distinct, plain

VALUES = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0}
BAD = np.int8(-2)


def response_codes(cells: Any, missing: Sequence[str]) -> NDArray[np.int8]:
    """Codes of cells.

    Parameters
    ----------
    cells : DataFrame, Series or array_like
        Text, numbers or booleans; those of a DataFrame are taken row by row.
    missing : sequence of str
        Cells that mean "missing", whatever their case; None and NaN always do.

    Returns
    -------
    ndarray of int8, shape (cells,)
        1, 0, -1 (missing), or :data:`BAD` for a cell that is none of these.

    Raises
    ------
    InputError
        If a cell holds a list or the like.
    """
    places, values = distinct(cells)
    absent = {plain(code).casefold() for code in missing}
    codes = [MISSING if (text := plain(value).casefold()) in absent else VALUES.get(text, BAD) for value in values]
    return np.array([*codes, MISSING], dtype=np.int8)[places]  # factorize's own -1 takes the last entry


def shown(value: Any) -> str:
    """A cell in a message: quoted if it is text; numbers as people write them, not as NumPy names their type."""
    return repr(value.item() if isinstance(value, np.generic) else value)
