"""Correlations of items with scores on the test: what start values and classical statistics share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource, rows_at_once
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.foundation.threads import slices
from psyirt.kernels.item_scores import item_score_sums, sparse_item_score_sums

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RestStatistics:
    """What classical test theory says of items, over subjects who answered another item too.

    Attributes
    ----------
    answered, right : ndarray, shape (J,)
        Weighted numbers of answers and of right answers.
    correlations : ndarray, shape (J,)
        :func:`item_rest_correlations`.
    reliability : float
        KR-20 of a test of as many items as a subject answers (Kuder & Richardson 1937); it may be negative.
    """

    answered: Array
    right: Array
    correlations: Array
    reliability: float


def answer_sums(patterns: PatternSource) -> tuple[Array, Array]:
    """Weighted numbers of answers and of right answers to each item, each of shape (J,)."""
    return patterns.answer_counts()


def item_total_correlations(patterns: PatternSource) -> Array:
    """Correlation of each item with the proportion correct of all items answered, over those who answered the item.

    Parameters
    ----------
    patterns : PatternSource
        R patterns over J items, with weights.

    Returns
    -------
    ndarray, shape (J,)
        NaN where the item or the proportion does not vary.
    """
    return _correlations(*_sums(patterns, own=1))


def item_rest_correlations(patterns: PatternSource) -> Array:
    """The same with the proportion correct of the other items: the corrected item-total correlation."""
    return _correlations(*_sums(patterns, own=0))


def rest_statistics(patterns: PatternSource) -> RestStatistics:
    """The same with what goes into it, and the test's reliability, in one pass over the answers."""
    moments = _sums(patterns, own=0)
    answered, right, rest, both, _ = moments[0]
    others = max(float(answered.sum()) / patterns.total - 1.0, 1.0)
    count = np.maximum(answered, 1e-300)
    variance = float(np.sum(right / count * (1.0 - right / count)))
    covariance = others * float(np.sum(both / count - right / count * (rest / count)))
    spread = variance + covariance
    reliability = (others + 1.0) / others * covariance / spread if spread > 0.0 else 0.0
    return RestStatistics(answered, right, _correlations(*moments), reliability)


def _correlations(sums: Array, low: Array, high: Array) -> Array:
    """Correlations of items with proportions correct, from :func:`_sums`."""
    varies = (sums[1] > 0) & (sums[1] < sums[0]) & (low < high)
    out = np.full(len(low), np.nan)
    total, x, y, xy, yy = (each[varies] for each in sums)
    out[varies] = (total * xy - x * y) / np.sqrt((total * x - x**2) * (total * yy - y**2))
    return out


def _sums(patterns: PatternSource, own: int) -> tuple[Array, Array, Array]:
    """Moments of items and proportions correct, and the range of the proportions; see ``item_score_sums``."""
    items = patterns.items
    sums, low, high = np.zeros((5, items)), np.full(items, np.inf), np.full(items, -np.inf)
    if isinstance(patterns, SparsePatterns):
        sparse_item_score_sums(patterns.starts, patterns.entries, patterns.weights, own, sums, low, high)
    else:
        for rows in slices(patterns.rows, rows_at_once(items)):
            weights = np.ascontiguousarray(patterns.weights[rows])
            item_score_sums(patterns.codes_of(rows), weights, own, sums, low, high)
    return sums, low, high
