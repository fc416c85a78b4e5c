"""What the M-step needs of logistic items in one dimension: sums over the nodes, and the maximum of these sums.

The general form, and the one tests compare with, is ``LogisticModel.derivatives`` and ``log_probabilities``; here the
arrays between its steps stay in the processor's first cache, and their loops are such that a compiler can vectorise.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row, log1p_row, log_row, logistic, prior_terms

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}
# rows of work space an item needs
_WORK = 6
_HALVINGS = 30


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _curves(a, e, nodes, work, bits, scale):  # type: ignore[no-untyped-def]
    """exp(-|z|), the logistic of z and that of -z at the nodes into rows 1, 2 and 3 of `work`."""
    negative, t, right, wrong = work[0], work[1], work[2], work[3]
    for q in range(nodes.shape[0]):
        negative[q] = -abs(a * nodes[q] + e)
    exp_row(negative, t, bits, scale)
    for q in range(nodes.shape[0]):
        large = 1.0 / (1.0 + t[q])
        small = t[q] * large
        rising = a * nodes[q] + e >= 0.0
        right[q] = large if rising else small
        wrong[q] = small if rising else large


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _expected_log(sign, floor, span, z_slope, z_shift, nodes, chance, counts, work, bits, mantissa):  # type: ignore[no-untyped-def]
    """sum_q counts[q] log(floor + span * chance[q]), with chance the logistic of sign * z; after :func:`_curves`."""
    logs, total = work[4], 0.0
    if floor > 0.0:
        probability = work[0]
        for q in range(nodes.shape[0]):
            probability[q] = floor + span * chance[q]
        log_row(probability, logs, bits, mantissa)
        for q in range(nodes.shape[0]):
            total += counts[q] * logs[q]
        return total
    log1p_row(work[1], logs)
    log_span = np.log(span)
    for q in range(nodes.shape[0]):
        total += counts[q] * (log_span + min(sign * (z_slope * nodes[q] + z_shift), 0.0) - logs[q])
    return total


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _objective(slots, nodes, counts, work, bits, scale):  # type: ignore[no-untyped-def]
    """The item's expected log-likelihood, -inf where d <= c; leaves its curves in `work`."""
    a, e = slots[0], slots[1]
    c, d, above = logistic(slots[2]), logistic(slots[3]), logistic(-slots[3])
    if not d > c:
        return -np.inf
    _curves(a, e, nodes, work, bits, scale)
    total = 0.0
    # one call in a loop and not two: the compiler copies what it calls
    for k in range(2):
        sign, floor = (1.0, c) if k == 1 else (-1.0, above)
        total += _expected_log(sign, floor, d - c, a, e, nodes, work[3 - k], counts[k], work, bits, scale)
    return total


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _ratios(floor, span, limit, chance, out):  # type: ignore[no-untyped-def]
    """chance / (floor + span * chance), which stays finite where both reach 0."""
    if floor > 0.0:
        for q in range(out.shape[0]):
            out[q] = chance[q] / (floor + span * chance[q])
    else:
        for q in range(out.shape[0]):
            out[q] = limit


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _derivatives(slots, nodes, counts, work, score, bend):  # type: ignore[no-untyped-def]
    """Gradient (4) and expected information (4, 4; upper half) of an item whose curves are in `work`."""
    size = nodes.shape[0]
    c, d, above = logistic(slots[2]), logistic(slots[3]), logistic(-slots[3])
    spread_c, spread_d, span = c * logistic(-slots[2]), d * above, d - c
    right, wrong, up, down = work[2], work[3], work[4], work[5]
    _ratios(c, span, 1.0 / d, right, up)
    _ratios(above, span, 1.0 / (1.0 - c), wrong, down)
    for s in range(4):
        score[s] = 0.0
        for u in range(4):
            bend[s, u] = 0.0
    g0, g1, b00, b01, b11 = 0.0, 0.0, 0.0, 0.0, 0.0
    for q in range(size):
        correct, incorrect = c + span * right[q], above + span * wrong[q]
        rho_z = span * up[q] * down[q]
        pull = (counts[1, q] * incorrect - counts[0, q] * correct) * rho_z
        slope = (counts[0, q] + counts[1, q]) * correct * incorrect * rho_z * rho_z
        g0 += pull * nodes[q]
        g1 += pull
        b00 += slope * nodes[q] * nodes[q]
        b01 += slope * nodes[q]
        b11 += slope
    score[0], score[1], bend[0, 0], bend[0, 1], bend[1, 1] = g0, g1, b00, b01, b11
    if c > 0.0:
        g2, b02, b12, b22 = 0.0, 0.0, 0.0, 0.0
        for q in range(size):
            correct, incorrect = c + span * right[q], above + span * wrong[q]
            rho_z, rho_c = span * up[q] * down[q], spread_c * down[q] / correct
            weight = (counts[0, q] + counts[1, q]) * correct * incorrect * rho_c
            g2 += (counts[1, q] * incorrect - counts[0, q] * correct) * rho_c
            b02 += weight * rho_z * nodes[q]
            b12 += weight * rho_z
            b22 += weight * rho_c
        score[2], bend[0, 2], bend[1, 2], bend[2, 2] = g2, b02, b12, b22
    if above > 0.0:
        g3, b03, b13, b23, b33 = 0.0, 0.0, 0.0, 0.0, 0.0
        for q in range(size):
            correct, incorrect = c + span * right[q], above + span * wrong[q]
            rho_z, rho_d = span * up[q] * down[q], spread_d * up[q] / incorrect
            weight = (counts[0, q] + counts[1, q]) * correct * incorrect * rho_d
            g3 += (counts[1, q] * incorrect - counts[0, q] * correct) * rho_d
            b03 += weight * rho_z * nodes[q]
            b13 += weight * rho_z
            b23 += weight * spread_c * down[q] / correct if c > 0.0 else 0.0
            b33 += weight * rho_d
        score[3], bend[0, 3], bend[1, 3], bend[2, 3], bend[3, 3] = g3, b03, b13, b23, b33


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
    work, bits = np.empty((_WORK, nodes.shape[0])), np.empty(nodes.shape[0], np.int64)
    scale = bits.view(np.float64)
    for j in range(values.shape[0]):
        objective[j] = _objective(values[j], nodes, counts[j], work, bits, scale)


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
    work, bits = np.empty((_WORK, nodes.shape[0])), np.empty(nodes.shape[0], np.int64)
    scale = bits.view(np.float64)
    for j in range(values.shape[0]):
        _curves(values[j, 0], values[j, 1], nodes, work, bits, scale)
        _derivatives(values[j], nodes, counts[j], work, gradient[j], information[j])
        for s in range(4):
            for u in range(s):
                information[j, s, u] = information[j, u, s]


@njit(cache=True, error_model="numpy", nogil=True)
def _log_prior(slots, priors):  # type: ignore[no-untyped-def]
    """Sum of the log-prior densities of an item's slots."""
    total = 0.0
    for s in range(4):
        total += prior_terms(priors[s], slots[s])[0]
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _newton_step(slots, free, priors, score, bend, step):  # type: ignore[no-untyped-def]
    """Solve (information + priors' curvature) step = gradient for the free slots; returns the longest component."""
    for s in range(4):
        step[s] = 0.0
        if not free[s]:
            continue
        _, pull, curvature = prior_terms(priors[s], slots[s])
        step[s] = score[s] + pull
        bend[s, s] += max(-curvature, 0.0)
        # a tiny ridge keeps an item whose information vanished (a far, flat curve) from making the solve singular
        bend[s, s] += 1e-9 * (1.0 + bend[s, s])
    # Gauss's elimination of a symmetric, positive definite matrix, of which the upper half is used
    for s in range(4):
        if free[s]:
            for u in range(s + 1, 4):
                if free[u]:
                    share = bend[s, u] / bend[s, s]
                    step[u] -= share * step[s]
                    for v in range(u, 4):
                        bend[u, v] -= share * bend[s, v]
    longest = 0.0
    for s in range(3, -1, -1):
        if free[s]:
            for u in range(s + 1, 4):
                if free[u]:
                    step[s] -= bend[s, u] * step[u]
            step[s] /= bend[s, s]
            longest = max(longest, abs(step[s]))
    return longest


@njit(cache=True, error_model="numpy", nogil=True)
def maximise_items(values, free, priors, longest, nodes, counts, steps):  # type: ignore[no-untyped-def]
    """Fisher scoring on every item for itself.

    Parameters
    ----------
    values : ndarray, shape (J, 4)
        Slope, intercept, logit c, logit d; overwritten with a point that is at least as good.
    free : ndarray of bool, shape (J, 4)
        Which of them may move.
    priors : ndarray, shape (J, 4, 3)
        For :func:`prior_terms`, slot by slot.
    longest : float
        The longest step of a parameter.
    nodes, counts
        As in :func:`item_objectives`.
    steps : int
        Steps at most.
    """
    work, bits = np.empty((_WORK, nodes.shape[0])), np.empty(nodes.shape[0], np.int64)
    scale = bits.view(np.float64)
    score, bend, step, trial = np.empty(4), np.empty((4, 4)), np.empty(4), np.empty(4)
    for j in range(values.shape[0]):
        slots = values[j]
        for s in range(4):
            trial[s], step[s] = slots[s], 0.0
        value, slack, share, length, first_length = -np.inf, 0.0, 1.0, 0.0, 0.0
        taken, halved = 0, 0
        while halved < _HALVINGS:
            reached = _objective(trial, nodes, counts[j], work, bits, scale) + _log_prior(trial, priors[j])
            if reached >= value - slack:
                for s in range(4):
                    slots[s] = trial[s]
                value = reached
                length *= share
                first_length = max(first_length, length)
                if taken == steps or (taken > 0 and (length <= 1e-2 * first_length or length == 0.0)):
                    break
                _derivatives(slots, nodes, counts[j], work, score, bend)
                length = _newton_step(slots, free[j], priors[j], score, bend, step)
                share = min(1.0, longest / max(length, 1e-300))
                slack = 1e-12 * (1.0 + abs(value))
                taken, halved = taken + 1, 0
            else:
                share *= 0.5
                halved += 1
            for s in range(4):
                trial[s] = slots[s] + share * step[s] if free[j, s] else slots[s]
