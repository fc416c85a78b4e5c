"""Marginal maximum likelihood the slow, obvious way: one subject, one item, one node at a time.

The twin of the E-step kernels, the EM loop and the observed information. It imports nothing from psyirt.
An item is a tuple (a, intercept, c, d); a response is 1, 0, or negative where it is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize

Item = tuple[float, float, float, float]


def log_logistic(z: float) -> float:
    """log(1 / (1 + exp(-z))), without overflow."""
    return -math.log1p(math.exp(-z)) if z > 0 else z - math.log1p(math.exp(z))


def log_probability(response: int, theta: float, item: Item) -> float:
    """log P(response | theta) under c + (d - c) logistic(a theta + intercept)."""
    a, intercept, c, d = item
    z = a * theta + intercept
    if c == 0.0 and d == 1.0:
        return log_logistic(z) if response == 1 else log_logistic(-z)
    probability = c + (d - c) * math.exp(log_logistic(z))
    return math.log(probability) if response == 1 else math.log1p(-probability)


def node_weights(nodes: Sequence[float], variance: float = 1.0, mean: float = 0.0) -> list[float]:
    """Normal density at the nodes, scaled to sum to 1."""
    density = [math.exp(-0.5 * (node - mean) ** 2 / variance) for node in nodes]
    return [value / math.fsum(density) for value in density]


def joint_logs(
    row: Sequence[int], items: Sequence[Item], nodes: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """log(weight) + log P(row | node) at every node."""
    found = []
    for node, weight in zip(nodes, weights, strict=True):
        total = math.log(weight)
        for response, item in zip(row, items, strict=True):
            if response >= 0:
                total += log_probability(response, node, item)
        found.append(total)
    return found


def log_sum_exp(values: Sequence[float]) -> float:
    """log of the sum of exponentials."""
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def posterior(
    row: Sequence[int], items: Sequence[Item], nodes: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """Posterior probability of every node given one subject's responses."""
    logs = joint_logs(row, items, nodes, weights)
    whole = log_sum_exp(logs)
    return [math.exp(value - whole) for value in logs]


def marginal_log_likelihood(
    rows: Sequence[Sequence[int]],
    counts: Sequence[float],
    items: Sequence[Item],
    nodes: Sequence[float],
    weights: Sequence[float],
) -> float:
    """Sum over rows of count * log sum over nodes of weight * P(row | node)."""
    return math.fsum(
        count * log_sum_exp(joint_logs(row, items, nodes, weights)) for row, count in zip(rows, counts, strict=True)
    )


def expected_counts(
    rows: Sequence[Sequence[int]],
    counts: Sequence[float],
    items: Sequence[Item],
    nodes: Sequence[float],
    weights: Sequence[float],
) -> tuple[np.ndarray, np.ndarray]:
    """Expected subjects by (item, response, node), and by node."""
    table = np.zeros((len(items), 2, len(nodes)))
    at_node = np.zeros(len(nodes))
    for row, count in zip(rows, counts, strict=True):
        for q, share in enumerate(posterior(row, items, nodes, weights)):
            at_node[q] += count * share
            for j, response in enumerate(row):
                if response >= 0:
                    table[j, response, q] += count * share
    return table, at_node


def em_step_2pl(
    rows: Sequence[Sequence[int]],
    counts: Sequence[float],
    items: Sequence[Item],
    nodes: Sequence[float],
    weights: Sequence[float],
) -> list[Item]:
    """One EM step of the 2PL; each item's expected log-likelihood is maximised by a general optimiser."""
    table, _ = expected_counts(rows, counts, items, nodes, weights)
    new = []
    for item, expected in zip(items, table, strict=True):

        def loss(x: np.ndarray, expected: np.ndarray = expected) -> float:
            candidate = (float(x[0]), float(x[1]), 0.0, 1.0)
            return -math.fsum(
                expected[k, q] * log_probability(k, node, candidate) for k in (0, 1) for q, node in enumerate(nodes)
            )

        best = optimize.minimize(loss, item[:2], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10})
        new.append((float(best.x[0]), float(best.x[1]), 0.0, 1.0))
    return new


def gradient(function: Callable[[np.ndarray], float], x: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Central differences."""
    out = np.empty(len(x))
    for k in range(len(x)):
        move = np.zeros(len(x))
        move[k] = step
        out[k] = (function(x + move) - function(x - move)) / (2 * step)
    return out


def hessian(function: Callable[[np.ndarray], float], x: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Central second differences."""
    size = len(x)
    out = np.empty((size, size))
    for j in range(size):
        for k in range(j + 1):
            first, second = np.zeros(size), np.zeros(size)
            first[j], second[k] = step, step
            out[j, k] = out[k, j] = (
                function(x + first + second)
                - function(x + first - second)
                - function(x - first + second)
                + function(x - first - second)
            ) / (4 * step * step)
    return out


def sandwich(
    of_row: Callable[[Sequence[int], np.ndarray], float],
    log_prior: Callable[[np.ndarray], float],
    rows: Sequence[Sequence[int]],
    counts: Sequence[float],
    x: np.ndarray,
) -> np.ndarray:
    """H^-1 M H^-1 (White 1982): H the curvature of the log-posterior, M the sum of the rows' squared scores.

    The prior bends the log-posterior but is no random quantity: it has no part in M.
    """

    def log_posterior(at: np.ndarray) -> float:
        total = math.fsum(count * of_row(row, at) for row, count in zip(rows, counts, strict=True))
        return total + log_prior(at)

    bread = np.linalg.inv(-hessian(log_posterior, x))
    middle = np.zeros((len(x), len(x)))
    for row, count in zip(rows, counts, strict=True):
        score = gradient(lambda at, row=row: of_row(row, at), x)
        middle += count * np.outer(score, score)
    return bread @ middle @ bread
