"""Answers of all subjects on a few scores: where what is summed over subjects is smooth in a sum score.

For complete answers to items with linear logits the posterior depends on s = sum_j a_j y_j alone. Any sum over
subjects of y_j f(s) then equals a sum over equally spaced scores, given the answers that each of those stands for
(Lagrange interpolation, transposed).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "arcp", "nsz"}

# points of the interpolation polynomial
SPREAD_POINTS = 8


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def answer_scores(codes, slopes, scores):  # type: ignore[no-untyped-def]
    """scores[r] = sum_j slopes[j] codes[r, j]; shapes (R, J), (J,), (R,), filled."""
    for r in range(codes.shape[0]):
        row = codes[r]
        total = 0.0
        for j in range(slopes.shape[0]):
            total += slopes[j] * row[j]
        scores[r] = total


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def lagrange_weights(t, out):  # type: ignore[no-untyped-def]
    """Weights of the points 0, 1, ..., SPREAD_POINTS - 1 in the value at t of the polynomial through them; filled."""
    count = out.shape[0]
    for k in range(count):
        weight = 1.0
        for m in range(count):
            if m != k:
                weight *= (t - m) / (k - m)
        out[k] = weight


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def spread_answers(codes, weights, scores, start, spacing, values, at_scores, point_weights, answers):  # type: ignore[no-untyped-def]
    """Spread weighted subjects and their answers over the points around their scores.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        0 or 1.
    weights, scores : ndarray, shape (R,)
        Subject weights, scores.
    start, spacing : float
        Point m stands at start + m * spacing; every score has SPREAD_POINTS / 2 points on either side.
    values : ndarray, shape (M,)
        A function at the points.
    at_scores : ndarray, shape (R,)
        Filled: the function at the scores.
    point_weights : ndarray, shape (M,)
        Added to: sum_r weights[r] f(scores[r]) = sum_m point_weights[m] f(points[m]) for smooth f.
    answers : ndarray, shape (M, J)
        Added to: sum_r weights[r] codes[r, j] f(scores[r]) = sum_m answers[m, j] f(points[m]).
    """
    items = codes.shape[1]
    lagrange = np.empty(SPREAD_POINTS)
    row = np.empty(items)
    for r in range(codes.shape[0]):
        position = (scores[r] - start) / spacing
        first = int(position) - (SPREAD_POINTS // 2 - 1)
        lagrange_weights(position - first, lagrange)
        value = 0.0
        for k in range(SPREAD_POINTS):
            value += lagrange[k] * values[first + k]
        at_scores[r] = value
        code = codes[r]
        for j in range(items):
            row[j] = weights[r] * code[j]
        for k in range(SPREAD_POINTS):
            share = lagrange[k]
            point_weights[first + k] += share * weights[r]
            target = answers[first + k]
            for j in range(items):
                target[j] += share * row[j]
