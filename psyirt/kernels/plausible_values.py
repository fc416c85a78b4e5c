"""Random draws from posteriors on equally spaced nodes."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
def plausible_values(posterior, uniform, low, spacing, out):  # type: ignore[no-untyped-def]
    """Inverse distribution functions at uniform numbers; a node's weight is spread evenly over its cell.

    Parameters
    ----------
    posterior : ndarray, shape (R, Q)
        Weights of the nodes; each row sums to 1.
    uniform : ndarray, shape (R, D)
        Numbers in [0, 1).
    low, spacing : float
        First node, and the distance between nodes.
    out : ndarray, shape (R, D)
        Filled.
    """
    nodes = posterior.shape[1]
    below = np.empty(nodes + 1)
    for r in range(posterior.shape[0]):
        below[0] = 0.0
        for q in range(nodes):
            below[q + 1] = below[q] + posterior[r, q]
        for d in range(uniform.shape[1]):
            # the sum may miss 1 by rounding
            u = uniform[r, d] * below[nodes]
            first, last = 0, nodes
            while last - first > 1:
                middle = (first + last) // 2
                if below[middle] <= u:
                    first = middle
                else:
                    last = middle
            out[r, d] = low + spacing * (first - 0.5 + (u - below[first]) / posterior[r, first])
