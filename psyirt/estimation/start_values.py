"""Start values from classical statistics."""

from __future__ import annotations

import numpy as np

from psyirt.data.pattern_source import PatternSource
from psyirt.estimation.item_rest import answer_sums, item_rest_correlations
from psyirt.foundation.threads import slices
from psyirt.models.base import Array
from psyirt.models.slope_metric import NORMAL_OGIVE, slope_of_loading

# above this many items their correlation matrix is not formed for the sake of start values
_AXIS_LIMIT = 2000
# about as many patterns, evenly spread, are enough for start values
_AXIS_ROWS, _AXIS_BLOCK = 20_000, 4096


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
    answered, right = answer_sums(patterns)
    proportion = (right + 0.5) / (answered + 1.0)
    inside = np.clip((proportion - lower) / (upper - lower), 0.02, 0.98)
    # 0 where an item or the score on the others does not vary
    correlation = np.nan_to_num(item_rest_correlations(patterns), nan=0.0)
    if correlation.min(initial=1.0) <= 0.0 and len(correlation) <= _AXIS_LIMIT:
        # items that point both ways cancel in the rest score: the first axis of their correlations keeps them apart
        correlation = _first_axis(patterns)
    # r / sqrt(1 - r^2) is the normal-ogive slope of a one-factor item; 1.3 undoes the point-biserial's shrinkage
    raised = np.clip(1.3 * correlation, -0.85, 0.85)
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
