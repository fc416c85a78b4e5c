"""Scoring in plain loops, from the definitions: slow, obvious, and without anything from psyirt.

An item is (a, intercept, c, d); a response is 1, 0 or None for missing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

Item = tuple[float, float, float, float]
Pattern = Sequence[int | None]


def probability(item: Item, theta: float, response: int = 1) -> float:
    """c + (d - c) logistic(a theta + intercept), or what it leaves of 1 (not by subtraction, which rounds to 0)."""
    a, intercept, c, d = item
    z = (a * theta + intercept) * (1 if response else -1)
    logistic = 1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z))
    return (c if response else 1.0 - d) + (d - c) * logistic


def log_likelihood(items: Sequence[Item], pattern: Pattern, theta: float) -> float:
    """Sum over the answered items of the log-probability of the response."""
    total = 0.0
    for item, response in zip(items, pattern, strict=True):
        if response is not None:
            total += math.log(probability(item, theta, response))
    return total


def information(item: Item, theta: float, step: float = 1e-4) -> float:
    """P'^2 / (P (1 - P)), the derivative taken numerically."""
    share = probability(item, theta) * probability(item, theta, 0)
    slope = (probability(item, theta + step) - probability(item, theta - step)) / (2.0 * step)
    return slope**2 / share


def normal_density(theta: float, mean: float, sd: float) -> float:
    """Density of the normal distribution."""
    return math.exp(-0.5 * ((theta - mean) / sd) ** 2) / (sd * math.sqrt(2.0 * math.pi))


def eap(
    items: Sequence[Item], pattern: Pattern, nodes: Sequence[float], mean: float = 0.0, sd: float = 1.0
) -> tuple[float, float]:
    """Posterior mean and standard deviation over nodes."""
    weights = [math.exp(log_likelihood(items, pattern, x)) * normal_density(x, mean, sd) for x in nodes]
    total = sum(weights)
    centre = sum(w * x for w, x in zip(weights, nodes, strict=True)) / total
    spread = sum(w * (x - centre) ** 2 for w, x in zip(weights, nodes, strict=True)) / total
    return centre, math.sqrt(spread)


def highest_point(function: Callable[[float], float], low: float, high: float, count: int) -> float:
    """Where a function is highest: the best of many points, then a search between its neighbours."""
    step = (high - low) / (count - 1)
    best = max((low + k * step for k in range(count)), key=function)
    found = minimize_scalar(
        lambda x: -function(x), bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x)


def posterior_mode(items: Sequence[Item], pattern: Pattern, mean: float = 0.0, sd: float = 1.0) -> float:
    """MAP by search."""
    return highest_point(
        lambda x: log_likelihood(items, pattern, x) - 0.5 * ((x - mean) / sd) ** 2, mean - 8 * sd, mean + 8 * sd, 1601
    )


def weighted_likelihood(items: Sequence[Item], pattern: Pattern, low: float = -15.0, high: float = 15.0) -> float:
    """Highest point of log-likelihood + log(information) / 2 by search."""

    def criterion(theta: float) -> float:
        answered = [item for item, response in zip(items, pattern, strict=True) if response is not None]
        return log_likelihood(items, pattern, theta) + 0.5 * math.log(sum(information(i, theta) for i in answered))

    return highest_point(criterion, low, high, 3001)


def posterior_quantile(items: Sequence[Item], pattern: Pattern, level: float, low: float, high: float) -> float:
    """Quantile of the posterior under N(0, 1) by adaptive integration and root finding."""

    def density(theta: float) -> float:
        return math.exp(log_likelihood(items, pattern, theta)) * normal_density(theta, 0.0, 1.0)

    total = quad(density, low, high, epsabs=0, epsrel=1e-10, limit=200)[0]

    def excess(x: float) -> float:
        return quad(density, low, x, epsabs=0, epsrel=1e-10, limit=200)[0] / total - level

    return float(brentq(excess, low + 1e-6, high, xtol=1e-8))


def score_distribution(correct: Sequence[float]) -> list[float]:
    """Probability of each number-correct score: every pattern is written out."""
    out = [0.0] * (len(correct) + 1)
    for pattern in itertools.product((0, 1), repeat=len(correct)):
        share = 1.0
        for response, p in zip(pattern, correct, strict=True):
            share *= p if response else 1.0 - p
        out[sum(pattern)] += share
    return out


def mid_rank(value: float, crowd: Sequence[float]) -> float:
    """Share below plus half the share equal, in per cent."""
    return 100.0 * sum(1.0 if other < value else 0.5 if other == value else 0.0 for other in crowd) / len(crowd)
