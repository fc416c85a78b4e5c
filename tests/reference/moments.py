"""M2 and its indices by enumerating all response patterns: slow, obvious, for five or six items."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
from scipy.linalg import null_space
from scipy.special import expit

Array = np.ndarray
STEP = 1e-5


def pattern_probabilities(items: Array, nodes: Array, weights: Array) -> dict[tuple[int, ...], float]:
    """Probability of every pattern; items are rows of a, intercept, c, d (natural)."""
    found = {}
    right = [c + (d - c) * expit(a * nodes + intercept) for a, intercept, c, d in items]
    for pattern in product((0, 1), repeat=len(items)):
        at_nodes = weights
        for answer, p in zip(pattern, right, strict=True):
            at_nodes = at_nodes * (p if answer else 1.0 - p)
        found[pattern] = float(at_nodes.sum())
    return found


def subsets(items: int) -> list[tuple[int, ...]]:
    """Single items, then pairs."""
    return [(j,) for j in range(items)] + list(combinations(range(items), 2))


def off(pattern: tuple[int, ...], subset: tuple[int, ...], means: list[float]) -> float:
    """Product of answers minus means."""
    return float(np.prod([pattern[j] - means[j] for j in subset]))


def m2(
    codes: Array,
    counts: Array,
    parameters: Array,
    items_of: Callable[[Array], Array],
    density_of: Callable[[Array], tuple[Array, Array]],
) -> tuple[float, int]:
    """M2 and df; codes -1 where missing.

    `items_of` and `density_of` turn a vector of free parameters into rows of items, and into nodes and weights.
    """
    size = len(items_of(parameters))
    start = pattern_probabilities(items_of(parameters), *density_of(parameters))
    means = [sum(p for pattern, p in start.items() if pattern[j]) for j in range(size)]

    def expected(x: Array) -> Array:
        chances = pattern_probabilities(items_of(x), *density_of(x))
        return np.array([sum(p * off(y, s, means) for y, p in chances.items()) for s in subsets(size)])

    slopes = []
    for k in range(len(parameters)):
        step = np.zeros(len(parameters))
        step[k] = STEP
        high, low = expected(parameters + step), expected(parameters - step)
        # z is about means held fixed; that estimated means move with the parameters changes nothing, for E(z) = 0
        slopes.append((high - low) / (2 * STEP))
    at = expected(parameters)
    used, observed, number = [], [], []
    for k, subset in enumerate(subsets(size)):
        rows = [r for r in range(len(codes)) if all(codes[r, j] >= 0 for j in subset)]
        if not rows:
            continue
        n = sum(counts[r] for r in rows)
        used.append(k)
        number.append(n)
        observed.append(sum(counts[r] * off(tuple(codes[r]), subset, means) for r in rows) / n)
    covariance = np.zeros((len(used), len(used)))
    terms = {(y, k): off(y, subset, means) for y in start for k, subset in enumerate(subsets(size))}
    for i, one in enumerate(used):
        for j, other in enumerate(used):
            both = set(subsets(size)[one]) | set(subsets(size)[other])
            shared = sum(counts[r] for r in range(len(codes)) if all(codes[r, k] >= 0 for k in both))
            product_mean = sum(p * terms[y, one] * terms[y, other] for y, p in start.items())
            covariance[i, j] = shared * (product_mean - at[one] * at[other]) / (number[i] * number[j])
    residual = np.array(observed) - at[used]
    complement = null_space(np.array(slopes)[:, used]) if slopes else np.eye(len(used))
    turned = complement.T @ residual
    value = float(turned @ np.linalg.solve(complement.T @ covariance @ complement, turned))
    return value, complement.shape[1]


def srmsr(codes: Array, counts: Array, items: Array, nodes: Array, weights: Array) -> float:
    """Of complete responses: root mean square of observed minus model correlations."""
    chances = pattern_probabilities(items, nodes, weights)
    rows = np.repeat(codes, counts.astype(int), axis=0).astype(float)
    observed = np.corrcoef(rows.T)
    total = 0.0
    pairs = list(combinations(range(len(items)), 2))
    for j, k in pairs:
        pj = sum(p for y, p in chances.items() if y[j])
        pk = sum(p for y, p in chances.items() if y[k])
        both = sum(p for y, p in chances.items() if y[j] and y[k])
        expected = (both - pj * pk) / np.sqrt(pj * (1 - pj) * pk * (1 - pk))
        total += (observed[j, k] - expected) ** 2
    return float(np.sqrt(total / len(pairs)))
