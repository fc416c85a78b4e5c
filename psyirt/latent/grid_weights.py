"""From a log-density at the nodes to node weights that sum to 1, and their derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def scaled_to_one(log_density: Array) -> Array:
    """Log weights whose exponentials sum to 1, shape (Q,), from a log-density up to a constant."""
    shifted = log_density - log_density.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def of_scaled_weights(slopes: Array, bends: Array, weights: Array) -> tuple[Array, Array]:
    """First and second derivatives of log weights that are scaled to sum to 1.

    Parameters
    ----------
    slopes, bends : ndarray, of shape (M, Q) and (M, M, Q)
        Derivatives of the log-density in M parameters, up to functions of the parameters alone.
    weights : ndarray, shape (Q,)
        The weights.

    Returns
    -------
    tuple of ndarray, of shape (M, Q) and (M, M, Q)
        The first have mean 0 under the weights; the second minus their covariances.
    """
    # sums rather than matrix products: an entry does not depend on what else was asked for, not in its last bit
    first = slopes - np.sum(slopes * weights, axis=-1)[:, None]
    rooted = first * np.sqrt(weights)
    common = np.sum(bends * weights, axis=-1) + np.sum(rooted[:, None] * rooted[None], axis=-1)
    return first, bends - common[..., None]
