"""Observed information of the marginal likelihood by Oakes's identity.

Oakes (1999, eq. 4): the second derivatives of the expected complete-data log-likelihood Q(x', x), plus the derivative
in x of its gradient in x', both at x' = x. The derivative in x is taken by central differences of the E-step: another
road to the numbers of Louis's identity, which it needs nothing of.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.population import VARIANCE
from psyirt.likelihood import expectation
from psyirt.models.base import Array
from psyirt.observed_information.louis import complete_information
from psyirt.observed_information.point import FitPoint

# half the distance of the differences; a latent variance below 1 takes a share of itself
_STEP = 1e-4


@one_blas_thread()
def oakes_information(point: FitPoint) -> Array:
    """Minus the second derivatives of the marginal log-likelihood, priors not included.

    Parameters
    ----------
    point : FitPoint
        Where; any point, not only a maximum.

    Returns
    -------
    ndarray, shape (size, size)
        On the estimation scale; two E-steps for every parameter.
    """
    size = point.layout.size
    missing = np.empty((size, size))
    for k in range(size):
        step = _STEP * min(1.0, float(point.x[k])) if point.layout.names[k] == (VARIANCE, "") else _STEP
        up, down = (_expected_gradient(point, _moved(point, k, sign * step)) for sign in (1.0, -1.0))
        missing[k] = (up - down) / (2.0 * step)
    observed = complete_information(point) - missing
    return 0.5 * (observed + observed.T)


def _moved(point: FitPoint, k: int, step: float) -> FitPoint:
    """The point with one parameter changed."""
    x = point.x.copy()
    x[k] += step
    if k < point.layout.item_size:
        return replace(point, x=x)
    return replace(point, x=x, population=point.population.moved({point.layout.names[k][0]: float(x[k])}))


def _expected_gradient(point: FitPoint, moved: FitPoint) -> Array:
    """Gradient at `point` of the complete-data log-likelihood expected under the posteriors at `moved`."""
    expected = expectation(moved.patterns, moved.table, moved.log_weights)
    items = point.model.derivatives(point.values, point.grid.nodes, expected.counts, "expected")
    out = np.empty(point.layout.size)
    out[: point.layout.item_size] = point.layout.fold(items.gradient)
    out[point.layout.item_size :] = point.latent_scores[0] @ expected.node_counts
    return out
