"""Mantel-Haenszel DIF of one item in plain loops, from the definitions; answers are 1 and 0, groups 0 and 1 (focal)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def tables(
    answers: Sequence[int], groups: Sequence[int], scores: Sequence[float]
) -> list[tuple[float, float, float, float]]:
    """(reference right, reference wrong, focal right, focal wrong) at each score."""
    found = []
    for score in sorted(set(scores)):
        cells = {(g, y): 0.0 for g in (0, 1) for y in (0, 1)}
        for answer, group, own in zip(answers, groups, scores, strict=True):
            if own == score:
                cells[group, answer] += 1.0
        found.append((cells[0, 1], cells[0, 0], cells[1, 1], cells[1, 0]))
    return found


def mantel_haenszel(strata: Sequence[tuple[float, float, float, float]]) -> tuple[float, float, float]:
    """Chi-square with continuity correction, common odds ratio, standard error of its logarithm."""
    distance = variance = over = under = pr = psqr = qs = 0.0
    for a, b, c, d in strata:
        n = a + b + c + d
        if n < 2.0:
            continue
        distance += a - (a + b) * (a + c) / n
        variance += (a + b) * (c + d) * (a + c) * (b + d) / (n * n * (n - 1.0))
        p, q, r, s = (a + d) / n, (b + c) / n, a * d / n, b * c / n
        over, under = over + r, under + s
        pr, psqr, qs = pr + p * r, psqr + p * s + q * r, qs + q * s
    chi_square = max(abs(distance) - 0.5, 0.0) ** 2 / variance
    error = math.sqrt(pr / (2.0 * over**2) + psqr / (2.0 * over * under) + qs / (2.0 * under**2))
    return chi_square, over / under, error
