"""Is ability normal in the crowd? A test on the distribution of number-correct scores."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from psyirt.data.pattern_source import PatternSource
from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.foundation.arguments import require
from psyirt.foundation.threads import one_blas_thread
from psyirt.kernels.score_distributions import rest_score_sums, score_distribution
from psyirt.latent.population import NormalPopulation
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

# Pearson's statistic needs an expected count of about this in every cell (Cochran 1954)
_MIN_EXPECTED = 5.0
# below this the parameters reproduce almost any score distribution
_FEWEST_DF = 0.1


@dataclass(frozen=True)
class NormalityTest:
    """Outcome of :func:`normality_test`.

    Attributes
    ----------
    statistic : float
        Pearson's X2 of the number-correct scores; NaN where not available.
    cells : int
        Scores, or groups of neighbouring scores, compared.
    adjusted : float
        X2 rescaled so that a chi-square distribution with `df` has its first two moments.
    df : float
        Degrees of freedom of `adjusted`: not a whole number, and fewer than cells - 1, because the item parameters
        were estimated from the same responses.
    p : float
        P(chi-square with `df` > `adjusted`).
    note : str
        Why the test is not available, or what to know about it.
    """

    statistic: float
    cells: int
    adjusted: float
    df: float
    p: float
    note: str = ""

    @property
    def available(self) -> bool:
        """Whether there is a p-value."""
        return bool(np.isfinite(self.p))


@one_blas_thread()
def normality_test(calibration: Calibration, min_expected: float = _MIN_EXPECTED) -> NormalityTest:
    """Summed-score likelihood-based test of a normal ability (Li & Cai 2018).

    Null hypothesis: the number-correct scores are distributed as the calibration (items and normal ability) implies.
    Pearson's X2 over the scores is not chi-square with cells - 1 degrees of freedom, since parameters are estimated;
    with covariance Xi = diag(pi) - pi pi' - N D V D' of the residuals (D the derivatives of the score probabilities
    pi, V the covariance of the estimates) its first two moments are matched (Satorra & Bentler 1994). Insensitive to
    several abilities, so a small p speaks of the shape of ability.

    Parameters
    ----------
    calibration : Calibration
        One ability. Where responses are missing, the subjects without a missing one are tested, and the note says how
        many they are: valid only if responses are missing completely at random.
    min_expected : float
        Neighbouring scores are pooled, from the lowest up, until each cell expects this many subjects.

    Returns
    -------
    NormalityTest
        With NaN and the reason in `note` where nobody answered everything, the covariance is not available, or the
        calibration's ability is not normal.
    """
    require(calibration, Calibration, "the calibration", "normality_test", "Fit one with fit_mml")
    require(min_expected, Real, "min_expected", "normality_test", "Give a number of subjects above 0, e.g. 5")
    reason = _why_not(calibration)
    if reason:
        return _unavailable(reason)
    data = fitted_data(calibration, "normality test")
    probability, slopes = _score_probabilities(calibration, data.correct, data.wrong)
    codes, weights, of_missing = _complete(data.patterns)
    total = float(weights.sum())
    observed = np.bincount(codes.sum(1), weights=weights, minlength=len(probability))
    pool = _pooling(total * probability, min_expected)
    expected, seen, change = pool @ (total * probability), pool @ observed, pool @ slopes
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    share = expected / total
    middle, note = _parameter_covariance(calibration)
    residual = np.diag(share) - np.outer(share, share) - total * change @ middle @ change.T
    scaled = residual / np.sqrt(np.outer(share, share))
    first, second = float(np.trace(scaled)), float(np.sum(scaled**2))
    if len(share) < 2 or first < _FEWEST_DF:
        return _unavailable("too few scores: the item parameters fit almost any distribution of them")
    adjusted, df = statistic * first / second, first**2 / second
    note = "; ".join(filter(None, (note, of_missing)))
    return NormalityTest(statistic, len(share), adjusted, df, float(chi2.sf(adjusted, df)), note)


def _complete(patterns: PatternSource) -> tuple[NDArray[np.int8], Array, str]:
    """Patterns without a missing answer, their weights, and a note where others are left out.

    The parameters may come from everybody: the residuals' covariance has the same form with N the complete subjects.
    """
    complete = np.all(patterns.codes >= 0, axis=1)
    codes, weights = patterns.codes[complete], patterns.weights[complete]
    if complete.all():
        return codes, weights, ""
    lacking = f"{patterns.weights[~complete].sum():g} of {patterns.total:g} subjects have missing responses"
    return codes, weights, f"on complete rows only: {lacking}; valid only if they are missing completely at random"


def _unavailable(reason: str) -> NormalityTest:
    return NormalityTest(float("nan"), 0, float("nan"), float("nan"), float("nan"), f"not available: {reason}")


def _why_not(calibration: Calibration) -> str:
    """Why the test cannot be made; empty if it can."""
    if calibration.patterns is None:
        return "parameters were fixed without responses"
    if calibration.item_parameters.dimensions != 1:
        return "the items measure several abilities"
    if calibration.why_no_chi_square:
        return calibration.why_no_chi_square
    if not isinstance(calibration.population, NormalPopulation):
        return "the items were calibrated under another density than the normal one"
    if not (calibration.patterns.codes >= 0).all(axis=1).any():
        return "nobody answered everything, and number-correct scores of different items are not comparable"
    if calibration.n_parameters and calibration.default_cov.matrix is None:
        return "there is no full covariance of so many parameters"
    if calibration.n_parameters and np.isnan(calibration.default_cov.variances).all():
        return "the covariance of the item parameters is not available"
    return ""


def _score_probabilities(calibration: Calibration, correct: Array, wrong: Array) -> tuple[Array, Array]:
    """Probability of each score, shape (J + 1,), and its derivatives in the free parameters, (J + 1, size).

    P(score = s) = P_j R_j(s - 1) + (1 - P_j) R_j(s), R_j the distribution of the other items' score, so that the
    derivative in a parameter of item j is P_j' (R_j(s - 1) - R_j(s)).
    """
    weights = np.exp(calibration.log_weights)
    layout = calibration.layout
    scores = calibration.model.scores(calibration.item_parameters.values, calibration.grid.nodes)
    change = (weights * correct)[:, None] * np.moveaxis(scores[:, 1], 2, 1)
    sums = rest_score_sums(correct, wrong, np.ascontiguousarray(change))
    slopes = np.zeros((len(correct) + 1, layout.size))
    for at, of_item in zip(layout.index, sums, strict=True):
        free = at >= 0
        slopes[1:, at[free]] += of_item[free].T
        slopes[:-1, at[free]] -= of_item[free].T
    whole = score_distribution(correct, wrong)
    latent, _ = calibration.population.moment_scores(calibration.grid, layout.free_moments)
    slopes[:, layout.item_size :] = whole @ (weights * latent).T
    return whole @ weights, slopes


def _pooling(expected: Array, least: float) -> Array:
    """0/1 matrix (cells, scores): from the lowest score up each cell takes scores until it expects `least`."""
    starts, total = [0], 0.0
    for score, count in enumerate(expected[:-1]):
        total += float(count)
        if total >= least:
            starts.append(score + 1)
            total = 0.0
    if total + float(expected[-1]) < least and len(starts) > 1:
        starts.pop()
    cell = np.searchsorted(starts, np.arange(len(expected)), side="right") - 1
    return (np.arange(len(starts))[:, None] == cell).astype(float)


def _parameter_covariance(calibration: Calibration) -> tuple[Array, str]:
    """Covariance V that enters the residuals, estimation scale, and what to know about it.

    With H the information and B what priors add to it, estimates move with the data by (H + B)^-1, and V becomes
    C + C B C for C = (H + B)^-1. A parameter without a covariance (at its boundary) is taken as known.
    """
    size = calibration.n_parameters
    if not size:
        return np.zeros((0, 0)), "no parameter is free: they are taken as known"
    natural = calibration.default_cov.matrix
    assert natural is not None
    slopes = np.ones(size)
    for slot in ("c", "d"):
        at = calibration.layout.positions(slot)
        value = calibration.params.to_numpy()[at]
        slopes[at] = value * (1.0 - value)
    known = np.isnan(calibration.default_cov.variances)
    inverse = np.zeros((size, size))
    keep = np.ix_(~known, ~known)
    inverse[keep] = natural[keep] / np.outer(slopes[~known], slopes[~known])
    added = -calibration.priors.curvature(calibration.x)
    note = f"{int(known.sum())} parameters without a covariance are taken as known" if known.any() else ""
    return inverse + (inverse * added) @ inverse, note
