"""Do those who left an item out score as the model expects of anybody? A test of missing completely at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from psyirt.data.pattern_source import PatternSource
from psyirt.data.response_source import MISSING
from psyirt.diagnostics.whole_model.item_moments import ExpectedItems

# a normal approximation says little where fewer subjects left an item out, or answered it
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


def random_missing(patterns: PatternSource, expected: ExpectedItems, item_names: tuple[str, ...]) -> RandomMissing:
    """Test whether who answered what tells anything about how well it was answered.

    Each subject has a score: answers minus their means under the model, summed, in units of its standard deviation.
    Missing completely at random it has variance 1 and the same mean among those who left item j out as among the
    others, for each j, and does not go with the number of items left out. These J + 1 normal tests see what is missing
    because of ability or of the answer itself, the reasons that bend moments.

    Parameters
    ----------
    patterns : PatternSource
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
    share = subjects / subjects.sum()
    score = _scores(patterns, answered, expected)
    score -= share @ score
    out = np.column_stack([~answered, (~answered).sum(axis=1)]).astype(float)
    out -= share @ out
    size = subjects @ out**2
    # of an indicator: left out times answered, over all
    tested = np.flatnonzero(size >= _FEWEST_SUBJECTS)
    if not len(tested):
        return RandomMissing(1.0, "hardly any item was left out by some and answered by others")
    z = (subjects * score) @ out[:, tested] / np.sqrt(size[tested])
    worst = int(np.argmax(np.abs(z)))
    p = min(1.0, len(z) * 2.0 * float(ndtr(-abs(z[worst]))))
    side = "higher" if z[worst] > 0 else "lower"
    if tested[worst] == answered.shape[1]:
        return RandomMissing(p, f"those who left out many items score {side}")
    return RandomMissing(p, f"those who left out {item_names[tested[worst]]!r} score {side} than the others")


def _scores(patterns: PatternSource, answered: NDArray[np.bool_], expected: ExpectedItems) -> NDArray[np.float64]:
    """Answers minus their means, summed, over the standard deviation under the model, for each pattern."""
    whole = expected.covariances.copy()
    np.fill_diagonal(whole, expected.variances)
    spread = np.einsum("rj,rj->r", answered @ whole, answered)
    total = np.where(answered, patterns.codes - expected.means, 0.0).sum(axis=1)
    return np.asarray(total / np.sqrt(np.where(spread > 0, spread, 1.0)))
