"""Start values from classical statistics."""

from __future__ import annotations

import numpy as np

from psyirt.data.patterns import Patterns
from psyirt.models.base import Array

_METRIC = 1.702


def start_values(patterns: Patterns, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Slopes and intercepts from item-rest correlations and proportions correct.

    Parameters
    ----------
    patterns : Patterns
        The responses; missing ones are left out of every sum.
    lower, upper : ndarray, shape (J,)
        Asymptotes the curves start from; proportions are read between them.

    Returns
    -------
    tuple of ndarray, each of shape (J,)
        Slopes (negative where the item-rest correlation is) and intercepts.
    """
    seen = (patterns.codes >= 0).astype(float)
    right = (patterns.codes == 1).astype(float)
    weights = patterns.weights
    answered = weights @ seen
    proportion = (weights @ right + 0.5) / (answered + 1.0)
    inside = np.clip((proportion - lower) / (upper - lower), 0.02, 0.98)
    correlation = _item_rest(seen, right, weights)
    # r / sqrt(1 - r^2) is the normal-ogive slope of a one-factor item; 1.3 undoes the point-biserial's shrinkage
    raised = np.clip(1.3 * correlation, -0.85, 0.85)
    slopes = _METRIC * raised / np.sqrt(1.0 - raised**2)
    slopes = np.where(np.abs(slopes) < 0.2, np.where(slopes < 0, -0.2, 0.2), slopes)
    intercepts = np.log(inside / (1.0 - inside)) * np.sqrt(1.0 + (slopes / _METRIC) ** 2)
    return slopes, intercepts


def _item_rest(seen: Array, right: Array, weights: Array) -> Array:
    """Weighted correlation of each item with the mean of the subject's other answers, 0 where undefined."""
    others = seen.sum(1, keepdims=True) - seen
    rest = np.where(others > 0, (right.sum(1, keepdims=True) - right) / np.maximum(others, 1.0), 0.0)
    weight = weights[:, None] * seen * (others > 0)
    total = np.maximum(weight.sum(0), 1e-300)
    mean_x, mean_y = (weight * right).sum(0) / total, (weight * rest).sum(0) / total
    dx, dy = right - mean_x, rest - mean_y
    covariance = (weight * dx * dy).sum(0)
    spread = np.sqrt((weight * dx**2).sum(0) * (weight * dy**2).sum(0))
    return np.divide(covariance, spread, out=np.zeros_like(covariance), where=spread > 0)
