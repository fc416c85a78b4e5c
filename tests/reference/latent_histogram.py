"""Free node weights by plain EM, a subject and a node at a time."""

from __future__ import annotations

import math


def pattern_likelihood(pattern, slopes, intercepts, node):
    """P(pattern | theta = node) under the 2PL; None is a missing response."""
    out = 1.0
    for right, a, intercept in zip(pattern, slopes, intercepts, strict=True):
        if right is not None:
            p = 1.0 / (1.0 + math.exp(-(a * node + intercept)))
            out *= p if right else 1.0 - p
    return out


def em_weights(patterns, slopes, intercepts, nodes, start, steps):
    """Node weights and log-likelihood after so many EM steps (w <- average posterior)."""
    likelihood = [[pattern_likelihood(p, slopes, intercepts, node) for node in nodes] for p in patterns]
    weights = list(start)
    for _ in range(steps):
        sums = [0.0] * len(nodes)
        for row in likelihood:
            joint = [value * weight for value, weight in zip(row, weights, strict=True)]
            total = sum(joint)
            for q, part in enumerate(joint):
                sums[q] += part / total
        weights = [value / len(patterns) for value in sums]
    return weights, sum(math.log(sum(v * w for v, w in zip(row, weights, strict=True))) for row in likelihood)
