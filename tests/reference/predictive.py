"""Log predictive density of held-out responses, subject by subject and node by node."""

from __future__ import annotations

import math

import numpy as np


def predictive(
    rows: np.ndarray, held: np.ndarray, a: np.ndarray, intercept: np.ndarray, nodes: np.ndarray, weights: np.ndarray
) -> list[float]:
    """Sum over each subject's held-out responses; 2PL items."""
    out = []
    for row, hidden in zip(rows, held, strict=True):
        posterior = []
        for node, weight in zip(nodes, weights, strict=True):
            term = weight
            for j, answer in enumerate(row):
                p = 1.0 / (1.0 + math.exp(-(a[j] * node + intercept[j])))
                if answer >= 0 and not hidden[j]:
                    term *= p if answer == 1 else 1.0 - p
            posterior.append(term)
        total = sum(posterior)
        said = 0.0
        for j, answer in enumerate(row):
            if answer >= 0 and hidden[j]:
                chances = [1.0 / (1.0 + math.exp(-(a[j] * node + intercept[j]))) for node in nodes]
                p = sum(w * chance for w, chance in zip(posterior, chances, strict=True))
                said += math.log(p / total if answer == 1 else 1.0 - p / total)
        out.append(said)
    return out
