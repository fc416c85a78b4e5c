"""What is missing, and scores' products, where responses are kept answer by answer: work as the answers there are."""

from __future__ import annotations

import numpy as np

from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.kernels.sparse_information import score_products, score_squares
from psyirt.likelihood import posteriors
from psyirt.models.base import Array
from psyirt.observed_information.point import FitPoint


def sparse_score_sums(patterns: SparsePatterns, point: FitPoint, centred: bool) -> Array:
    """Sum over subjects of the posterior covariance of the complete-data score, or of its mean times its transpose.

    Parameters
    ----------
    patterns : SparsePatterns
        Those of the point.
    point : FitPoint
        Where.
    centred : bool
        The covariance (what Louis's identity calls missing) if true, the product of means if false.

    Returns
    -------
    ndarray, shape (size, size)
    """
    scores = _scores(point)
    out = np.zeros((point.layout.size, point.layout.size))
    for block in posteriors(patterns, point.table, point.log_weights):
        starts = patterns.starts[block.rows.start : block.rows.stop + 1]
        score_products(
            starts, patterns.entries, patterns.weights[block.rows], block.weights, scores, point.layout.index,
            point.latent_scores[0], centred, out,
        )  # fmt: skip
    return out


def add_score_squares(patterns: SparsePatterns, point: FitPoint, out: Array) -> None:
    """Add to `out`, shape (J, S, S), each item's sum of its subjects' scores times their transposes."""
    scores = _scores(point)
    for block in posteriors(patterns, point.table, point.log_weights):
        starts = patterns.starts[block.rows.start : block.rows.stop + 1]
        score_squares(starts, patterns.entries, patterns.weights[block.rows], block.weights, scores, out)


def _scores(point: FitPoint) -> Array:
    """Derivatives of the log-probabilities in the slots, shape (J * C, S, Q)."""
    scores = np.moveaxis(point.model.scores(point.values, point.grid.nodes), 3, 2)
    return np.ascontiguousarray(scores.reshape(-1, *scores.shape[2:]))
