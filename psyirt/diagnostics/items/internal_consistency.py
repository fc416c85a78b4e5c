"""Alpha and omega: how much of the variance of the number right the items share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, ndtr, ndtri

from psyirt.data.pattern_source import PatternSource
from psyirt.diagnostics.pair_counts import pair_counts
from psyirt.kernels.bivariate_normal import tetrachoric_matrix

Array = NDArray[np.float64]

# nodes on which the factor is integrated: close enough for the steepest curve that LARGEST_LOADING allows
_NODES = np.linspace(-8.0, 8.0, 2001)
LARGEST_LOADING = 0.995
_SWEEPS, _TOLERANCE = 1000, 1e-10


@dataclass(frozen=True)
class Coefficient:
    """A reliability coefficient.

    Attributes
    ----------
    value, se, lower, upper : float
        The estimate, its standard error and a confidence interval; NaN where there is none.
    note : str
        What to know, or why a number is absent.
    """

    value: float
    se: float = float("nan")
    lower: float = float("nan")
    upper: float = float("nan")
    note: str = ""


def alpha_coefficient(patterns: PatternSource, level: float = 0.95) -> Coefficient:
    """Cronbach's (1951) alpha of complete patterns, with its standard error and interval.

    Parameters
    ----------
    patterns : PatternSource
        R complete patterns over J items; weights count subjects.
    level : float
        Of the interval.

    Returns
    -------
    Coefficient
        The standard error is free of assumptions about the answers' distribution (Yuan, Guarnaccia & Hayslip 2003;
        Maydeu-Olivares, Coffman & Hartmann 2007): the spread of each subject's influence. The interval is Feldt's
        (1965): (1 - alpha) / (1 - estimate) has an F distribution with N - 1 and (N - 1)(J - 1) degrees of freedom if
        scores are normal and items alike.
    """
    items, subjects = patterns.codes.shape[1], patterns.total
    gaps = patterns.codes - patterns.weights @ patterns.codes / max(subjects, 1e-300)
    parts, whole = (gaps**2).sum(1), gaps.sum(1) ** 2
    t, w = (float(patterns.weights @ each) / max(subjects, 1e-300) for each in (parts, whole))
    if items < 2 or w <= 0.0:
        return Coefficient(float("nan"), note="alpha needs two items and scores that vary")
    factor = items / (items - 1.0)
    alpha = factor * (1.0 - t / w)
    influence = factor * (t * (whole - w) / w**2 - (parts - t) / w)
    se = float(np.sqrt(patterns.weights @ influence**2)) / subjects
    tail = (1.0 - level) / 2.0
    df = subjects - 1.0
    # fdtri is the quantile of the F distribution
    low, high = (1.0 - (1.0 - alpha) * float(fdtri(df, df * (items - 1.0), q)) for q in (1.0 - tail, tail))
    return Coefficient(alpha, se, low, high)


def omega_coefficient(patterns: PatternSource) -> Coefficient:
    """Omega total of the number right, for items that are 0 or 1 (Green & Yang 2009, eq. 21).

    One factor is fitted to the tetrachoric correlations by least squares (minres; Harman & Jones 1966). Given the
    factor f, item j is right with probability Phi((loading f - threshold) / sqrt(1 - loading^2)); omega is the
    variance over f of the expected number right, divided by the variance of the number right. McDonald's (1999) linear
    omega, of the covariances themselves, would take each answer for a linear function of the factor.

    Parameters
    ----------
    patterns : PatternSource
        R patterns over J items; weights count subjects. With missing responses every pair is counted over those who
        answered both.

    Returns
    -------
    Coefficient
        Without standard error; NaN with fewer than 3 items that vary, or pairs that nobody answered.
    """
    weights = patterns.weights
    counts = pair_counts(patterns.codes, weights)
    n = np.diag(counts.subjects)
    share = np.divide(np.diag(counts.both), n, out=np.zeros(len(n)), where=n > 0.0)
    varies = (share > 0.0) & (share < 1.0)
    if int(varies.sum()) < 3:
        return Coefficient(float("nan"), note="omega needs three items that vary")
    kept = np.ix_(varies, varies)
    pairs = counts.subjects[kept]
    if (pairs == 0.0).any():
        return Coefficient(float("nan"), note="omega needs every pair of items to be answered by somebody")
    below = ndtri(share[varies])
    both, first, second, neither = (
        np.ascontiguousarray(part[kept])
        for part in (counts.both, counts.first_only, counts.second_only, counts.neither)
    )
    correlations = tetrachoric_matrix(below, both, first, neither)
    loadings = one_factor_loadings(correlations)
    total = float((both / pairs - (both + first) * (both + second) / pairs**2).sum())
    if not total > 0.0:
        return Coefficient(float("nan"), note="omega needs a number right that varies")
    value = _true_variance(np.clip(loadings, -LARGEST_LOADING, LARGEST_LOADING), below) / total
    return Coefficient(value, note=_doubts(loadings))


def _doubts(loadings: Array) -> str:
    """What speaks against one factor; empty if nothing does."""
    large, negative = int((np.abs(loadings) > LARGEST_LOADING).sum()), int((loadings < 0.0).sum())
    parts = []
    if large:
        parts.append(f"omega: {large} loadings above {LARGEST_LOADING} were set to it, the solution is improper")
    if negative:
        parts.append(f"omega: {negative} loadings are negative, one factor does not carry these items")
    return "; ".join(parts)


def one_factor_loadings(correlations: Array) -> Array:
    """Loadings of one factor that leave the least squares of the correlations off the diagonal.

    Parameters
    ----------
    correlations : ndarray, shape (J, J)
        J of 3 or more, without gaps.

    Returns
    -------
    ndarray, shape (J,)
        Their sum is not negative; a loading may exceed 1 (a Heywood case). Given the others each loading has a closed
        form; they are taken in turn until none changes.
    """
    off = correlations.copy()
    np.fill_diagonal(off, 0.0)
    values, vectors = np.linalg.eigh(correlations)
    loadings = vectors[:, -1] * np.sqrt(max(float(values[-1]) - 1.0, 0.1))
    for _ in range(_SWEEPS):
        before = loadings.copy()
        square = float(loadings @ loadings)
        for j in range(len(loadings)):
            own = loadings[j]
            rest = square - own**2
            loadings[j] = off[j] @ loadings / rest if rest > 1e-12 else 0.0
            square = rest + loadings[j] ** 2
        if np.abs(loadings - before).max() < _TOLERANCE:
            break
    return loadings if loadings.sum() >= 0.0 else -loadings


def _true_variance(loadings: Array, below: Array) -> float:
    """Variance over the factor of the expected number right, for loadings within -1 and 1."""
    weights = np.exp(-0.5 * _NODES**2)
    weights /= weights.sum()
    steep = 1.0 / np.sqrt(1.0 - loadings**2)
    # items one by one: all at once would need J x 2,001 numbers
    score = np.zeros(len(_NODES))
    for slope, threshold in zip(loadings * steep, below * steep, strict=True):
        score += ndtr(slope * _NODES + threshold)
    mean = float(weights @ score)
    return float(weights @ (score - mean) ** 2)
