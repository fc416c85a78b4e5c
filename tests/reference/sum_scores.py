"""S-X2 in plain loops, from the definitions: all response patterns are listed, rows are merged in lists.

Probabilities are nested lists: p[j][q] of a correct response to item j at node q.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Table = Sequence[Sequence[float]]
Row = list[float]


def pattern_probability(p: Table, pattern: Sequence[int], q: int) -> float:
    """Product over items at one node."""
    total = 1.0
    for j, response in enumerate(pattern):
        total *= p[j][q] if response else 1.0 - p[j][q]
    return total


def score_probabilities(p: Table, weights: Sequence[float]) -> list[float]:
    """P(sum score = s), by listing all patterns."""
    out = [0.0] * (len(p) + 1)
    for pattern in itertools.product((0, 1), repeat=len(p)):
        for q, weight in enumerate(weights):
            out[sum(pattern)] += weight * pattern_probability(p, pattern, q)
    return out


def correct_and_score(p: Table, weights: Sequence[float], item: int) -> list[float]:
    """P(item correct and sum score = s), by listing all patterns."""
    out = [0.0] * (len(p) + 1)
    for pattern in itertools.product((0, 1), repeat=len(p)):
        if pattern[item]:
            for q, weight in enumerate(weights):
                out[sum(pattern)] += weight * pattern_probability(p, pattern, q)
    return out


def pooled(observed: Sequence[Row], expected: Sequence[Row], least: float) -> list[tuple[list[int], Row, Row]]:
    """Rows (members, observed, expected) after pooling, by the written rule, restarting after every merge."""
    rows = [([k], list(o), list(e)) for k, (o, e) in enumerate(zip(observed, expected, strict=True)) if sum(o) > 0]

    def merge(source: int, target: int) -> None:
        members, o, e = rows[source]
        rows[target][0].extend(members)
        for c in range(2):
            rows[target][1][c] += o[c]
            rows[target][2][c] += e[c]
        del rows[source]

    k = 0
    while k < len(rows) - 1:
        if sum(rows[k][1]) == 1:
            merge(k, k + 1)
        else:
            k += 1
    if len(rows) > 1 and sum(rows[-1][1]) == 1:
        merge(len(rows) - 1, len(rows) - 2)
    while len(rows) > 1:
        small = [k for k, row in enumerate(rows) if min(row[2]) < least]
        if not small:
            break
        k = small[0]
        if k == 0:
            merge(0, 1)
        elif k == len(rows) - 1:
            merge(k, k - 1)
        else:
            below, above = sum(rows[k - 1][1]), sum(rows[k + 1][1])
            merge(k, k - 1 if below <= above else k + 1)
    return [(sorted(members), o, e) for members, o, e in rows]


def s_x2(
    responses: Sequence[Sequence[int]], p: Table, weights: Sequence[float], item: int, least: float = 1.0
) -> tuple[float, int]:
    """The statistic of one item and its rows after pooling, from complete responses."""
    items = len(p)
    score, joint = score_probabilities(p, weights), correct_and_score(p, weights, item)
    observed = [[0.0, 0.0] for _ in range(items - 1)]
    for pattern in responses:
        if 0 < sum(pattern) < items:
            observed[sum(pattern) - 1][pattern[item]] += 1.0
    expected = []
    for k in range(1, items):
        share = joint[k] / score[k]
        subjects = sum(observed[k - 1])
        expected.append([subjects * (1.0 - share), subjects * share])
    rows = pooled(observed, expected, least)
    statistic = sum((row[1][c] - row[2][c]) ** 2 / row[2][c] for row in rows for c in range(2))
    return statistic, len(rows)
