"""Counts of the 2 x 2 tables of all pairs of items, each over the subjects who answered both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# response rows turned into floats at once
_BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Weighted counts for some items (rows) against others (columns).

    Attributes
    ----------
    both, first_only, second_only, neither : ndarray, shape (rows, columns)
        Subjects who answered both items and got both right, only the row's, only the column's, neither.
    """

    both: Array
    first_only: Array
    second_only: Array
    neither: Array

    @property
    def subjects(self) -> Array:
        """Subjects who answered both items, shape (rows, columns)."""
        return self.both + self.first_only + self.second_only + self.neither


def pair_counts(
    codes: NDArray[np.int8], weights: Array, rows: slice = slice(None), columns: slice = slice(None)
) -> PairCounts:
    """Count the 2 x 2 tables.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        1, 0, -1 missing.
    weights : ndarray, shape (R,)
        How many subjects a row stands for.
    rows, columns : slice
        Which items to pair with which (all by default): the memory needed is 4 x rows x columns numbers.

    Returns
    -------
    PairCounts
    """
    if np.any(weights != np.round(weights)):
        return _cell_by_cell(codes, weights, rows, columns)
    # whole numbers below 2^24 are exact in single precision, whose products take half the time
    kind = np.float32 if weights.sum() < 2.0**24 else np.float64
    both, right_first, right_second, answered = _sums(codes, weights.astype(kind), rows, columns)
    first_only, second_only = right_first - both, right_second - both
    return PairCounts(both, first_only, second_only, answered - both - first_only - second_only)


def _sums(codes: NDArray[np.int8], weights: Array, rows: slice, columns: slice) -> tuple[Array, Array, Array, Array]:
    """Subjects who got both right, who got the row's right and answered the column's, the reverse, who answered both.

    Their differences are the other cells: exact where weights are whole numbers, and three products in place of four,
    one where no answer is missing.
    """
    items = np.arange(codes.shape[1])
    shape = (len(items[rows]), len(items[columns]))
    both, right_first, right_second, answered = np.zeros((4, *shape))
    for start in range(0, len(codes), _BLOCK_ROWS):
        part = codes[start : start + _BLOCK_ROWS]
        weight = weights[start : start + _BLOCK_ROWS, None]
        first, second = part[:, rows], part[:, columns]
        right = (first == 1) * weight
        also = (second == 1).astype(weight.dtype)
        both += right.T @ also
        if first.min(initial=0) >= 0 and second.min(initial=0) >= 0:
            right_first += right.sum(axis=0, dtype=float)[:, None]
            right_second += (weight * also).sum(axis=0, dtype=float)
            answered += float(weight.sum(dtype=float))
            continue
        seen, seen_also = (first >= 0) * weight, (second >= 0).astype(weight.dtype)
        right_first += right.T @ seen_also
        right_second += seen.T @ also
        answered += seen.T @ seen_also
    return both, right_first, right_second, answered


def _cell_by_cell(codes: NDArray[np.int8], weights: Array, rows: slice, columns: slice) -> PairCounts:
    """Each cell as a sum of its own, for weights whose differences would be rounding errors in place of 0."""
    items = np.arange(codes.shape[1])
    size, width = len(items[rows]), len(items[columns])
    # one product of [right | wrong] with itself: BLAS does one large product faster than four small ones
    table = np.zeros((2 * size, 2 * width))
    for start in range(0, len(codes), _BLOCK_ROWS):
        part = codes[start : start + _BLOCK_ROWS]
        weight = weights[start : start + _BLOCK_ROWS, None]
        first, second = part[:, rows], part[:, columns]
        table += (np.hstack([first == 1, first == 0]) * weight).T @ np.hstack([second == 1, second == 0]).astype(float)
    return PairCounts(table[:size, :width], table[:size, width:], table[size:, :width], table[size:, width:])
