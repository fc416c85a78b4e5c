"""The test of a normal ability by brute force: every response pattern, numerical derivatives, plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.stats import chi2


def score_probabilities(slopes, intercepts, nodes, weights):
    """P(number correct = 0..J) by adding up all 2^J patterns at all nodes."""
    out = [0.0] * (len(slopes) + 1)
    for pattern in itertools.product((0, 1), repeat=len(slopes)):
        for node, weight in zip(nodes, weights, strict=True):
            probability = weight
            for right, a, intercept in zip(pattern, slopes, intercepts, strict=True):
                p = 1.0 / (1.0 + math.exp(-(a * node + intercept)))
                probability *= p if right else 1.0 - p
            out[sum(pattern)] += probability
    return np.array(out)


def normality(slopes, intercepts, covariance, observed, nodes, weights, step=1e-5):
    """X2, moment-adjusted X2, df and p; `covariance` of (a1, intercept1, a2, intercept2, ...)."""
    point = [value for pair in zip(slopes, intercepts, strict=True) for value in pair]

    def at(vector):
        return score_probabilities(vector[0::2], vector[1::2], nodes, weights)

    pi, total = at(point), sum(observed)
    derivatives = []
    for k in range(len(point)):
        up, down = list(point), list(point)
        up[k] += step
        down[k] -= step
        derivatives.append((at(up) - at(down)) / (2 * step))
    delta = np.array(derivatives).T
    xi = np.diag(pi) - np.outer(pi, pi) - total * delta @ covariance @ delta.T
    scaled = np.diag(pi**-0.5) @ xi @ np.diag(pi**-0.5)
    x2 = sum((o - total * e) ** 2 / (total * e) for o, e in zip(observed, pi, strict=True))
    first, second = np.trace(scaled), np.trace(scaled @ scaled)
    df = first**2 / second
    return x2, x2 * first / second, df, chi2.sf(x2 * first / second, df)
