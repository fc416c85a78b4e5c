"""Observed information of the marginal likelihood by Louis's identity.

Louis (1982, eq. 3.2): the complete-data information expected under the posterior, minus what is missing, the posterior
covariance of the complete-data score.
"""

from __future__ import annotations

import numpy as np

from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import expectation
from psyirt.models.base import Array
from psyirt.observed_information.linear_items import has_linear_items, linear_information
from psyirt.observed_information.point import FitPoint
from psyirt.observed_information.score_moments import score_second_moments
from psyirt.observed_information.scores import score_crossprod
from psyirt.observed_information.sparse import sparse_score_sums


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
    observed -= score_second_moments(point)
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
