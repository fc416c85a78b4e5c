"""Agreement the slow way: pairs of answers, one by one."""

from __future__ import annotations

from itertools import permutations


def fleiss_kappa(items: list[list[str]]) -> float:
    """Fleiss (1971): observed agreement of ordered pairs within an item against that of independent answers."""
    answers = [answer for item in items for answer in item]
    agree = [sum(a == b for a, b in permutations(item, 2)) / (len(item) * (len(item) - 1)) for item in items]
    observed = sum(agree) / len(agree)
    chance = sum((answers.count(label) / len(answers)) ** 2 for label in set(answers))
    return (observed - chance) / (1 - chance)


def fleiss_kappa_of(category: str, items: list[list[str]]) -> float:
    """Fleiss (1971): how much likelier a second answer is `category` when the first one is, than by chance."""
    first = both = 0
    for item in items:
        for a, b in permutations(item, 2):
            first += a == category
            both += a == category and b == category
    answers = [answer for item in items for answer in item]
    share = answers.count(category) / len(answers)
    return (both / first - share) / (1 - share)


def krippendorff_alpha(items: list[list[str]]) -> float:
    """Krippendorff (2011), nominal: build the coincidence matrix cell by cell."""
    labels = sorted({answer for item in items for answer in item})
    coincidence = {(c, k): 0.0 for c in labels for k in labels}
    for item in items:
        for a, b in permutations(item, 2):
            coincidence[a, b] += 1 / (len(item) - 1)
    margin = {c: sum(coincidence[c, k] for k in labels) for c in labels}
    total = sum(margin.values())
    observed = sum(coincidence[c, k] for c in labels for k in labels if c != k)
    expected = sum(margin[c] * margin[k] for c in labels for k in labels if c != k) / (total - 1)
    return 1 - observed / expected
