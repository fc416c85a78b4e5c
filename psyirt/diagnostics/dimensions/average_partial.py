"""Velicer's (1976) minimum average partial correlation (MAP)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# a partial variance below this cannot be divided by
_NOTHING_LEFT = 1e-8


def average_partials(correlations: Array, power: int = 2) -> Array:
    """Mean power of the partial correlations once m principal components are partialled out, m = 0 .. J - 2.

    Velicer (1976, eq. 8) takes squares; Velicer, Eaton & Fava (2000) found fourth powers better.

    Parameters
    ----------
    correlations : ndarray, shape (J, J)
        Without gaps.
    power : int
        2 or 4.

    Returns
    -------
    ndarray, shape (J - 1,)
        The number of components to keep is the position of the smallest. NaN from where a component leaves an item
        without positive variance, as in a matrix that is no correlation matrix.
    """
    items = len(correlations)
    values, vectors = np.linalg.eigh(correlations)
    values, vectors = values[::-1], vectors[:, ::-1]
    rest = correlations.copy()
    out = np.full(max(items - 1, 0), np.nan)
    for m in range(len(out)):
        variances = np.diagonal(rest)
        if variances.min() <= _NOTHING_LEFT:
            break
        partial = rest / np.sqrt(np.outer(variances, variances))
        out[m] = (np.sum(np.abs(partial) ** power) - items) / (items * (items - 1.0))
        rest = rest - values[m] * np.outer(vectors[:, m], vectors[:, m])
    return out
