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

    def pooled(self, item: int) -> tuple[Array, Array]:
        """Observed and expected counts of one item after pooling, each (rows, 2)."""
        group = self.pooled_row[item]
        rows = int(group.max(initial=-1)) + 1
        observed, expected = np.zeros((rows, 2)), np.zeros((rows, 2))
        reached = group >= 0
        np.add.at(observed, group[reached], self.observed[item, reached])
        np.add.at(expected, group[reached], self.expected[item, reached])
        return observed, expected


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
