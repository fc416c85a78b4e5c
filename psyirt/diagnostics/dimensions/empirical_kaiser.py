"""The empirical Kaiser criterion (Braeken & van Assen 2017)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def kaiser_references(eigenvalues: Array, subjects: float) -> Array:
    """What each eigenvalue must exceed, given those before it (Braeken & van Assen 2017, eq. 2).

    The largest eigenvalue of pure noise is about (1 + sqrt(J / N))^2 (Marchenko & Pastur 1967); the m-th reference is
    that share of the variance which the m - 1 before have left, and never below Kaiser's 1.

    Parameters
    ----------
    eigenvalues : ndarray, shape (J,)
        Largest first.
    subjects : float
        N.

    Returns
    -------
    ndarray, shape (J,)
    """
    items = len(eigenvalues)
    before = np.concatenate([[0.0], np.cumsum(eigenvalues)[:-1]])
    left = (items - before) / (items - np.arange(items))
    return np.asarray(np.maximum(left * (1.0 + np.sqrt(items / subjects)) ** 2, 1.0))


def leading(above: NDArray[np.bool_]) -> int:
    """How many stand above their reference before the first that does not."""
    return int(np.argmin(above)) if not above.all() else len(above)
