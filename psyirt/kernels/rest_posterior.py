"""Ability given all answers but one, and what it says of that one: the cells of item fit with missing responses."""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def log_joint(codes, table, log_weights, out):  # type: ignore[no-untyped-def]
    """out[r, q] = log_weights[q] + sum of table[j, codes[r, j], q] over the answered items.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        Categories; negative = missing.
    table : ndarray, shape (J, C, Q)
        Log-probabilities.
    log_weights : ndarray, shape (Q,)
        Log population weights.
    out : ndarray, shape (R, Q)
        Filled.
    """
    nodes = log_weights.shape[0]
    for r in range(codes.shape[0]):
        row = out[r]
        for q in range(nodes):
            row[q] = log_weights[q]
        for j in range(codes.shape[1]):
            k = codes[r, j]
            if k >= 0:
                line = table[j, k]
                for q in range(nodes):
                    row[q] += line[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def rest_answers(answers, joint, logs, right, nodes, slopes, ability, chance, change):  # type: ignore[no-untyped-def]
    """Moments of each pattern's posterior without one item, and that item's predicted answer.

    The item's own factor is taken out in logs, so that no division by a vanishing probability occurs.

    Parameters
    ----------
    answers : ndarray of int8, shape (R,)
        The item's answers: 1, 0, negative = missing (such rows are left as they are).
    joint : ndarray, shape (R, Q)
        As :func:`log_joint` fills it, the item included.
    logs : ndarray, shape (2, Q)
        The item's log-probabilities.
    right : ndarray, shape (Q,)
        Its probability of a correct answer.
    nodes : ndarray, shape (Q,)
        Abilities.
    slopes : ndarray, shape (M, Q)
        Derivatives of `right` in M parameters.
    ability, chance : ndarray, shape (R,)
        Filled: posterior means of ability and of `right`, given the other answers.
    change : ndarray, shape (R, M)
        Filled: posterior means of `slopes`.
    """
    count = nodes.shape[0]
    below, row = np.empty(count), np.empty(count)
    bits = np.empty(count, np.int64)
    scale = bits.view(np.float64)
    for r in range(answers.shape[0]):
        k = answers[r]
        if k < 0:
            continue
        whole, own = joint[r], logs[k]
        top = -np.inf
        for q in range(count):
            below[q] = whole[q] - own[q]
            if below[q] > top:
                top = below[q]
        for q in range(count):
            below[q] -= top
        exp_row(below, row, bits, scale)
        total, mean, expected = 0.0, 0.0, 0.0
        for q in range(count):
            total += row[q]
            mean += row[q] * nodes[q]
            expected += row[q] * right[q]
        ability[r] = mean / total
        chance[r] = expected / total
        for m in range(slopes.shape[0]):
            line = slopes[m]
            moved = 0.0
            for q in range(count):
                moved += row[q] * line[q]
            change[r, m] = moved / total
