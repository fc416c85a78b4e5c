"""Abilities that maximise something: the posterior (MAP), the likelihood (ML), Warm's weighted likelihood (WLE).

None of them is confined to a grid: the search covers every point where the function can bend.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import NotAvailableError
from psyirt.foundation.threads import slices
from psyirt.latent.density import Population
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.curves import PatternCurves
from psyirt.scoring.problem import ScoringProblem
from psyirt.scoring.search import highest_peaks, mesh

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# patterns worked on at once: about this many responses, which stay in the processor's cache, but never fewer rows
_BLOCK_CELLS, _BLOCK_ROWS = 25_000, 128
# relative difference below which log-likelihoods are equal: the plateau of a tail is not a maximum
_TIE = 1e-12


class LogPosterior:
    """Log-likelihood plus the population's log-density (without its constant)."""

    def __init__(self, curves: PatternCurves, population: Population) -> None:
        self.curves, self.population = curves, population

    def at_nodes(self, nodes: Array) -> Array:
        """See :class:`psyirt.scoring.search.Criterion`."""
        return self.curves.at_nodes(nodes) + self.population.log_density(nodes)

    def value(self, theta: Array, rows: Rows) -> Array:
        """See :class:`psyirt.scoring.search.Criterion`."""
        return self.curves.value(theta, rows) + self.population.log_density(theta)

    def slope(self, theta: Array, rows: Rows) -> Array:
        """See :class:`psyirt.scoring.search.Criterion`."""
        return self.curves.slope(theta, rows) + self.population.log_density_slopes(theta)[0]


class WeightedLogLikelihood:
    """Log-likelihood plus half the log of the test information."""

    def __init__(self, curves: PatternCurves) -> None:
        self.curves = curves

    def at_nodes(self, nodes: Array) -> Array:
        """See :class:`psyirt.scoring.search.Criterion`; minus infinity where there is no information."""
        with np.errstate(divide="ignore"):
            return self.curves.at_nodes(nodes) + 0.5 * np.log(self.curves.information_at_nodes(nodes))

    def value(self, theta: Array, rows: Rows) -> Array:
        """See :class:`psyirt.scoring.search.Criterion`."""
        _, information, _ = self.curves.slope_and_information(theta, rows)
        return self.curves.value(theta, rows) + 0.5 * np.log(information)

    def slope(self, theta: Array, rows: Rows) -> Array:
        """See :class:`psyirt.scoring.search.Criterion`."""
        slope, information, change = self.curves.slope_and_information(theta, rows)
        return slope + 0.5 * change / information


def maximum_a_posteriori(problem: ScoringProblem) -> tuple[Array, Array]:
    """MAP: the mode of the posterior under a population whose density is smooth.

    Parameters
    ----------
    problem : ScoringProblem
        R patterns.

    Returns
    -------
    tuple of two ndarrays, each of shape (R,)
        theta and 1 / sqrt(minus the second derivative of the log-posterior), in a normal population the observed
        information at theta + 1 / variance; the highest point of the density where nothing was answered.

    Raises
    ------
    NotAvailableError
        If ability is a histogram: its steps have no mode to speak of.
    """
    if not problem.population.is_smooth:
        raise NotAvailableError("a histogram of ability has no smooth mode", "MAP", "Use EAP, ML or WLE")
    theta, se = _unknown(problem)
    points = _mesh(problem.parameters, problem.population)
    for rows, curves in _blocks(problem):
        theta[rows] = highest_peaks(LogPosterior(curves, problem.population), points)
        _, bend = curves.derivatives(theta[rows], np.arange(len(curves)))
        se[rows] = 1.0 / np.sqrt(-problem.population.log_density_slopes(theta[rows])[1] - bend)
    return theta, se


def maximum_likelihood(problem: ScoringProblem) -> tuple[Array, Array]:
    """ML: the highest point of the likelihood, at infinity where the likelihood rises towards it.

    Parameters
    ----------
    problem : ScoringProblem
        R patterns.

    Returns
    -------
    tuple of two ndarrays, each of shape (R,)
        theta and 1 / sqrt(observed information at theta). All right is +inf, all wrong -inf; with a lower
        asymptote so is every pattern that guessing alone explains better than any ability. The standard error is
        NaN there. Both are NaN where nothing was answered or the likelihood does not depend on theta.
    """
    theta, se = _unknown(problem)
    points = _mesh(problem.parameters)
    for rows, curves in _blocks(problem):
        found = highest_peaks(curves, points)
        finite = np.flatnonzero(np.isfinite(found))
        best = np.full(len(curves), -np.inf)
        best[finite] = curves.value(found[finite], finite)
        found = _or_infinite(found, best, *curves.limits())
        finite = np.flatnonzero(np.isfinite(found))
        _, bend = curves.derivatives(found[finite], finite)
        theta[rows] = found
        se[rows.start + finite] = 1.0 / np.sqrt(-bend)
    return theta, se


def weighted_likelihood(problem: ScoringProblem) -> tuple[Array, Array]:
    """WLE: maximises log-likelihood + log(test information) / 2; finite for every pattern.

    For the Rasch model, the 1PL and the 2PL this is the weighted likelihood estimate of Warm (1989, eq. 9), whose
    bias is of smaller order than 1 / n. With asymptotes Warm's weight is another function (his J / 2I is then not
    half the derivative of log I); what is maximised here is the same expression as without them, the posterior mode
    under Jeffreys' prior. R's mirt makes the same choice.

    Parameters
    ----------
    problem : ScoringProblem
        R patterns.

    Returns
    -------
    tuple of two ndarrays, each of shape (R,)
        theta and 1 / sqrt(test information at theta); NaN where nothing was answered or no answered item has a slope.
    """
    theta, se = _unknown(problem)
    points = _mesh(problem.parameters)
    for rows, curves in _blocks(problem):
        found = highest_peaks(WeightedLogLikelihood(curves), points)
        finite = np.flatnonzero(np.isfinite(found))
        _, information, _ = curves.slope_and_information(found[finite], finite)
        theta[rows] = found
        se[rows.start + finite] = 1.0 / np.sqrt(information)
    return theta, se


def _unknown(problem: ScoringProblem) -> tuple[Array, Array]:
    """NaN for every pattern's theta and standard error."""
    return np.full(problem.patterns.rows, np.nan), np.full(problem.patterns.rows, np.nan)


def _mesh(parameters: ItemParameters, population: Population | None = None) -> Array:
    """Points that see every item (and the prior) bend."""
    sloped = parameters.slopes[:, 0] != 0.0
    centres, widths = parameters.difficulties[sloped], 1.0 / np.abs(parameters.slopes[sloped, 0])
    if population is not None:
        own = population.bends()
        centres, widths = np.append(centres, own[0]), np.append(widths, own[1])
    return mesh(centres, widths)


def _blocks(problem: ScoringProblem) -> Iterator[tuple[slice, PatternCurves]]:
    """The patterns, a block at a time."""
    step = max(_BLOCK_ROWS, _BLOCK_CELLS // max(len(problem.parameters), 1))
    for rows in slices(problem.patterns.rows, step):
        yield rows, PatternCurves(problem.parameters, problem.patterns.codes_of(rows))


def _or_infinite(theta: Array, best: Array, at_minus: Array, at_plus: Array) -> Array:
    """Theta, or the infinity towards which the likelihood rises at least as high; NaN where it does both ways."""
    level = np.maximum(best, np.maximum(at_minus, at_plus))
    level = level - _TIE * (1.0 + np.abs(level))
    plus, minus = at_plus >= level, at_minus >= level
    return np.select([plus & minus, plus, minus], [np.nan, np.inf, -np.inf], theta)
