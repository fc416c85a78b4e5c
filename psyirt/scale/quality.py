"""How good a scale is, in the numbers that come first in every summary of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import Patterns
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scale.crowd import Crowd
from psyirt.scoring.eap import expected_a_posteriori
from psyirt.scoring.information import empirical_reliability, item_information, marginal_reliability
from psyirt.scoring.problem import ScoringProblem

Array = NDArray[np.float64]

_POINTS = tuple(float(point) for point in np.linspace(-3.0, 3.0, 13))


@dataclass(frozen=True)
class Quality:
    """What a scale can and cannot tell apart.

    Attributes
    ----------
    n_items : int
        J.
    theta_low, theta_high : float
        EAP of all items wrong and of all items right: no subject who answers every item scores outside.
    at_floor, at_ceiling : float
        Share of the crowd (of those who answered every item) with all items wrong, or all right; NaN without crowd.
    n_complete : float
        How many of the crowd answered every item.
    marginal_reliability : float
        Population mean of information / (information + 1 / variance).
    empirical_reliability : float
        Variance of the crowd's EAPs / (that + their mean squared standard error); NaN without crowd.
    median_se : float
        Median posterior standard deviation in the crowd; NaN without crowd.
    theta : tuple of float
        Abilities -3, -2.5, ..., 3.
    information, se : tuple of float
        Test information there, and 1 / sqrt of it.
    notes : tuple of str
        What to know about these numbers.
    """

    n_items: int
    theta_low: float
    theta_high: float
    at_floor: float
    at_ceiling: float
    n_complete: float
    marginal_reliability: float
    empirical_reliability: float
    median_se: float
    theta: tuple[float, ...]
    information: tuple[float, ...]
    se: tuple[float, ...]
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The block as lines of text."""
        reach = f"theta {self.theta_low:.2f} (all wrong) to {self.theta_high:.2f} (all right)"
        lines = [f"items             {self.n_items}", f"attainable range  {reach}"]
        if self.n_complete > 0:
            ends = f"{self.at_ceiling:.1%} all right, {self.at_floor:.1%} all wrong"
            lines.append(f"crowd at the ends {ends} (of {self.n_complete:g} who answered every item)")
        crowd = "" if np.isnan(self.empirical_reliability) else f", empirical {self.empirical_reliability:.2f}"
        lines.append(f"reliability       marginal {self.marginal_reliability:.2f}{crowd}")
        if np.isfinite(self.median_se):
            lines.append(f"standard error    median {self.median_se:.2f} in the crowd")
        shown = [
            f"{at:g}: {value:.1f}" for at, value in zip(self.theta, self.information, strict=True) if at == int(at)
        ]
        lines.append(f"information       at theta {', '.join(shown)}")
        return lines + [f"note: {note}" for note in self.notes]


@dataclass(frozen=True, eq=False)
class PatternAbilities:
    """EAP and its standard error for each response pattern, shape (R,)."""

    theta: Array
    se: Array


def pattern_abilities(
    patterns: PatternSource, parameters: ItemParameters, population: Population, grid: Grid
) -> PatternAbilities:
    """EAP of every pattern of a crowd."""
    return PatternAbilities(*expected_a_posteriori(ScoringProblem(patterns, parameters, population, grid)))


def make_quality(
    parameters: ItemParameters,
    population: Population,
    grid: Grid,
    crowd: Crowd | None = None,
    patterns: PatternSource | None = None,
    abilities: PatternAbilities | None = None,
) -> Quality:
    """The quality block of J items.

    Parameters
    ----------
    parameters, population, grid
        The scale.
    crowd, patterns, abilities : optional
        The calibration's subjects; without them what needs them is NaN.

    Returns
    -------
    Quality
    """
    ends = np.array([np.zeros(len(parameters)), np.ones(len(parameters))], dtype=np.int8)
    (low, high), _ = expected_a_posteriori(ScoringProblem(Patterns.of(ends), parameters, population, grid))
    information = item_information(parameters, _POINTS).to_numpy().sum(1)
    notes: list[str] = []
    reliability = median = float("nan")
    if crowd is None or patterns is None or abilities is None:
        notes.append("no crowd: the parameters were fixed without responses")
    else:
        reliability, median = _in_crowd(patterns.weights, abilities)
        if np.isnan(reliability):
            notes.append("empirical reliability needs two subjects and weights that are whole numbers")
        if crowd.n_complete < crowd.n:
            notes.append(f"{crowd.n - crowd.n_complete:g} of {crowd.n:g} subjects left items unanswered")
    falling = int((parameters.slopes[:, 0] < 0).sum())
    if falling:
        notes.append(f"{falling} items have a negative slope: all right is not the highest ability")
    with np.errstate(divide="ignore"):
        se = 1.0 / np.sqrt(information)
    return Quality(
        n_items=len(parameters),
        theta_low=float(low),
        theta_high=float(high),
        at_floor=crowd.at_floor if crowd else float("nan"),
        at_ceiling=crowd.at_ceiling if crowd else float("nan"),
        n_complete=crowd.n_complete if crowd else 0.0,
        marginal_reliability=marginal_reliability(parameters, population, grid),
        empirical_reliability=reliability,
        median_se=median,
        theta=_POINTS,
        information=tuple(float(value) for value in information),
        se=tuple(float(value) for value in se),
        notes=tuple(notes),
    )


def _in_crowd(weights: Array, abilities: PatternAbilities) -> tuple[float, float]:
    """Empirical reliability (NaN if weights are not whole numbers) and weighted median standard error."""
    order = np.argsort(abilities.se, kind="stable")
    below = np.cumsum(weights[order])
    median = float(abilities.se[order][np.searchsorted(below, 0.5 * below[-1])])
    copies = np.rint(weights)
    if not np.array_equal(weights, copies) or copies.sum() < 2:
        return float("nan"), median
    times = copies.astype(int)
    return empirical_reliability(np.repeat(abilities.theta, times), np.repeat(abilities.se, times)), median
