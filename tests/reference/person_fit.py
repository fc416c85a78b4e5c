"""Person fit in plain loops, from the papers' own formulas. Items and patterns as in ``tests.reference.scoring``."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.reference.scoring import Item, Pattern, information, log_likelihood, normal_density, probability


def _slope(item: Item, theta: float, step: float = 1e-5) -> float:
    """Derivative of the probability of a right answer."""
    return (probability(item, theta + step) - probability(item, theta - step)) / (2.0 * step)


def _answered(items: Sequence[Item], pattern: Pattern) -> list[tuple[Item, int]]:
    return [(item, x) for item, x in zip(items, pattern, strict=True) if x is not None]


def lz(items: Sequence[Item], pattern: Pattern, theta: float) -> float:
    """Drasgow, Levine & Williams (1985): (l - E l) / sd(l), by summing over both answers to every item."""
    observed, mean, variance = 0.0, 0.0, 0.0
    for item, x in _answered(items, pattern):
        logs = [math.log(probability(item, theta, k)) for k in (0, 1)]
        shares = [probability(item, theta, k) for k in (0, 1)]
        observed += logs[x]
        each = sum(p * log for p, log in zip(shares, logs, strict=True))
        mean += each
        variance += sum(p * (log - each) ** 2 for p, log in zip(shares, logs, strict=True))
    return (observed - mean) / math.sqrt(variance)


def lz_star(items: Sequence[Item], pattern: Pattern, theta: float, r0: float) -> float:
    """Snijders (2001): (W + c r0) / (sqrt(n) tau), r0 the term of the estimating equation that is not the score's.

    ML: 0. MAP with a normal prior: (mean - theta) / variance. WLE: half the derivative of log information.
    """
    n = 0
    w_sum, top, bottom = 0.0, 0.0, 0.0
    for item, x in _answered(items, pattern):
        p, q = probability(item, theta, 1), probability(item, theta, 0)
        weight = math.log(p / q)
        w_sum += (x - p) * weight
        top += _slope(item, theta) * weight
        bottom += _slope(item, theta) * _slope(item, theta) / (p * q)
        n += 1
    c = top / bottom
    tau = 0.0
    for item, _ in _answered(items, pattern):
        p, q = probability(item, theta, 1), probability(item, theta, 0)
        tau += (math.log(p / q) - c * _slope(item, theta) / (p * q)) ** 2 * p * q / n
    return (w_sum + c * r0) / math.sqrt(n * tau)


def half_log_information_slope(items: Sequence[Item], pattern: Pattern, theta: float, step: float = 1e-4) -> float:
    """Derivative of log(test information) / 2 over the answered items."""
    sides = [
        math.log(sum(information(item, theta + side * step) for item, _ in _answered(items, pattern)))
        for side in (1, -1)
    ]
    return 0.5 * (sides[0] - sides[1]) / (2.0 * step)


def mean_squares(items: Sequence[Item], pattern: Pattern, theta: float) -> dict[str, float]:
    """Wright & Masters (1982): infit, outfit, and z of each."""
    residuals, variances, kurtoses = [], [], []
    for item, x in _answered(items, pattern):
        p, q = probability(item, theta, 1), probability(item, theta, 0)
        residuals.append((x - p) ** 2)
        variances.append(p * q)
        kurtoses.append(p * q**4 + q * p**4)
    n = len(residuals)
    infit = sum(residuals) / sum(variances)
    outfit = sum(r / v for r, v in zip(residuals, variances, strict=True)) / n
    q_in = math.sqrt(sum(k - v**2 for k, v in zip(kurtoses, variances, strict=True))) / sum(variances)
    q_out = math.sqrt(sum(k / v**2 for k, v in zip(kurtoses, variances, strict=True)) / n**2 - 1.0 / n)
    q_in, q_out = min(q_in, math.sqrt(2.0)), min(q_out, math.sqrt(2.0))
    return {
        "infit": infit,
        "outfit": outfit,
        "z_infit": (infit ** (1 / 3) - 1.0) * 3.0 / q_in + q_in / 3.0,
        "z_outfit": (outfit ** (1 / 3) - 1.0) * 3.0 / q_out + q_out / 3.0,
    }


def guttman_errors(responses: Sequence[Pattern]) -> list[tuple[float, float]]:
    """Errors and normed errors of every subject: all pairs of answered items, one by one; ties count half."""
    items = len(responses[0])
    shares = []
    for j in range(items):
        given = [row[j] for row in responses if row[j] is not None]
        shares.append(sum(x or 0 for x in given) / len(given))
    found = []
    for row in responses:
        errors = 0.0
        for j in range(items):
            for k in range(items):
                if row[j] == 0 and row[k] == 1:
                    errors += 1.0 if shares[j] > shares[k] else 0.5 if shares[j] == shares[k] else 0.0
        right, wrong = sum(x == 1 for x in row), sum(x == 0 for x in row)
        found.append((errors, errors / (right * wrong) if right and wrong else math.nan))
    return found


def predicted(items: Sequence[Item], pattern: Pattern, item: int, nodes: Sequence[float]) -> float:
    """Probability of a right answer to one item given the answers to all others, over nodes with N(0, 1) weights."""
    others = [None if k == item else x for k, x in enumerate(pattern)]
    weights = [math.exp(log_likelihood(items, others, x)) * normal_density(x, 0.0, 1.0) for x in nodes]
    chances = [probability(items[item], x) for x in nodes]
    return sum(w * p for w, p in zip(weights, chances, strict=True)) / sum(weights)
