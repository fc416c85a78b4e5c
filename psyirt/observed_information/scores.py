"""Scores of the subjects: the gradient of each one's marginal log-likelihood, and sums of their squares.

By Fisher's identity the gradient is the posterior mean of the complete-data score (Louis 1982, eq. 3.1).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import posteriors
from psyirt.models.base import Array
from psyirt.observed_information.point import FitPoint
from psyirt.observed_information.sparse import sparse_score_sums

# doubles of a block's scores of all slots
_BLOCK_NUMBERS = 4_000_000


def score_blocks(point: FitPoint) -> Iterator[tuple[slice, Array]]:
    """Gradient of each pattern's marginal log-likelihood, priors not included, a block of patterns at a time.

    Parameters
    ----------
    point : FitPoint
        Where.

    Yields
    ------
    tuple of (slice, ndarray of shape (rows, size))
        Which patterns, and their scores for a weight of 1.
    """
    layout, patterns = point.layout, point.patterns
    items, slots = np.nonzero(layout.is_free)
    # (C, Q, columns): one column for every free slot
    scores = np.moveaxis(point.model.scores(point.values, point.grid.nodes), 0, 2)[:, :, items, slots]
    at = layout.index[items, slots]
    step = max(1, _BLOCK_NUMBERS // max(1, len(items)))
    for block in posteriors(patterns, point.table, point.log_weights, step):
        out = np.zeros((len(block.weights), layout.size))
        answers = patterns.codes_of(block.rows)[:, items]
        columns = sum((block.weights @ score) * (answers == k) for k, score in enumerate(scores))
        if layout.has_shared:
            np.add.at(out.T, at, np.transpose(columns))
        else:
            out[:, at] = columns
        out[:, layout.item_size :] = block.weights @ point.latent_scores[0].T
        yield block.rows, out


@one_blas_thread()
def score_crossprod(point: FitPoint, squared: bool = False) -> Array:
    """Sum over subjects of score score'; shape (size, size).

    Parameters
    ----------
    point : FitPoint
        Where.
    squared : bool
        False: each subject as often as its weight says (frequencies). True: a weight multiplies its subject's score,
        and so enters squared (sampling weights: Binder 1983).
    """
    patterns = point.patterns
    weights = patterns.weights
    if squared:
        squares = np.bincount(patterns.index, weights=patterns.subject_weights**2, minlength=len(weights))
        weights = squares.astype(float)
    elif isinstance(patterns, SparsePatterns):
        return sparse_score_sums(patterns, point, centred=False)
    out = np.zeros((point.layout.size, point.layout.size))
    for rows, scores in score_blocks(point):
        scores *= np.sqrt(weights[rows])[:, None]
        out += scores.T @ scores
    return out


@one_blas_thread()
def cluster_crossprod(point: FitPoint, clusters: NDArray[np.intp], weights: Array) -> Array:
    """Sum over clusters of (sum of their subjects' weighted scores) times its transpose; shape (size, size).

    Parameters
    ----------
    point : FitPoint
        Where.
    clusters : ndarray of int, shape (subjects,)
        Each subject's cluster, numbered from 0.
    weights : ndarray, shape (subjects,)
        Each subject's weight.
    """
    patterns = point.patterns
    order = np.argsort(patterns.index, kind="stable")
    first = np.searchsorted(patterns.index[order], np.arange(patterns.rows + 1))
    sums = np.zeros((int(clusters.max()) + 1, point.layout.size))
    for rows, scores in score_blocks(point):
        subjects = order[first[rows.start] : first[rows.stop]]
        each = scores[patterns.index[subjects] - rows.start] * weights[subjects, None]
        np.add.at(sums, clusters[subjects], each)
    return np.asarray(sums.T @ sums)
