"""The empirical Kaiser criterion (Braeken & van Assen 2017)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.pair_counts import PairCounts

Array = NDArray[np.float64]


def phi_correlations(counts: PairCounts) -> Array:
    """Pearson correlations of 0/1 items, each pair over those who answered both, shape (J, J); NaN without variance.

    The references below are those of Pearson correlations; tetrachoric ones are noisier, and nearly always exceed them.
    """
    both, first, second, neither = counts.both, counts.first_only, counts.second_only, counts.neither
    spread = (both + first) * (second + neither) * (both + second) * (first + neither)
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = (both * neither - first * second) / np.sqrt(spread)
    np.fill_diagonal(phi, 1.0)
    return np.asarray(np.where(np.isfinite(phi), phi, np.nan))


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
