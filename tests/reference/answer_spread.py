"""Sums over subjects the slow, obvious way, and polynomials through points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def sum_score(answers: Sequence[int], slopes: Sequence[float]) -> float:
    """Sum of the slopes of the items that were answered right."""
    total = 0.0
    for answer, slope in zip(answers, slopes, strict=True):
        if answer == 1:
            total += slope
    return total


def interpolate(t: float, values: Sequence[float]) -> float:
    """Value at t of the polynomial through (0, values[0]), (1, values[1]), ..., by Neville's scheme."""
    table = list(values)
    for width in range(1, len(values)):
        for k in range(len(values) - width):
            table[k] = ((t - k - width) * table[k] + (k - t) * table[k + 1]) / -width
    return table[0]


def weighted_sums(
    rows: Sequence[Sequence[int]],
    weights: Sequence[float],
    scores: Sequence[float],
    function: Callable[[float], float],
) -> tuple[float, np.ndarray]:
    """Sum of weight * f(score) over subjects, and over those who answered an item right, for each item."""
    total, by_item = 0.0, np.zeros(len(rows[0]))
    for row, weight, score in zip(rows, weights, scores, strict=True):
        total += weight * function(score)
        for j, answer in enumerate(row):
            if answer == 1:
                by_item[j] += weight * function(score)
    return total, by_item
