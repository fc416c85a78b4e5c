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
    """Weighted counts for some items (rows) against all items (columns).

    Attributes
    ----------
    both, first_only, second_only, neither : ndarray, shape (rows, J)
        Subjects who answered both items and got both right, only the row's, only the column's, neither.
    """

    both: Array
    first_only: Array
    second_only: Array
    neither: Array

    @property
    def subjects(self) -> Array:
        """Subjects who answered both items, shape (rows, J)."""
        return self.both + self.first_only + self.second_only + self.neither


def pair_counts(codes: NDArray[np.int8], weights: Array, rows: slice = slice(None)) -> PairCounts:
    """Count the 2 x 2 tables.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        1, 0, -1 missing.
    weights : ndarray, shape (R,)
        How many subjects a row stands for.
    rows : slice
        Which items to pair with all J (all by default): the memory needed is 4 x rows x J numbers.

    Returns
    -------
    PairCounts
    """
    items = codes.shape[1]
    size = len(range(*rows.indices(items)))
    # one product of [right | wrong] with itself: BLAS does one large product faster than four small ones
    table = np.zeros((2 * size, 2 * items))
    for start in range(0, len(codes), _BLOCK_ROWS):
        part = codes[start : start + _BLOCK_ROWS]
        weight = weights[start : start + _BLOCK_ROWS, None]
        chosen = part[:, rows]
        first = np.hstack([chosen == 1, chosen == 0]) * weight
        table += first.T @ np.hstack([part == 1, part == 0]).astype(float)
    return PairCounts(table[:size, :items], table[:size, items:], table[size:, :items], table[size:, items:])
