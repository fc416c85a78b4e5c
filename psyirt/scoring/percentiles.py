"""Where a subject stands: in the population (from the posterior) and in an observed crowd (by rank)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.any_responses import AnyResponses
from psyirt.data.keeping import kept_patterns
from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.eap import GridPosterior, grid_posteriors, posterior_weights, refined, some_patterns
from psyirt.scoring.problem import ScoringProblem, match_items

Array = NDArray[np.float64]

Rows = NDArray[np.intp]

_LEVELS = (0.025, 0.975)
_COLUMNS = ("theta", "se", "lower", "upper", "percentile", "percentile_low", "percentile_high")
# nodes per posterior standard deviation: quantiles are then good to less than 1e-3 of it
_NODES_PER_SD = 4


@one_blas_thread()
def posterior_summary(
    parameters: ItemParameters,
    population: Population,
    grid: Grid,
    responses: AnyResponses,
) -> pd.DataFrame:
    """Posterior of every subject's ability in numbers a person can use.

    Parameters
    ----------
    parameters : ItemParameters
        J items of one dimension.
    population : Population
        The prior, and the people that percentiles compare with.
    grid : Grid
        The nodes; patterns whose posterior is narrow use a finer grid over the same range.
    responses : Responses
        Items are matched by name; items that are absent count as missing.

    Returns
    -------
    DataFrame
        Index ``subject``; columns ``theta``, ``se`` (posterior mean and standard deviation: the EAP), ``lower``,
        ``upper`` (2.5 % and 97.5 % posterior quantiles), ``percentile`` (posterior mean of
        100 * F(theta), F the population's distribution function: the share of it expected below the subject),
        ``percentile_low``, ``percentile_high`` (the same function of ``lower`` and ``upper``); percentiles are 0 to
        100.

    Raises
    ------
    InputError
        If an item is unknown, or the items measure several abilities.
    """
    parameters, responses = match_items(parameters, responses)
    patterns = kept_patterns(responses)
    problem = ScoringProblem(patterns, parameters, population, grid)
    table = np.empty((patterns.rows, len(_COLUMNS)))
    for part in grid_posteriors(problem):
        for rows, values in _summaries(problem, part):
            table[rows] = values
    nothing = problem.answered == 0
    table[nothing, :2] = population.mean, population.sd
    return pd.DataFrame(
        table[patterns.index], index=pd.Index(responses.subject_names, name="subject"), columns=list(_COLUMNS)
    )


def _summaries(problem: ScoringProblem, part: GridPosterior) -> Iterator[tuple[Rows, Array]]:
    """Rows and their values of `_COLUMNS`, on grids with `_NODES_PER_SD` nodes in a standard deviation or more."""
    factors = 2 ** np.ceil(np.log2(np.maximum(_NODES_PER_SD * part.grid.spacing / part.se, 1.0))).astype(int)
    for factor in np.unique(factors):
        chosen = factors == factor
        rows = part.rows[chosen]
        bounds, percentile = _on_grid(some_patterns(problem, rows), refined(part.grid, int(factor)))
        between = 100.0 * problem.population.share_below(bounds)
        yield rows, np.column_stack([part.theta[chosen], part.se[chosen], bounds, percentile, between])


def _on_grid(problem: ScoringProblem, grid: Grid) -> tuple[Array, Array]:
    """Quantiles (R, 2) and mean percentile (R,) of the posteriors on the nodes of `grid`."""
    nodes = grid.nodes[:, 0]
    share_below = 100.0 * problem.population.share_below(nodes)
    bounds, percentile = np.empty((problem.patterns.rows, len(_LEVELS))), np.empty(problem.patterns.rows)
    for rows, weights in posterior_weights(problem, grid):
        bounds[rows] = grid_quantiles(nodes, weights, _LEVELS)
        percentile[rows] = np.einsum("rq,q->r", weights, share_below)
    return bounds, percentile


def grid_quantiles(nodes: Array, weights: Array, levels: tuple[float, ...]) -> Array:
    """Quantiles of smooth densities known at equally spaced nodes.

    The weight of a node is taken as the density there. The distribution function is summed with the four-point rule
    h/24 (-f[k-1] + 13 f[k] + 13 f[k+1] - f[k+2]), exact for cubics, and inverted between two nodes by the cubic in F
    that has their abscissae and slopes dx/dF = 1/f.

    Parameters
    ----------
    nodes : ndarray, shape (Q,)
        Equally spaced; the error is below 1e-3 standard deviations with four nodes in one, below 1e-4 with eight.
    weights : ndarray, shape (R, Q)
        Rows sum to 1.
    levels : tuple of float
        Probabilities.

    Returns
    -------
    ndarray, shape (R, len(levels))
    """
    spacing = nodes[1] - nodes[0]
    padded = np.pad(weights, ((0, 0), (1, 1)))
    # a density that ends abruptly at the first or last node could give a cell a negative mass
    mass = np.maximum(13.0 * (weights[:, :-1] + weights[:, 1:]) - padded[:, :-3] - padded[:, 3:], 0.0) / 24.0
    below = np.cumsum(np.pad(mass, ((0, 0), (1, 0))), axis=1)
    below /= below[:, -1:]
    row = np.arange(len(weights))
    out = np.empty((len(weights), len(levels)))
    for column, level in enumerate(levels):
        # the last node with F <= level; the next one lies above it
        k = np.clip((below <= level).sum(1) - 1, 0, len(nodes) - 2)
        cell = below[row, k + 1] - below[row, k]
        t = (level - below[row, k]) / cell
        # slopes up to 3 keep the cubic increasing; beside a gap in the density they would be larger
        left, right = (np.minimum(cell / weights[row, at], 3.0) for at in (k, k + 1))
        out[:, column] = nodes[k] + t * t * (3.0 - 2.0 * t) * spacing
        out[:, column] += spacing * t * (1.0 - t) * ((1.0 - t) * left - t * right)
    return out


@dataclass(frozen=True, eq=False)
class CrowdRank:
    """Standing of values in a crowd.

    Attributes
    ----------
    percentile : ndarray, shape (N,)
        Mid-rank percentile, 0 to 100: the share of the crowd below plus half the share that ties.
    tied : ndarray, shape (N,)
        Share of the crowd with the same value, 0 to 1.
    """

    percentile: Array
    tied: Array


def crowd_percentile(values: ArrayLike, crowd: ArrayLike, tolerance: float = 1e-9) -> CrowdRank:
    """Mid-rank percentile of values among a crowd's.

    Parameters
    ----------
    values : array_like, shape (N,) or a number
        Abilities or numbers correct; NaN gives NaN, infinities rank as such.
    crowd : array_like, shape (M,)
        The same quantity of M people.
    tolerance : float
        Values this close are ties: abilities of equal patterns may differ in their last digits.

    Returns
    -------
    CrowdRank

    Raises
    ------
    InputError
        If the crowd is empty or one of its values is NaN.
    """
    asked = np.atleast_1d(np.asarray(values, dtype=float))
    others = np.sort(np.asarray(crowd, dtype=float).ravel())
    if len(others) == 0:
        raise InputError("the crowd is empty", "crowd percentile", "Give the crowd's values")
    if np.isnan(others).any():
        raise InputError(
            f"{int(np.isnan(others).sum())} of the crowd's {len(others)} values are missing",
            "crowd percentile",
            "Leave them out",
        )
    below = np.searchsorted(others, asked - tolerance, side="left")
    upto = np.searchsorted(others, asked + tolerance, side="right")
    unknown = np.isnan(asked)
    percentile = 100.0 * (below + upto) / (2.0 * len(others))
    tied = (upto - below) / len(others)
    return CrowdRank(np.where(unknown, np.nan, percentile), np.where(unknown, np.nan, tied))
