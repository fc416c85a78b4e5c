"""Observed information of the marginal likelihood by Louis's identity.

Louis (1982, eq. 3.2): the complete-data information expected under the posterior, minus what is missing, the posterior
covariance of the complete-data score.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import expectation, posteriors
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout
from psyirt.observed_information.linear_items import has_linear_items, linear_information
from psyirt.observed_information.point import FitPoint
from psyirt.observed_information.scores import score_crossprod
from psyirt.observed_information.sparse import sparse_score_sums

# patterns x nodes x parameters held at once
_BLOCK_NUMBERS = 2_000_000
# posterior weights below it add nothing to a sum of doubles
_NO_WEIGHT = 1e-20


@one_blas_thread()
def louis_information(point: FitPoint) -> Array:
    """Minus the second derivatives of the marginal log-likelihood, priors not included.

    Complete answers to items whose logit is linear in ability take a shorter way to the same numbers, see
    :mod:`psyirt.observed_information.linear_items`.

    Parameters
    ----------
    point : FitPoint
        Where; any point, not only a maximum.

    Returns
    -------
    ndarray, shape (size, size)
        On the estimation scale.
    """
    return linear_information(point) if has_linear_items(point) else general_information(point)


@one_blas_thread()
def general_information(point: FitPoint) -> Array:
    """The same for any model and data, node by node: the reference of the shorter ways."""
    observed = complete_information(point)
    if isinstance(point.patterns, SparsePatterns):
        observed -= sparse_score_sums(point.patterns, point, centred=True)
        return 0.5 * (observed + observed.T)
    observed -= _second_moments(point)
    observed += score_crossprod(point)
    return 0.5 * (observed + observed.T)


def complete_information(point: FitPoint) -> Array:
    """Minus the second derivatives of the expected complete-data log-likelihood, shape (size, size)."""
    layout = point.layout
    expected = expectation(point.patterns, point.table, point.log_weights)
    out = np.zeros((layout.size, layout.size))
    items = point.model.derivatives(point.values, point.grid.nodes, expected.counts, "observed")
    out[: layout.item_size, : layout.item_size] = layout.fold_matrix(items.information)
    out[layout.item_size :, layout.item_size :] = -point.latent_scores[1] @ expected.node_counts
    return out


def _second_moments(point: FitPoint) -> Array:
    """Sum over subjects of E[s s'], s the complete-data score under the posterior."""
    layout, patterns = point.layout, point.patterns
    scores = point.model.scores(point.values, point.grid.nodes)
    out = np.zeros((layout.size, layout.size))
    order = _by_ability(point)
    step = max(1, _BLOCK_NUMBERS // (point.grid.count * max(layout.size, 1)))
    for start in range(0, len(order), step):
        rows = order[start : start + step]
        some = patterns.take(rows)
        codes, weights = some.codes_of(slice(0, len(rows))), some.weights
        posterior = np.concatenate([block.weights for block in posteriors(some, point.table, point.log_weights)])
        # neighbours in ability stand on the same few nodes
        near = (posterior > _NO_WEIGHT).any(axis=0)
        root = np.sqrt(posterior[:, near] * weights[:, None])
        score = _pattern_scores(codes, scores[:, :, near], point.latent_scores[0][:, near], layout)
        # weighted by the root, so that one matrix times its own transpose is the sum
        flat = (score * root).reshape(layout.size, -1)
        out += flat @ flat.T
    return out


def _by_ability(point: FitPoint) -> NDArray[np.intp]:
    """Patterns in the order of their posterior means."""
    means = [
        block.weights @ point.grid.nodes[:, 0] for block in posteriors(point.patterns, point.table, point.log_weights)
    ]
    return np.argsort(np.concatenate(means), kind="stable")


def _pattern_scores(codes: NDArray[np.int8], scores: Array, latent: Array, layout: ParameterLayout) -> Array:
    """Complete-data score of each pattern at each node, shape (size, R, Q)."""
    out = np.zeros((layout.size, len(codes), scores.shape[2]))
    # a last category of zeros: what a missing response (-1) adds
    padded = np.concatenate([scores, np.zeros_like(scores[:, :1])], axis=1)
    for j, at in enumerate(layout.index):
        for s in np.flatnonzero(at >= 0):
            out[at[s]] += padded[j, :, :, s][codes[:, j]]
    out[layout.item_size :] = latent[:, None]
    return out
