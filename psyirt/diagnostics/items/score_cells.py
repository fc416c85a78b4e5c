"""Observed and expected responses by sum score: the cells S-X2 is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.fitted_data import FittedData
from psyirt.kernels.cell_pooling import pool_cells
from psyirt.kernels.score_distributions import rest_score_sums, score_distribution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PooledCells:
    """Counts of every item after pooling; the first `rows[j]` rows of item j are its own, the others are zero.

    Attributes
    ----------
    observed, expected : ndarray, shape (J, J - 1, 2)
        Subjects with a wrong and with a correct response.
    rows : ndarray of int, shape (J,)
        How many rows each item has.
    """

    observed: Array
    expected: Array
    rows: NDArray[np.int64]

    def chi_square(self) -> Array:
        """Pearson's statistic of each item, shape (J,)."""
        gap = (self.observed - self.expected) ** 2
        terms = np.divide(gap, self.expected, out=np.zeros_like(gap), where=self.expected > 0.0)
        return np.asarray(terms.sum(axis=(1, 2)))


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Counts of every item at the sum scores 1 .. J-1 (at 0 and J all responses are alike).

    Attributes
    ----------
    observed, expected : ndarray, shape (J, J - 1, 2)
        Subjects with a wrong and with a correct response.
    pooled_row : ndarray of int, shape (J, J - 1)
        Which pooled row a score belongs to; -1 where nobody reached it.
    subjects : float
        Sum of weights of the complete rows, scores 0 and J included.
    varies : ndarray of bool, shape (J,)
        Whether an item has wrong and correct responses in those rows.
    impossible : tuple of int
        Scores that somebody reached although the model gives them no probability.
    """

    observed: Array
    expected: Array
    pooled_row: NDArray[np.int64]
    subjects: float
    varies: NDArray[np.bool_]
    impossible: tuple[int, ...]

    def pooled(self) -> PooledCells:
        """Counts of all items after pooling."""
        items, groups = self.pooled_row.shape
        reached = self.pooled_row >= 0
        at = (np.arange(items)[:, None] * groups + self.pooled_row)[reached]
        shape = (items, groups)

        def total(cells: Array) -> Array:
            sums = [np.bincount(at, weights=cells[..., c][reached], minlength=items * groups) for c in (0, 1)]
            return np.stack([each.reshape(shape) for each in sums], axis=-1).astype(float)

        return PooledCells(total(self.observed), total(self.expected), self.pooled_row.max(axis=1, initial=-1) + 1)


def score_cells(data: FittedData, rows: NDArray[np.bool_], min_expected: float) -> ScoreCells:
    """Count, expect and pool (Orlando & Thissen, 2000).

    The expected proportion correct on item i at score k is
    sum_q P_i(q) S*_i(k - 1, q) w(q) / sum_q S(k, q) w(q), with S the score distribution of all items at node q and
    S*_i that of all but item i.

    Parameters
    ----------
    data : FittedData
        Patterns and probabilities.
    rows : ndarray of bool, shape (R,)
        Patterns to use; none may have a missing response.
    min_expected : float
        Smallest expected count left unpooled; see ``psyirt.kernels.cell_pooling.pool_cells``.

    Returns
    -------
    ScoreCells
    """
    codes, weights = data.patterns.codes[rows], data.patterns.weights[rows]
    items = codes.shape[1]
    scores = codes.sum(axis=1, dtype=np.int64)
    reached = np.bincount(scores, weights=weights, minlength=items + 1)
    correct = np.empty((items, items + 1))
    for j in range(items):
        correct[j] = np.bincount(scores, weights=weights * codes[:, j], minlength=items + 1)
    probability = score_distribution(data.correct, data.wrong) @ data.weights
    joint = _right_and_score(data)
    inner = slice(1, items)
    possible = probability[inner] > 0.0
    share = np.divide(joint[:, inner], probability[inner], out=np.zeros((items, max(items - 1, 0))), where=possible)
    observed = np.stack([reached[inner] - correct[:, inner], correct[:, inner]], axis=2)
    expected = reached[inner, None] * np.stack([1.0 - share, share], axis=2)
    total = correct.sum(axis=1)
    return ScoreCells(
        observed,
        expected,
        pool_cells(observed, expected, min_expected),
        float(weights.sum()),
        (total > 0.0) & (total < weights.sum()),
        tuple(int(k) + 1 for k in np.flatnonzero(~possible & (reached[inner] > 0.0))),
    )


def _right_and_score(data: FittedData) -> Array:
    """Probability of answering item j correctly and reaching score s, shape (J, J + 1)."""
    rest = rest_score_sums(data.correct, data.wrong, (data.weights * data.correct)[:, None])
    return np.pad(rest[:, 0], ((0, 0), (1, 0)))
