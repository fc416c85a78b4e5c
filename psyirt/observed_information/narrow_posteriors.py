"""Posteriors of subjects with many answers, without a table of all items, and polynomials that suit them."""

from __future__ import annotations

import numpy as np

from psyirt.models.base import Array
from psyirt.observed_information.point import FitPoint

# doubles of a block of items
_BLOCK_NUMBERS = 8_000_000


def posterior_weights(point: FitPoint) -> Array:
    """Posterior weights of all patterns, shape (R, Q), without a table of all items."""
    nodes = point.grid.nodes
    logs = np.tile(point.log_weights, (point.patterns.rows, 1))
    step = max(1, _BLOCK_NUMBERS // (4 * len(nodes)))
    for start in range(0, len(point.values), step):
        chunk = np.arange(start, min(start + step, len(point.values)))
        codes, table = point.patterns.columns(chunk), point.model.log_probabilities(point.values[chunk], nodes)
        for k in range(point.model.categories):
            logs += (codes == k).astype(float) @ table[:, k]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def orthonormal_polynomials(theta: Array, posterior: Array, degree: int) -> Array:
    """Polynomials of degree 0 .. d at the nodes, orthonormal under each posterior, shape (d + 1, R, Q).

    By the three-term recurrence (Stieltjes 1884); 0 where a posterior stands on too few nodes for the degree.
    """
    out = np.zeros((degree + 1, *posterior.shape))
    out[0] = 1.0
    for k in range(1, degree + 1):
        raised = theta * out[k - 1]
        # twice is enough against rounding
        for _ in range(2):
            for lower in out[:k]:
                raised -= np.einsum("rq,rq->r", posterior, raised * lower)[:, None] * lower
        norm = np.sqrt(np.einsum("rq,rq->r", posterior, raised**2))[:, None]
        enough = norm > 1e-10 * np.abs(theta).max()
        out[k] = np.where(enough, raised / np.where(enough, norm, 1.0), 0.0)
    return out
