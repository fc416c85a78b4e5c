"""The E-step where a sum score is sufficient: complete answers and logits that are linear in ability.

With log P(1) - log P(0) = a_j theta + e_j and no missing answer, a subject's posterior depends on the answers through
s = sum_j a_j y_j alone. Posterior weights are smooth in s, so they are computed at equally spaced scores and
interpolated; where there are fewer subjects than such scores, the subjects' own scores take their place. Either way a
subject costs one table look-up per eight items. The general form, and the one tests compare with, is
``expectation.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row, largest, log1p_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}

# points of the interpolation polynomial
POINTS = 8


@njit(cache=True, error_model="numpy", nogil=True)
def pack_bits(codes, packed):  # type: ignore[no-untyped-def]
    """Eight 0/1 answers to a byte.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        0 or 1.
    packed : ndarray of uint8, shape (R, ceil(J / 8))
        Filled; item j is bit j % 8 of byte j // 8.
    """
    items = codes.shape[1]
    for r in range(codes.shape[0]):
        row = codes[r]
        for g in range(packed.shape[1]):
            byte = 0
            for k in range(min(8, items - 8 * g)):
                byte |= row[8 * g + k] << k
            packed[r, g] = byte


@njit(cache=True, error_model="numpy", nogil=True)
def byte_sums(slopes, table):  # type: ignore[no-untyped-def]
    """table[g, byte] = sum of the slopes of the items whose bits are set; shapes (J,) and (G, 256), filled."""
    for g in range(table.shape[0]):
        table[g, 0] = 0.0
        filled = 1
        for k in range(8):
            j = 8 * g + k
            slope = slopes[j] if j < slopes.shape[0] else 0.0
            for row in range(filled):
                table[g, filled + row] = table[g, row] + slope
            filled *= 2


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def scores_of(packed, table, scores):  # type: ignore[no-untyped-def]
    """scores[r] = sum_g table[g, packed[r, g]]; shapes (R, G), (G, 256), (R,), filled."""
    for r in range(packed.shape[0]):
        total = 0.0
        for g in range(packed.shape[1]):
            total += table[g, packed[r, g]]
        scores[r] = total


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def all_wrong(slopes, intercepts, nodes, out):  # type: ignore[no-untyped-def]
    """Log-probability that every answer is wrong at the nodes.

    Parameters
    ----------
    slopes, intercepts : ndarray, shape (J,)
        Of the logits.
    nodes : ndarray, shape (Q,)
        Abilities.
    out : ndarray, shape (Q,)
        Filled: -sum_j log(1 + exp(slopes[j] nodes[q] + intercepts[j])).
    """
    size = nodes.shape[0]
    negative, t, logs = np.empty(size), np.empty(size), np.empty(size)
    bits = np.empty(size, np.int64)
    scale = bits.view(np.float64)
    out[:] = 0.0
    for j in range(slopes.shape[0]):
        for q in range(size):
            negative[q] = -abs(slopes[j] * nodes[q] + intercepts[j])
        exp_row(negative, t, bits, scale)
        log1p_row(t, logs)
        for q in range(size):
            out[q] -= max(slopes[j] * nodes[q] + intercepts[j], 0.0) + logs[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def score_posteriors(points, nodes, log_weights, log_normaliser, means, widths, posterior):  # type: ignore[no-untyped-def]
    """Posterior weights of the nodes at given scores.

    Parameters
    ----------
    points : ndarray, shape (M,)
        Scores s.
    nodes : ndarray, shape (Q,)
        Abilities.
    log_weights : ndarray, shape (Q,)
        Log population weight plus sum_j log P_j(0) at the node.
    log_normaliser : ndarray, shape (M,)
        Filled: log sum_q exp(log_weights[q] + s nodes[q]).
    means, widths : ndarray, shape (M,)
        Filled: posterior means and standard deviations.
    posterior : ndarray, shape (M, Q)
        Filled; rows sum to 1.
    """
    size = nodes.shape[0]
    below, bits = np.empty(size), np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for m in range(points.shape[0]):
        row = posterior[m]
        s = points[m]
        for q in range(size):
            below[q] = log_weights[q] + s * nodes[q]
        top = largest(below)
        for q in range(size):
            below[q] -= top
        exp_row(below, row, bits, scale)
        total = 0.0
        moment = 0.0
        square = 0.0
        for q in range(size):
            total += row[q]
            moment += row[q] * nodes[q]
            square += row[q] * nodes[q] * nodes[q]
        share = 1.0 / total
        for q in range(size):
            row[q] *= share
        log_normaliser[m] = top + np.log(total)
        means[m] = moment / total
        widths[m] = np.sqrt(max(square / total - means[m] * means[m], 0.0))


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def interpolated_moments(packed, weights, scores, start, spacing, means, point_weights, moments):  # type: ignore[no-untyped-def]
    """Spread subjects over neighbouring points, and sum their posterior means by answers.

    Lagrange interpolation on POINTS equally spaced points around each score.

    Parameters
    ----------
    packed : ndarray of uint8, shape (R, G)
        From :func:`pack_bits`.
    weights, scores : ndarray, shape (R,)
        Subject weights, scores.
    start, spacing : float
        Point m stands at start + m * spacing; every score has three points below it and four above, or the reverse.
    means : ndarray, shape (M,)
        Posterior means at the points.
    point_weights : ndarray, shape (M,)
        Added to: how many subjects each point stands for, so that sum_r w_r f(s_r) = sum_m point_weights[m] f(s_m).
    moments : ndarray, shape (G, 256)
        Added to: weighted posterior means of the subjects with each byte.
    """
    for r in range(packed.shape[0]):
        position = (scores[r] - start) / spacing
        first = int(position) - (POINTS // 2 - 1)
        t = position - first
        # products of (t - m) over the points before and after k give each Lagrange weight without a division by zero
        weight = weights[r]
        t0, t1, t2, t3 = t, t - 1.0, t - 2.0, t - 3.0
        t4, t5, t6, t7 = t - 4.0, t - 5.0, t - 6.0, t - 7.0
        low2, low3 = t0 * t1, t0 * t1 * t2
        low4 = low3 * t3
        high5, high4 = t7 * t6, t7 * t6 * t5
        high3 = high4 * t4
        l0 = t1 * t2 * t3 * high3 * (-1.0 / 5040.0)
        l1 = t0 * t2 * t3 * high3 * (1.0 / 720.0)
        l2 = low2 * t3 * high3 * (-1.0 / 240.0)
        l3 = low3 * high3 * (1.0 / 144.0)
        l4 = low4 * high4 * (-1.0 / 144.0)
        l5 = low4 * t4 * high5 * (1.0 / 240.0)
        l6 = low4 * t4 * t5 * t7 * (-1.0 / 720.0)
        l7 = low4 * t4 * t5 * t6 * (1.0 / 5040.0)
        point_weights[first] += weight * l0
        point_weights[first + 1] += weight * l1
        point_weights[first + 2] += weight * l2
        point_weights[first + 3] += weight * l3
        point_weights[first + 4] += weight * l4
        point_weights[first + 5] += weight * l5
        point_weights[first + 6] += weight * l6
        point_weights[first + 7] += weight * l7
        mean = (
            l0 * means[first] + l1 * means[first + 1] + l2 * means[first + 2] + l3 * means[first + 3]
            + l4 * means[first + 4] + l5 * means[first + 5] + l6 * means[first + 6] + l7 * means[first + 7]
        )  # fmt: skip
        share = weight * mean
        for g in range(packed.shape[1]):
            moments[g, packed[r, g]] += share


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def byte_totals(packed, values, totals):  # type: ignore[no-untyped-def]
    """totals[g, byte] += the values of the rows with that byte; shapes (R, G), (R,), (G, 256)."""
    for r in range(packed.shape[0]):
        for g in range(packed.shape[1]):
            totals[g, packed[r, g]] += values[r]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def item_totals(totals, items):  # type: ignore[no-untyped-def]
    """Sum byte totals, shape (G, 256), over the bytes in which an item's bit is set; filled, shape (J,)."""
    folded = np.empty(256)
    for g in range(totals.shape[0]):
        for byte in range(256):
            folded[byte] = totals[g, byte]
        half = 256
        # from the highest bit down: what stands in the upper half has it, and is then added to the lower half
        for bit in range(7, -1, -1):
            half //= 2
            lower, upper = folded[:half], folded[half : 2 * half]
            total = 0.0
            for byte in range(half):
                total += upper[byte]
                lower[byte] += upper[byte]
            if 8 * g + bit < items.shape[0]:
                items[8 * g + bit] = total


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def mixed_rows(weights, rows, out):  # type: ignore[no-untyped-def]
    """out[q] = sum_m weights[m] rows[m, q]; shapes (M,), (M, Q), (Q,), filled."""
    out[:] = 0.0
    for m in range(rows.shape[0]):
        row, weight = rows[m], weights[m]
        for q in range(out.shape[0]):
            out[q] += weight * row[q]
