"""Slow twins of the dimension criteria: plain loops, least squares, nothing of psyirt."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def average_partials(correlations: Sequence[Sequence[float]], power: int) -> list[float]:
    """Partial correlations of items given their first m principal components, by regression of standardised scores.

    Scores are made to have exactly these correlations; a partial correlation is that of two items' residuals.
    """
    matrix = np.array(correlations, dtype=float)
    items = len(matrix)
    # rows of a square root have the wanted inner products
    scores = np.linalg.cholesky(matrix)
    _, vectors = np.linalg.eigh(matrix)
    out = []
    for m in range(items - 1):
        components = [scores.T @ vectors[:, items - 1 - k] for k in range(m)]
        residuals = []
        for j in range(items):
            left = scores[j]
            if components:
                design = np.array(components).T
                left = left - design @ np.linalg.lstsq(design, left, rcond=None)[0]
            residuals.append(left)
        total = 0.0
        for i in range(items):
            for j in range(items):
                if i != j:
                    size = math.sqrt(float(residuals[i] @ residuals[i]) * float(residuals[j] @ residuals[j]))
                    total += abs(float(residuals[i] @ residuals[j]) / size) ** power
        out.append(total / (items * (items - 1)))
    return out


def kaiser_references(eigenvalues: Sequence[float], subjects: float) -> list[float]:
    """Braeken & van Assen (2017): l_m = max((J - sum of those before) / (J - m + 1) (1 + sqrt(J / N))^2, 1)."""
    items = len(eigenvalues)
    out = []
    for m in range(1, items + 1):
        left = items - sum(eigenvalues[: m - 1])
        out.append(max(left / (items - m + 1) * (1 + math.sqrt(items / subjects)) ** 2, 1.0))
    return out
