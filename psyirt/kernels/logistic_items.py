"""What the M-step needs of logistic items in one dimension, in one pass over the nodes.

The general form, and the one tests compare with, is ``LogisticModel.derivatives`` and ``log_probabilities``; here the
arrays between its steps are never made.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "0d54dfae392f"


@njit(cache=True, error_model="numpy", nogil=True)
def _logistic(x):  # type: ignore[no-untyped-def]
    """1 / (1 + exp(-x)), exact at +-inf."""
    if x >= 0.0:
        return 1.0 / (1.0 + np.exp(-x))
    t = np.exp(x)
    return t / (1.0 + t)


@njit(cache=True, error_model="numpy", nogil=True)
def item_objectives(values, nodes, counts, objective):  # type: ignore[no-untyped-def]
    """Expected complete-data log-likelihood of each item.

    Parameters
    ----------
    values : ndarray, shape (J, 4)
        Slope, intercept, logit c, logit d.
    nodes : ndarray, shape (Q,)
        Abilities.
    counts : ndarray, shape (J, 2, Q)
        Expected wrong and correct answers at the nodes.
    objective : ndarray, shape (J,)
        Filled: sum_kq counts[j, k, q] log P_jk(theta_q); -inf where d <= c.
    """
    size = nodes.shape[0]
    negative, t = np.empty(size), np.empty(size)
    bits = np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for j in range(values.shape[0]):
        a, e = values[j, 0], values[j, 1]
        c, d, above = _logistic(values[j, 2]), _logistic(values[j, 3]), _logistic(-values[j, 3])
        if d <= c:
            objective[j] = -np.inf
            continue
        plain = c == 0.0 and above == 0.0
        log_range = np.log(d - c)
        for q in range(size):
            negative[q] = -abs(a * nodes[q] + e)
        exp_row(negative, t, bits, scale)
        total = 0.0
        for q in range(size):
            z = a * nodes[q] + e
            log_right = min(z, 0.0) - np.log1p(t[q])
            log_wrong = log_right - z
            if not plain:
                right = 1.0 / (1.0 + t[q]) if z >= 0.0 else t[q] / (1.0 + t[q])
                wrong = t[q] / (1.0 + t[q]) if z >= 0.0 else 1.0 / (1.0 + t[q])
                log_right = np.log(c + (d - c) * right) if c > 0.0 else log_range + log_right
                log_wrong = np.log(above + (d - c) * wrong) if above > 0.0 else log_range + log_wrong
            if counts[j, 1, q] > 0.0:
                total += counts[j, 1, q] * log_right
            if counts[j, 0, q] > 0.0:
                total += counts[j, 0, q] * log_wrong
        objective[j] = total


@njit(cache=True, error_model="numpy", nogil=True)
def item_derivatives(values, nodes, counts, gradient, information):  # type: ignore[no-untyped-def]
    """Gradient and Fisher information of each item's expected complete-data log-likelihood.

    Parameters
    ----------
    values, nodes, counts
        As in :func:`item_objectives`; c < d.
    gradient : ndarray, shape (J, 4)
        Filled.
    information : ndarray, shape (J, 4, 4)
        Filled: expected information; 0 in the rows of asymptotes that are exactly 0 or 1.
    """
    size = nodes.shape[0]
    negative, t = np.empty(size), np.empty(size)
    bits = np.empty(size, np.int64)
    scale = bits.view(np.float64)
    score, bend = np.empty(4), np.empty((4, 4))
    for j in range(values.shape[0]):
        a, e = values[j, 0], values[j, 1]
        c, d, above = _logistic(values[j, 2]), _logistic(values[j, 3]), _logistic(-values[j, 3])
        spread_c, spread_d = c * _logistic(-values[j, 2]), d * above
        for q in range(size):
            negative[q] = -abs(a * nodes[q] + e)
        exp_row(negative, t, bits, scale)
        score[:] = 0.0
        bend[:] = 0.0
        for q in range(size):
            theta = nodes[q]
            rising = a * theta + e >= 0.0
            large, small = 1.0 / (1.0 + t[q]), t[q] / (1.0 + t[q])
            right = large if rising else small
            wrong = small if rising else large
            correct, incorrect = c + (d - c) * right, above + (d - c) * wrong
            # right / correct and wrong / incorrect stay finite where both reach 0
            ratio_right = right / correct if c > 0.0 else 1.0 / d
            ratio_wrong = wrong / incorrect if above > 0.0 else 1.0 / (1.0 - c)
            rho_z = (d - c) * ratio_right * ratio_wrong
            rho_c = spread_c * ratio_wrong / correct if c > 0.0 else 0.0
            rho_d = spread_d * ratio_right / incorrect if above > 0.0 else 0.0
            residual = counts[j, 1, q] * incorrect - counts[j, 0, q] * correct
            weight = (counts[j, 0, q] + counts[j, 1, q]) * correct * incorrect
            score[0] += residual * rho_z * theta
            score[1] += residual * rho_z
            score[2] += residual * rho_c
            score[3] += residual * rho_d
            slope = weight * rho_z * rho_z
            bend[0, 0] += slope * theta * theta
            bend[0, 1] += slope * theta
            bend[1, 1] += slope
            bend[0, 2] += weight * rho_z * rho_c * theta
            bend[1, 2] += weight * rho_z * rho_c
            bend[2, 2] += weight * rho_c * rho_c
            bend[0, 3] += weight * rho_z * rho_d * theta
            bend[1, 3] += weight * rho_z * rho_d
            bend[2, 3] += weight * rho_c * rho_d
            bend[3, 3] += weight * rho_d * rho_d
        for s in range(4):
            gradient[j, s] = score[s]
            for u in range(4):
                information[j, s, u] = bend[min(s, u), max(s, u)]
