"""Correlations of items with scores on the test: what start values and classical statistics share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource, rows_at_once
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.foundation.threads import slices
from psyirt.kernels.item_scores import item_score_sums, sparse_item_score_sums

Array = NDArray[np.float64]


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
    return _correlations(patterns, own=1)


def item_rest_correlations(patterns: PatternSource) -> Array:
    """The same with the proportion correct of the other items: the corrected item-total correlation."""
    return _correlations(patterns, own=0)


def _correlations(patterns: PatternSource, own: int) -> Array:
    """Correlations of items with proportions correct that count the item itself or not."""
    sums, low, high = _sums(patterns, own)
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
