"""Classical item statistics in plain loops, from the definitions. Responses are 1, 0 or None for missing."""

from __future__ import annotations

import math
from collections.abc import Sequence

Matrix = Sequence[Sequence[int | None]]


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Pearson's."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    both = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return both / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


def item_total(responses: Matrix, item: int, *, without_item: bool) -> float:
    """Correlation with the mean of the subject's answered items, all or all others."""
    x, y = [], []
    for row in responses:
        others = [r for j, r in enumerate(row) if r is not None and not (without_item and j == item)]
        if row[item] is not None and others:
            x.append(float(row[item] or 0))
            y.append(sum(others) / len(others))
    return correlation(x, y)


def variance(x: Sequence[float]) -> float:
    """With n - 1."""
    mean = sum(x) / len(x)
    return sum((a - mean) ** 2 for a in x) / (len(x) - 1)


def alpha(responses: Matrix, dropped: int | None = None) -> float:
    """Cronbach's alpha of complete responses."""
    kept = [[float(r or 0) for j, r in enumerate(row) if j != dropped] for row in responses]
    items = len(kept[0])
    parts = sum(variance([row[j] for row in kept]) for j in range(items))
    return items / (items - 1) * (1.0 - parts / variance([sum(row) for row in kept]))
