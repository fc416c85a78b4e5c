"""Sizes of misfit from a chi-square statistic or from residual correlations: RMSEA, CFI, TLI, SRMSR."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chndtrinc, ndtri

from psyirt.data.pattern_source import PatternSource
from psyirt.diagnostics.whole_model.item_moments import AnswerSets, ExpectedItems, Moments, centred_sums

Array = NDArray[np.float64]

_LEVEL = 0.9


@dataclass(frozen=True)
class ChiSquare:
    """A statistic and its degrees of freedom."""

    value: float
    df: int


def rmsea(test: ChiSquare, subjects: float) -> tuple[float, float, float]:
    """Root mean square error of approximation and its 90 % interval (Browne & Cudeck 1992).

    Parameters
    ----------
    test : ChiSquare
        With df above 0.
    subjects : float
        N.

    Returns
    -------
    tuple of float
        sqrt(max(X2 - df, 0) / (df (N - 1))), and the same with the limits of the noncentrality in place of X2 - df.
    """
    tail = 0.5 * (1.0 - _LEVEL)
    sizes = (max(test.value - test.df, 0.0), _noncentrality(test, 1.0 - tail), _noncentrality(test, tail))
    point, low, high = (math.sqrt(size / (test.df * (subjects - 1.0))) for size in sizes)
    return point, low, high


def _noncentrality(test: ChiSquare, probability: float) -> float:
    """The noncentrality under which P(X2 <= value) is `probability`; 0 where it is less at 0 already."""
    if float(chdtr(test.df, test.value)) <= probability:
        return 0.0
    size = float(chndtrinc(test.value, test.df, probability))
    if math.isfinite(size):
        return size
    # beyond the reach of the function the distribution is normal
    excess = test.value - test.df
    return max(0.0, excess - float(ndtri(probability)) * math.sqrt(2.0 * test.df + 4.0 * excess))


def comparative(test: ChiSquare, independence: ChiSquare) -> tuple[float, float]:
    """CFI, cut off at 0 and 1 (Bentler 1990), and TLI, not cut off (Tucker & Lewis 1973).

    Parameters
    ----------
    test, independence : ChiSquare
        The statistic of the model and of independent items.
    """
    excess, most = test.value - test.df, independence.value - independence.df
    largest = max(excess, most, 0.0)
    cfi = 1.0 - max(excess, 0.0) / largest if largest > 0 else 1.0
    ratio = independence.value / independence.df
    tli = (ratio - test.value / test.df) / (ratio - 1.0)
    return min(max(cfi, 0.0), 1.0), tli


@dataclass(frozen=True, eq=False)
class PairCorrelations:
    """Product-moment correlations of pairs of items.

    Attributes
    ----------
    observed, expected : ndarray, shape (T,)
        Over the subjects who answered both items, about the means of all who answered each; and under the model.
    counts : ndarray, shape (T,)
        Subjects who answered both.
    """

    observed: Array
    expected: Array
    counts: Array

    @property
    def srmsr(self) -> float:
        """Square root of the mean squared difference."""
        return float(np.sqrt(np.mean((self.observed - self.expected) ** 2)))

    @property
    def independence(self) -> ChiSquare:
        """M2 of independent items, a closed form: with only means estimated, products of z are uncorrelated."""
        return ChiSquare(float(np.sum(self.counts * self.observed**2)), len(self.counts))


def pair_correlations(
    patterns: PatternSource, expected: ExpectedItems, sets: AnswerSets, moments: Moments
) -> PairCorrelations:
    """Correlations of the pairs that anybody answered; not finite where an item does not vary."""
    number = np.diag(sets.together)
    sums, _ = centred_sums(patterns, np.zeros(len(number)))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums / number
        deviations = np.sqrt(means * (1.0 - means))
        _, products = centred_sums(patterns, means)
        first, second = moments.first, moments.second
        counts = sets.together[first, second]
        observed = products[first, second] / counts / (deviations[first] * deviations[second])
        roots = np.sqrt(expected.variances)
        implied = expected.covariances[first, second] / (roots[first] * roots[second])
    return PairCorrelations(observed, implied, counts)
