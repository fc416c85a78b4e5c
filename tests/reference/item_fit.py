"""Item-fit statistics in plain loops, from the definitions. Probabilities are nested lists: p[j][q], nodes q."""

from __future__ import annotations

import math
from collections.abc import Sequence

Numbers = Sequence[float]
Table = Sequence[Sequence[float]]
Codes = Sequence[Sequence[int]]  # 1, 0, -1 missing


def mean_squares(answers: Sequence[int], chances: Numbers) -> tuple[float, float, float, float]:
    """Outfit, infit and their z of one item, from answers (1, 0, -1 missing) and probabilities of a right one."""
    seen = [(y, p) for y, p in zip(answers, chances, strict=True) if y >= 0]
    squares, residuals, variances, kurtosis, excess = 0.0, 0.0, 0.0, 0.0, 0.0
    for y, p in seen:
        w = p * (1.0 - p)
        c = p * (1.0 - p) ** 4 + (1.0 - p) * p**4
        squares += (y - p) ** 2 / w
        residuals += (y - p) ** 2
        variances += w
        kurtosis += c / w**2
        excess += c - w**2
    n = len(seen)
    outfit, infit = squares / n, residuals / variances
    outfit_sd = math.sqrt(kurtosis / n**2 - 1.0 / n)
    infit_sd = math.sqrt(excess / variances**2)
    z = [(ms ** (1.0 / 3.0) - 1.0) * 3.0 / sd + sd / 3.0 for ms, sd in ((outfit, outfit_sd), (infit, infit_sd))]
    return outfit, infit, z[0], z[1]


def groups_by_rank(abilities: Numbers, count: int) -> list[list[int]]:
    """Rows in `count` groups of equal size by rank; without ties and with a size that divides."""
    order = sorted(range(len(abilities)), key=lambda r: abilities[r])
    size = len(order) // count
    return [order[k * size : (k + 1) * size] for k in range(count)]


def grouped_statistics(
    answers: Sequence[int], abilities: Numbers, slope: float, intercept: float, count: int
) -> tuple[float, float, int]:
    """X2, G2 and the groups with wrong and right answers, of one 2PL item without missing answers."""
    x2, g2, mixed = 0.0, 0.0, 0
    for group in groups_by_rank(abilities, count):
        n = len(group)
        right = sum(answers[r] for r in group)
        centre = sum(abilities[r] for r in group) / n
        p = 1.0 / (1.0 + math.exp(-(slope * centre + intercept)))
        x2 += (right - n * p) ** 2 / (n * p * (1.0 - p))
        for observed, expected in ((right, n * p), (n - right, n * (1.0 - p))):
            if observed > 0:
                g2 += 2.0 * observed * math.log(observed / expected)
        mixed += 0 < right < n
    return x2, g2, mixed


def rest_of(codes: Codes, p: Table, nodes: Numbers, weights: Numbers, item: int) -> list[tuple[float, float] | None]:
    """For each row: posterior mean ability without the item, and its probability of being right; None if missing."""
    out: list[tuple[float, float] | None] = []
    for row in codes:
        if row[item] < 0:
            out.append(None)
            continue
        total, ability, chance = 0.0, 0.0, 0.0
        for q, weight in enumerate(weights):
            likelihood = weight
            for j, answer in enumerate(row):
                if j != item and answer >= 0:
                    likelihood *= p[j][q] if answer else 1.0 - p[j][q]
            total += likelihood
            ability += likelihood * nodes[q]
            chance += likelihood * p[item][q]
        out.append((ability / total, chance / total))
    return out


def rest_score_cells(
    codes: Codes, p: Table, nodes: Numbers, weights: Numbers, item: int, count: int
) -> list[tuple[float, float, float, float]]:
    """Subjects, right answers, expected ones and their variance in groups by ability without the item."""
    known = [
        (rest, row[item]) for rest, row in zip(rest_of(codes, p, nodes, weights, item), codes, strict=True) if rest
    ]
    cells = []
    for group in groups_by_rank([rest[0] for rest, _ in known], count):
        chances = [known[r][0][1] for r in group]
        right = float(sum(known[r][1] for r in group))
        cells.append((float(len(group)), right, sum(chances), sum(c * (1.0 - c) for c in chances)))
    return cells


def rmsd(codes: Codes, p: Table, weights: Numbers, item: int) -> tuple[float, float]:
    """RMSD and mean difference of one item, from posteriors over nodes."""
    at_node, right = [0.0] * len(weights), [0.0] * len(weights)
    for row in codes:
        if row[item] < 0:
            continue
        posterior = []
        for q, weight in enumerate(weights):
            likelihood = weight
            for j, answer in enumerate(row):
                if answer >= 0:
                    likelihood *= p[j][q] if answer else 1.0 - p[j][q]
            posterior.append(likelihood)
        total = sum(posterior)
        for q, each in enumerate(posterior):
            at_node[q] += each / total
            right[q] += row[item] * each / total
    n = sum(at_node)
    gaps = [r / m - p[item][q] for q, (r, m) in enumerate(zip(right, at_node, strict=True))]
    square = sum(m / n * gap**2 for m, gap in zip(at_node, gaps, strict=True))
    return math.sqrt(square), sum(m / n * gap for m, gap in zip(at_node, gaps, strict=True))
