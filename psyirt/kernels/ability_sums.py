"""Derivatives of log-likelihoods in ability, each response pattern at a point of its own, for logistic items.

The general form, and the one tests compare with, is ``LogisticModel.ability_derivatives``; here the arrays of items x
patterns between its steps are never made.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"


@njit(cache=True, error_model="numpy", nogil=True)
def _logistic(x):  # type: ignore[no-untyped-def]
    """1 / (1 + exp(-x)), exact at +-inf."""
    if x >= 0.0:
        return 1.0 / (1.0 + np.exp(-x))
    t = np.exp(x)
    return t / (1.0 + t)


# reassociation lets the sums over items run in vector instructions; their order is the same in every call
@njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"}, nogil=True)
def ability_sums(values, codes, theta, rows, out):  # type: ignore[no-untyped-def]
    """Sums over the items a pattern answered.

    Parameters
    ----------
    values : ndarray, shape (J, 4)
        Slope, intercept, logit c, logit d; c < d.
    codes : ndarray of int8, shape (R, J), C-contiguous
        1, 0, -1 missing.
    theta : ndarray, shape (N,)
        Abilities.
    rows : ndarray of int, shape (N,)
        Which pattern stands at each.
    out : ndarray, shape (N, 4)
        Filled: first and second derivative of the log-likelihood, test information, and its derivative.
    """
    items = values.shape[0]
    slope, intercept = values[:, 0].copy(), values[:, 1].copy()
    lower, above, width = np.empty(items), np.empty(items), np.empty(items)
    for j in range(items):
        lower[j], above[j] = _logistic(values[j, 2]), _logistic(-values[j, 3])
        width[j] = _logistic(values[j, 3]) - lower[j]
    negative, t = np.empty(items), np.empty(items)
    bits = np.empty(items, np.int64)
    scale = bits.view(np.float64)
    for n in range(theta.shape[0]):
        point, row = theta[n], codes[rows[n]]
        for j in range(items):
            negative[j] = -abs(slope[j] * point + intercept[j])
        exp_row(negative, t, bits, scale)
        first, second, information, change = 0.0, 0.0, 0.0, 0.0
        for j in range(items):
            large, small = 1.0 / (1.0 + t[j]), t[j] / (1.0 + t[j])
            rising = slope[j] * point + intercept[j] >= 0.0
            up = large if rising else small
            down = small if rising else large
            # t is never 0, so that neither is either probability
            correct, wrong = lower[j] + width[j] * up, above[j] + width[j] * down
            seen = 1.0 if row[j] >= 0 else 0.0
            right = 1.0 if row[j] == 1 else 0.0
            # r = P' / (P (1 - P)); bend = P'' / P'
            r = slope[j] * width[j] * (up / correct) * (down / wrong)
            bend = slope[j] * (down - up)
            # not right - correct, which would lose every digit of a probability near 1
            residual = right * wrong - (seen - right) * correct
            each = seen * r * r * correct * wrong
            first += residual * r
            second += residual * r * (bend - r * (wrong - correct)) - each
            information += each
            change += each * (2.0 * bend - r * (wrong - correct))
        out[n, 0], out[n, 1], out[n, 2], out[n, 3] = first, second, information, change
