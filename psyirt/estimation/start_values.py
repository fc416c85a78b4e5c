"""Start values from classical statistics."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from psyirt.data.pattern_source import PatternSource
from psyirt.estimation.item_rest import rest_statistics
from psyirt.foundation.threads import slices
from psyirt.models.base import Array
from psyirt.models.slope_metric import NORMAL_OGIVE, slope_of_loading

# above this many items their correlation matrix is not formed for the sake of start values
_AXIS_LIMIT = 2000
# about as many patterns, evenly spread, are enough for start values
_AXIS_ROWS, _AXIS_BLOCK = 20_000, 4096
# what a short or strange test may not fall below, and what an item starts with at most
_LEAST_RELIABILITY, _LEAST_RANGE, _LARGEST_LOADING = 0.2, 0.05, 0.85


def start_values(patterns: PatternSource, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Slopes and intercepts from item-rest correlations and proportions correct.

    Parameters
    ----------
    patterns : PatternSource
        The responses; missing ones are left out of every sum.
    lower, upper : ndarray, shape (J,)
        Asymptotes the curves start from; proportions are read between them.

    Returns
    -------
    tuple of ndarray, each of shape (J,)
        Slopes (negative where the item-rest correlation is) and intercepts.
    """
    found = rest_statistics(patterns)
    proportion = (found.right + 0.5) / (found.answered + 1.0)
    inside = np.clip((proportion - lower) / (upper - lower), 0.02, 0.98)
    # 0 where an item or the score on the others does not vary
    correlation = np.nan_to_num(found.correlations, nan=0.0)
    reliability = min(max(found.reliability, _LEAST_RELIABILITY), 1.0)
    if correlation.min(initial=1.0) <= 0.0 and len(correlation) <= _AXIS_LIMIT:
        # items that point both ways cancel in the rest score: the first axis of their correlations keeps them apart
        correlation, reliability = _first_axis(patterns), 1.0
    # A biserial correlation with what the rest score measures is the loading of a one-factor item (Lord & Novick
    # 1968, secs. 15.8, 16.10); guesses and slips take their share of the covariance.
    height = np.exp(-0.5 * ndtri(inside) ** 2) / np.sqrt(2.0 * np.pi)
    between = np.maximum(upper - lower, _LEAST_RANGE)
    spread = np.sqrt(proportion * (1.0 - proportion)) / (between * height)
    raised = np.clip(correlation * spread / np.sqrt(reliability), -_LARGEST_LOADING, _LARGEST_LOADING)
    slopes = slope_of_loading(raised)
    slopes = np.where(np.abs(slopes) < 0.2, np.where(slopes < 0, -0.2, 0.2), slopes)
    intercepts = np.log(inside / (1.0 - inside)) * np.sqrt(1.0 + (slopes / NORMAL_OGIVE) ** 2)
    return slopes, intercepts


def _first_axis(patterns: PatternSource) -> Array:
    """Correlation of each item with the first principal axis of the items, oriented to agree with most of them."""
    some = patterns.take(np.arange(0, patterns.rows, max(1, patterns.rows // _AXIS_ROWS)))
    answered, right = some.answer_counts()
    answered = np.maximum(answered, 1e-300)
    products, squares = np.zeros((some.items, some.items)), np.zeros(some.items)
    for rows in slices(some.rows, _AXIS_BLOCK):
        codes = some.codes_of(rows)
        centred = ((codes == 1) - right / answered) * (codes >= 0)
        squares += some.weights[rows] @ centred**2
        scaled = centred * np.sqrt(some.weights[rows])[:, None]
        products += scaled.T @ scaled
    spread = np.sqrt(np.maximum(squares, 1e-300))
    roots, vectors = np.linalg.eigh(products / spread / spread[:, None])
    axis = vectors[:, -1] * np.sqrt(max(roots[-1], 0.0))
    total = axis.sum()
    # where as many point either way, the first item that takes part decides
    return axis * np.sign(total if abs(total) > 1e-8 else axis[np.argmax(np.abs(axis) > 1e-8)] or 1.0)
