"""The M-step of items whose logit is linear in ability, from sufficient statistics.

An item's expected complete-data log-likelihood is a m + e r - sum_q n_q log(1 + exp(a theta_q + e)), with r the
number of correct answers, m their summed posterior means and n_q the expected number of subjects at a node. It is
concave, so Newton's method with halved steps finds its maximum. The general form, and the one tests compare with, is
``LogisticModel.derivatives`` on expected counts.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row, log1p_row, prior_terms

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _objective(a, e, nodes, right, moment, node_counts, negative, t, bits, scale):  # type: ignore[no-untyped-def]
    """The item's expected log-likelihood; leaves exp(-|z|) in `t`."""
    for q in range(nodes.shape[0]):
        negative[q] = -abs(a * nodes[q] + e)
    exp_row(negative, t, bits, scale)
    # `negative` has done its part, and lends its room to the logs
    logs = negative
    log1p_row(t, logs)
    total = 0.0
    for q in range(nodes.shape[0]):
        total += node_counts[q] * (max(a * nodes[q] + e, 0.0) + logs[q])
    return a * moment + e * right - total


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _derivatives(a, e, nodes, right, moment, node_counts, t, out):  # type: ignore[no-untyped-def]
    """Gradient (2) and information (3: aa, ae, ee) into `out`, with exp(-|z|) given."""
    g0, g1, b0, b1, b2 = moment, right, 0.0, 0.0, 0.0
    for q in range(nodes.shape[0]):
        large = 1.0 / (1.0 + t[q])
        small = t[q] * large
        p = large if a * nodes[q] + e >= 0.0 else small
        np_q = node_counts[q] * p
        bend = node_counts[q] * large * small
        g0 -= np_q * nodes[q]
        g1 -= np_q
        b0 += bend * nodes[q] * nodes[q]
        b1 += bend * nodes[q]
        b2 += bend
    out[0], out[1], out[2], out[3], out[4] = g0, g1, b0, b1, b2


@njit(cache=True, error_model="numpy", nogil=True)
def linear_objectives(values, nodes, right, moments, node_counts, objective):  # type: ignore[no-untyped-def]
    """Expected complete-data log-likelihood of each item.

    Parameters
    ----------
    values : ndarray, shape (J, 2 or more)
        Slope, intercept.
    nodes : ndarray, shape (Q,)
        Abilities.
    right, moments : ndarray, shape (J,)
        Correct answers, and the posterior means of those who gave them, summed.
    node_counts : ndarray, shape (Q,)
        Expected number of subjects at a node.
    objective : ndarray, shape (J,)
        Filled.
    """
    size = nodes.shape[0]
    negative, t = np.empty(size), np.empty(size)
    bits = np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for j in range(values.shape[0]):
        a, e = values[j, 0], values[j, 1]
        objective[j] = _objective(a, e, nodes, right[j], moments[j], node_counts, negative, t, bits, scale)


@njit(cache=True, error_model="numpy", nogil=True)
def linear_derivatives(values, nodes, right, moments, node_counts, gradient, information):  # type: ignore[no-untyped-def]
    """Gradient and information of :func:`linear_objectives`.

    Parameters
    ----------
    values, nodes, right, moments, node_counts
        As there.
    gradient : ndarray, shape (J, S)
        The first two columns are filled, the others set to 0.
    information : ndarray, shape (J, S, S)
        The same.
    """
    size = nodes.shape[0]
    negative, t, out = np.empty(size), np.empty(size), np.empty(5)
    bits = np.empty(size, np.int64)
    scale = bits.view(np.float64)
    gradient[:] = 0.0
    information[:] = 0.0
    for j in range(values.shape[0]):
        a, e = values[j, 0], values[j, 1]
        for q in range(size):
            negative[q] = -abs(a * nodes[q] + e)
        exp_row(negative, t, bits, scale)
        _derivatives(a, e, nodes, right[j], moments[j], node_counts, t, out)
        gradient[j, 0], gradient[j, 1] = out[0], out[1]
        information[j, 0, 0], information[j, 1, 1] = out[2], out[4]
        information[j, 0, 1] = information[j, 1, 0] = out[3]


@njit(cache=True, error_model="numpy", nogil=True)
def _add_prior(prior, x, out, gradient, information):  # type: ignore[no-untyped-def]
    """Add a prior's gradient, and its curvature where it bends downward, at their places in `out`."""
    _, pull, curvature = prior_terms(prior, x)
    out[gradient] += pull
    out[information] += max(-curvature, 0.0)


@njit(cache=True, error_model="numpy", nogil=True)
def maximise_linear(values, free, priors, longest, near, nodes, right, moments, node_counts, steps):  # type: ignore[no-untyped-def]
    """Newton's method on every item for itself.

    Parameters
    ----------
    values : ndarray, shape (J, 2 or more)
        Slope, intercept; overwritten with a point that is at least as good.
    free : ndarray of bool, shape (J, 2 or more)
        Which of them may move; only the first two are looked at.
    priors : ndarray, shape (J, 2 or more, 3)
        For :func:`prior_terms`, slot by slot.
    longest : float
        The longest step of a parameter.
    near : float
        A step this short is the last.
    nodes, right, moments, node_counts
        As in :func:`linear_objectives`.
    steps : int
        Newton steps at most.
    """
    size = nodes.shape[0]
    negative, t, out = np.empty(size), np.empty(size), np.empty(5)
    bits = np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for j in range(values.shape[0]):
        a, e = values[j, 0], values[j, 1]
        r, m, prior_a, prior_e = right[j], moments[j], priors[j, 0], priors[j, 1]
        value = _objective(a, e, nodes, r, m, node_counts, negative, t, bits, scale)
        value += prior_terms(prior_a, a)[0] + prior_terms(prior_e, e)[0]
        first_length = 0.0
        for _step in range(steps):
            _derivatives(a, e, nodes, r, m, node_counts, t, out)
            _add_prior(prior_a, a, out, 0, 2)
            _add_prior(prior_e, e, out, 1, 4)
            ridge_a, ridge_e = 1e-9 * (1.0 + out[2]), 1e-9 * (1.0 + out[4])
            if free[j, 0] and free[j, 1]:
                determinant = (out[2] + ridge_a) * (out[4] + ridge_e) - out[3] * out[3]
                move_a = ((out[4] + ridge_e) * out[0] - out[3] * out[1]) / determinant
                move_e = ((out[2] + ridge_a) * out[1] - out[3] * out[0]) / determinant
            else:
                move_a = out[0] / (out[2] + ridge_a) if free[j, 0] else 0.0
                move_e = out[1] / (out[4] + ridge_e) if free[j, 1] else 0.0
            length = max(abs(move_a), abs(move_e))
            share = min(1.0, longest / max(length, 1e-300))
            slack = 1e-12 * (1.0 + abs(value))
            moved = False
            for _ in range(30):
                new_a, new_e = a + share * move_a, e + share * move_e
                reached = _objective(new_a, new_e, nodes, r, m, node_counts, negative, t, bits, scale)
                reached += prior_terms(prior_a, new_a)[0] + prior_terms(prior_e, new_e)[0]
                if reached >= value - slack:
                    moved = True
                    break
                share *= 0.5
            if not moved:
                break
            a, e, value = new_a, new_e, reached
            length *= share
            first_length = max(first_length, length)
            if length <= 1e-2 * first_length or length <= near:
                break
        values[j, 0], values[j, 1] = a, e
