"""Tail probabilities of standardised sums that are skewed: sums of a few dozen 0/1 answers are not yet normal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

Array = NDArray[np.float64]

# below this skewness the chi-square is the normal distribution to six digits, and has too many degrees of freedom
_SYMMETRIC = 1e-4


def upper_tail(z: Array, skewness: Array) -> Array:
    """P(Z > z) of a standardised sum with the given skewness.

    A chi-square of 8 / skewness^2 degrees of freedom, standardised, has this skewness (Pearson's type III; Molenaar &
    Hoijtink 1990 use it for person fit). Where the skewness is not positive, so that the upper tail is shorter than
    the normal distribution's, the normal one is taken: its p-values are too large there, never too small.

    Parameters
    ----------
    z, skewness : ndarray, shape (n,)
        The values, and the distributions' third standardised moments.

    Returns
    -------
    ndarray, shape (n,)
        NaN where z is.
    """
    p = ndtr(-z)
    skewed = (skewness > _SYMMETRIC) & ~np.isnan(z)
    df = 8.0 / skewness[skewed] ** 2
    p[skewed] = chdtrc(df, np.maximum(df + np.sqrt(2.0 * df) * z[skewed], 0.0))
    return np.asarray(p)
