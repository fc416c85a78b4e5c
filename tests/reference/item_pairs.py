"""LD-X2 and tetrachoric correlations of one pair in plain loops, from the definitions.

Responses are 1, 0 or None for missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

Response = int | None


def counts(x: Sequence[Response], y: Sequence[Response]) -> dict[tuple[int, int], float]:
    """2 x 2 table of the subjects who answered both."""
    table = dict.fromkeys(((1, 1), (1, 0), (0, 1), (0, 0)), 0.0)
    for a, b in zip(x, y, strict=True):
        if a is not None and b is not None:
            table[a, b] += 1.0
    return table


def gamma(table: dict[tuple[int, int], float]) -> float:
    """Goodman and Kruskal's gamma."""
    same, other = table[1, 1] * table[0, 0], table[1, 0] * table[0, 1]
    return (same - other) / (same + other)


def ld_x2(
    x: Sequence[Response], y: Sequence[Response], p: Sequence[float], r: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Signed X2 and signed Cramer's V; p and r are the items' probabilities at the nodes."""
    observed = counts(x, y)
    n = sum(observed.values())
    expected = {}
    for a, b in observed:
        expected[a, b] = n * sum(
            w * (p[q] if a else 1.0 - p[q]) * (r[q] if b else 1.0 - r[q]) for q, w in enumerate(weights)
        )
    x2 = sum((observed[cell] - expected[cell]) ** 2 / expected[cell] for cell in observed)
    sign = -1.0 if gamma(observed) < gamma(expected) else 1.0
    return sign * x2, sign * math.sqrt(x2 / n)


def both_above(s: float, t: float, rho: float) -> float:
    """P(X > s, Y > t) of standard normals, by integrating the conditional probability over X."""
    scale = math.sqrt(2.0 * (1.0 - rho) * (1.0 + rho))

    def density(x: float) -> float:
        return math.exp(-0.5 * x * x) * math.erfc((t - rho * x) / scale)

    total = quad(density, s, max(s, 0.0) + 9.0, epsabs=1e-14, limit=400)[0]
    return float(total) / (2.0 * math.sqrt(2.0 * math.pi))


def tetrachoric(x: Sequence[Response], y: Sequence[Response]) -> float:
    """The correlation that maximises the likelihood of the 2 x 2 table, thresholds from each item's own responses."""
    table = counts(x, y)
    above = []
    for item in (x, y):
        seen = [response for response in item if response is not None]
        above.append(sum(seen) / len(seen))
    s, t = (float(norm.isf(share)) for share in above)

    def misfit(rho: float) -> float:
        p11 = both_above(s, t, rho)
        cells = {(1, 1): p11, (1, 0): above[0] - p11, (0, 1): above[1] - p11, (0, 0): 1.0 - above[0] - above[1] + p11}
        return -sum(n * math.log(max(cells[cell], 1e-300)) for cell, n in table.items() if n)

    return float(minimize_scalar(misfit, bounds=(-0.9999, 0.9999), method="bounded", options={"xatol": 1e-9}).x)


def ld_g2(
    x: Sequence[Response], y: Sequence[Response], p: Sequence[float], r: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Signed G2 and signed Cramer's V; p and r are the items' probabilities at the nodes."""
    observed = counts(x, y)
    n = sum(observed.values())
    total, expected = 0.0, {}
    for a, b in observed:
        expected[a, b] = n * sum(
            w * (p[q] if a else 1.0 - p[q]) * (r[q] if b else 1.0 - r[q]) for q, w in enumerate(weights)
        )
        if observed[a, b] > 0.0:
            total += 2.0 * observed[a, b] * math.log(observed[a, b] / expected[a, b])
    sign = -1.0 if gamma(observed) < gamma(expected) else 1.0
    return sign * total, sign * math.sqrt(total / n)


def eap(row: Sequence[Response], slopes: Sequence[float], intercepts: Sequence[float], nodes: Sequence[float]) -> float:
    """Posterior mean of ability under N(0, 1), answers by the 2PL."""
    above = below = 0.0
    for node in nodes:
        weight = math.exp(-0.5 * node * node)
        for answer, a, d in zip(row, slopes, intercepts, strict=True):
            if answer is not None:
                p = 1.0 / (1.0 + math.exp(-(a * node + d)))
                weight *= p if answer else 1.0 - p
        above += weight * node
        below += weight
    return above / below


def q3(one: Sequence[float | None], other: Sequence[float | None], weights: Sequence[float]) -> float:
    """Weighted correlation of two items' residuals over the subjects who have both."""
    rows = [(x, y, w) for x, y, w in zip(one, other, weights, strict=True) if x is not None and y is not None]
    n = sum(w for _, _, w in rows)
    mean_x, mean_y = sum(w * x for x, _, w in rows) / n, sum(w * y for _, y, w in rows) / n
    xy = sum(w * (x - mean_x) * (y - mean_y) for x, y, w in rows)
    xx, yy = sum(w * (x - mean_x) ** 2 for x, _, w in rows), sum(w * (y - mean_y) ** 2 for _, y, w in rows)
    return xy / math.sqrt(xx * yy)
