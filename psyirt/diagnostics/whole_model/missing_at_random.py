"""Do those who left an item out score as the model expects of anybody? A test of missing completely at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from psyirt.data.patterns import Patterns
from psyirt.data.response_source import MISSING
from psyirt.diagnostics.whole_model.item_moments import ExpectedItems

# a normal approximation of fewer subjects' mean says little
_FEWEST_SUBJECTS = 5.0


@dataclass(frozen=True)
class RandomMissing:
    """Outcome of :func:`random_missing`.

    Attributes
    ----------
    p : float
        Smallest p-value, times the number of tests (Bonferroni), at most 1.
    finding : str
        What that test found, in words.
    """

    p: float
    finding: str


def random_missing(patterns: Patterns, expected: ExpectedItems, item_names: tuple[str, ...]) -> RandomMissing:
    """Test whether who answered what tells anything about how well it was answered.

    Each subject has a score: answers minus their means under the model, summed, in units of its standard deviation.
    Missing completely at random it has mean 0 and variance 1 among those who left item j out, for each j, and does not
    go with the number of items left out. These J + 1 normal tests see what is missing because of ability or because of
    the answer; what goes with neither they do not see, nor need to.

    Parameters
    ----------
    patterns : Patterns
        Incomplete responses.
    expected : ExpectedItems
        The items.
    item_names : tuple of str
        For the finding.

    Returns
    -------
    RandomMissing
    """
    answered = patterns.codes != MISSING
    subjects = np.where(answered.any(axis=1), patterns.weights, 0.0)
    whole = expected.covariances.copy()
    np.fill_diagonal(whole, expected.variances)
    spread = np.einsum("rj,rj->r", answered @ whole, answered)
    total = np.where(answered, patterns.codes - expected.means, 0.0).sum(axis=1)
    score = total / np.sqrt(np.where(spread > 0, spread, 1.0))
    out = ~answered
    left = subjects @ out
    tested = np.flatnonzero(left >= _FEWEST_SUBJECTS)
    z = (subjects * score) @ out[:, tested] / np.sqrt(left[tested])
    missed = out.sum(axis=1) - subjects @ out.sum(axis=1) / subjects.sum()
    size = float(subjects @ missed**2)
    trend = float((subjects * score) @ missed) / np.sqrt(size) if size > 0 else 0.0
    every = np.append(z, trend)
    worst = int(np.argmax(np.abs(every)))
    p = min(1.0, len(every) * 2.0 * float(ndtr(-abs(every[worst]))))
    if worst == len(tested):
        return RandomMissing(p, f"those who left out many items score {'higher' if trend > 0 else 'lower'}")
    side = "above" if every[worst] > 0 else "below"
    return RandomMissing(p, f"those who left out {item_names[tested[worst]]!r} score {side} what is expected")
