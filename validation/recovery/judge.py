"""What the replications say: coverage and bias, beside what chance alone would do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from validation.recovery.study import Design, Fits

LEVEL = 0.95
POOLED_GOAL = (0.94, 0.96)
EACH_GOAL = (0.90, 0.985)
# shares that equal a goal but for rounding meet it
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ChanceRange:
    """The lowest and highest coverage of K parameters, if every interval covers with probability exactly .95.

    K independent binomial counts of R replications; parameters of one fit are nearly so.

    Attributes
    ----------
    lowest, highest : float
        Expected lowest and highest coverage.
    expected_outside : float
        Expected number of parameters outside the goal.
    probability_inside : float
        That all K lie within the goal.
    """

    lowest: float
    highest: float
    expected_outside: float
    probability_inside: float


@dataclass(frozen=True, eq=False)
class Verdict:
    """Coverage and bias of a recovery study.

    Attributes
    ----------
    design : Design
        What was simulated.
    parameters : DataFrame, index (parameter, item)
        truth, mean_estimate, mean_se, sd_estimate, coverage, intervals (how many there were), bias, bias_limit.
    by_slot : DataFrame, index parameter
        coverage, lowest, highest, mean bias in SE, mean SE / sd of the estimates, over all items.
    pooled_coverage, pooled_mc_error : float
        Share of all intervals that cover; its Monte Carlo SE, over replications.
    chance : ChanceRange
        What the range of coverages would be by chance.
    unbiased_probability : float
        That all parameters would meet the bias goal if none were biased.
    not_converged, without_interval : int
        Fits that stopped at the limit; intervals that could not be given.
    fit_seconds, error_seconds : float
        Median per replication.
    """

    design: Design
    parameters: pd.DataFrame
    by_slot: pd.DataFrame
    pooled_coverage: float
    pooled_mc_error: float
    chance: ChanceRange
    unbiased_probability: float
    not_converged: int
    without_interval: int
    fit_seconds: float
    error_seconds: float

    @property
    def pooled_met(self) -> bool:
        """Whether pooled coverage is within 94-96 %."""
        return POOLED_GOAL[0] <= self.pooled_coverage <= POOLED_GOAL[1]

    @property
    def outside(self) -> pd.DataFrame:
        """Parameters whose coverage lies outside 90-98.5 %."""
        low, high = EACH_GOAL
        return self.parameters[~self.parameters["coverage"].between(low - _ROUNDING, high + _ROUNDING)]

    @property
    def biased(self) -> pd.DataFrame:
        """Parameters whose bias is not below .1 SE + 2 Monte Carlo SE."""
        return self.parameters[~(self.parameters["bias"].abs() < self.parameters["bias_limit"])]


def judge(design: Design, fits: Fits) -> Verdict:
    """Coverage and bias of a study's fits.

    Parameters
    ----------
    design : Design
        What was simulated.
    fits : Fits
        Its fits.

    Returns
    -------
    Verdict
    """
    truth = design.truth
    covered = _covered(fits, truth.to_numpy())
    parameters = _per_parameter(fits, truth, covered)
    shares = np.nanmean(covered, axis=1)
    count = len(truth)
    per_slot = parameters.groupby(level="parameter", sort=False)
    return Verdict(
        design,
        parameters,
        pd.DataFrame(
            {
                "coverage": per_slot["coverage"].mean(),
                "lowest": per_slot["coverage"].min(),
                "highest": per_slot["coverage"].max(),
                "bias_in_se": (parameters["bias"] / parameters["mean_se"]).groupby(level=0, sort=False).mean(),
                "se_over_sd": (parameters["mean_se"] / parameters["sd_estimate"]).groupby(level=0, sort=False).mean(),
            }
        ),
        float(np.nanmean(covered)),
        float(shares.std(ddof=1) / np.sqrt(len(shares))),
        chance_range(design.replications, count),
        # |mean| < .1 SE + 2 MCSE where the mean is N(0, MCSE^2) and MCSE = SE / sqrt(R)
        float((1.0 - 2.0 * norm.sf(2.0 + 0.1 * np.sqrt(design.replications))) ** count),
        int((~fits.converged).sum()),
        int(np.isnan(covered).sum()),
        float(np.median(fits.fit_seconds)),
        float(np.median(fits.error_seconds)),
    )


def _covered(fits: Fits, truth: np.ndarray) -> np.ndarray:
    """Shape (R, parameters): 1 where the Wald interval holds the truth, 0 where not, NaN where there is none."""
    half = norm.ppf(0.5 + LEVEL / 2.0) * fits.errors
    distance = np.abs(fits.estimates - truth)
    return np.where(np.isnan(half + distance), np.nan, (distance <= half).astype(float))


def _per_parameter(fits: Fits, truth: pd.Series, covered: np.ndarray) -> pd.DataFrame:
    """One row per parameter."""
    # pandas leaves missing values out, and gives NaN where nothing is left
    estimates, errors, hits = (
        pd.DataFrame(table, columns=truth.index) for table in (fits.estimates, fits.errors, covered)
    )
    mean, spread, error = estimates.mean(), estimates.std(), errors.mean()
    return pd.DataFrame(
        {
            "truth": truth,
            "mean_estimate": mean,
            "mean_se": error,
            "sd_estimate": spread,
            "coverage": hits.mean(),
            "intervals": hits.count(),
            "bias": mean - truth,
            "bias_limit": 0.1 * error + 2.0 * spread / np.sqrt(estimates.count()),
        }
    ).reindex(truth.index)


def chance_range(replications: int, parameters: int) -> ChanceRange:
    """What the lowest and highest coverage would be if every interval covered with probability exactly .95."""
    counts = np.arange(replications + 1)
    at_most = binom.cdf(counts, replications, LEVEL)
    # E max X = sum over x of P(max > x); the lowest likewise from P(min > x)
    highest = (1.0 - at_most**parameters).sum()
    lowest = ((1.0 - at_most) ** parameters).sum()
    shares = counts / replications
    inside = counts[(shares >= EACH_GOAL[0] - _ROUNDING) & (shares <= EACH_GOAL[1] + _ROUNDING)]
    each = binom.pmf(inside, replications, LEVEL).sum()
    return ChanceRange(
        float(lowest / replications),
        float(highest / replications),
        float(parameters * (1.0 - each)),
        float(each**parameters),
    )
