"""Posterior mean and standard deviation (Bock & Mislevy 1982), on nodes that fit the posterior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import EstimationError
from psyirt.latent.population import Grid
from psyirt.likelihood import log_probability_table, posteriors
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.problem import ScoringProblem

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# a posterior with more than this weight on the first or last node (per spacing of the given grid) is cut off by it
_EDGE_WEIGHT = 1e-5
# largest slope times spacing at which sums over nodes are integrals: what is left out is about
# 2 exp(-2 pi^2 / this), 5e-9, because a logistic curve of slope a has its poles pi / a off the real line
_STEEPEST = 1.0
# a step is placed to about a thousandth on so many nodes, however steep it is
_MAX_NODES_FOR_STEPS = 5_000
# nodes x patterns held at once
_CELLS = 4_000_000
_REFINEMENT = 4
_MAX_NODES = 20_000


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """Moments of some patterns' posteriors and the grid they were taken on.

    Attributes
    ----------
    rows : ndarray of int, shape (N,)
        Which patterns.
    grid : Grid
        Nodes that fit these posteriors.
    theta, se : ndarray, shape (N,)
        Posterior mean and standard deviation.
    """

    rows: Rows
    grid: Grid
    theta: Array
    se: Array


def refined(grid: Grid, factor: int) -> Grid:
    """The grid with `factor` times as many intervals; every old node is also a new one."""
    return replace(grid, count=(grid.count - 1) * factor + 1)


def widened(grid: Grid) -> Grid:
    """The grid with its range doubled, at the same spacing."""
    more = grid.count // 2
    reach = more * grid.spacing
    return Grid(grid.count + 2 * more, grid.low - reach, grid.high + reach)


def posterior_weights(problem: ScoringProblem, grid: Grid) -> Iterator[tuple[slice, Array]]:
    """Posterior probability of each node of `grid`, a block of patterns at a time.

    Yields
    ------
    tuple of slice and ndarray, shape (rows, Q)
    """
    table = log_probability_table(problem.parameters, grid)
    log_weights = problem.population.log_weights(grid)
    for block in posteriors(problem.patterns, table, log_weights, max(1, _CELLS // grid.count)):
        yield block.rows, block.weights


def grid_posteriors(problem: ScoringProblem) -> Iterator[GridPosterior]:
    """Every pattern's posterior moments, on the problem's grid or on one that fits better.

    Sums over equally spaced nodes are exact to about 1e-8 while the posterior's standard deviation is not below the
    spacing, and worthless at a third of it: with thousands of items every subject would land on a node. Such
    patterns get a finer grid. Patterns whose posterior reaches the first or last node get a wider one. An item so
    steep that its curve is a step between two nodes cuts the posterior there, so that all patterns get a grid on which
    it is a curve.

    Parameters
    ----------
    problem : ScoringProblem
        R patterns.

    Yields
    ------
    GridPosterior
        Each pattern once.

    Raises
    ------
    EstimationError
        If a posterior needs an unreasonable number of nodes.
    """
    yield from _fitting(problem, _fine_enough(problem.grid, problem.parameters), np.arange(problem.patterns.rows))


def _fine_enough(grid: Grid, parameters: ItemParameters) -> Grid:
    """The grid, refined until the steepest item is a curve on it, or up to 5,000 nodes."""
    steepest = float(np.abs(parameters.slopes[:, 0]).max(initial=0.0))
    wanted = np.ceil(steepest * grid.spacing / _STEEPEST)
    factor = int(min(wanted, (_MAX_NODES_FOR_STEPS - 1) // (grid.count - 1)))
    return refined(grid, factor) if factor > 1 else grid


def _fitting(problem: ScoringProblem, grid: Grid, rows: Rows) -> Iterator[GridPosterior]:
    """Moments of some patterns on `grid`, and on other grids of those that it does not fit."""
    if grid.count > _MAX_NODES:
        raise EstimationError(
            f"{len(rows)} posteriors fit no grid of {_MAX_NODES} nodes",
            f"grid from {grid.low:g} to {grid.high:g}",
            "Check the population's variance and the slopes, or score with WLE",
        )
    theta, se, edge = _moments(some_patterns(problem, rows), grid)
    cut = edge > _EDGE_WEIGHT * grid.spacing / problem.grid.spacing
    narrow = ~cut & (se < grid.spacing)
    fits = ~(cut | narrow)
    if fits.any():
        yield GridPosterior(rows[fits], grid, theta[fits], se[fits])
    if cut.any():
        yield from _fitting(problem, widened(grid), rows[cut])
    if narrow.any():
        yield from _fitting(problem, refined(grid, _REFINEMENT), rows[narrow])


def some_patterns(problem: ScoringProblem, rows: Rows) -> ScoringProblem:
    """The problem of some of its patterns."""
    whole = len(rows) == problem.patterns.rows
    return problem if whole else replace(problem, patterns=problem.patterns.take(rows))


def _moments(problem: ScoringProblem, grid: Grid) -> tuple[Array, Array, Array]:
    """Posterior mean, standard deviation and larger end-node weight on `grid`, each of shape (R,)."""
    theta, se, edge = np.empty((3, problem.patterns.rows))
    nodes = grid.nodes[:, 0]
    for rows, weights in posterior_weights(problem, grid):
        mean = np.einsum("rq,q->r", weights, nodes)
        theta[rows] = mean
        se[rows] = np.sqrt(np.einsum("rq,rq->r", weights, (nodes - mean[:, None]) ** 2))
        edge[rows] = np.maximum(weights[:, 0], weights[:, -1])
    return theta, se, edge


def expected_a_posteriori(problem: ScoringProblem) -> tuple[Array, Array]:
    """EAP: posterior mean and standard deviation under the population.

    Parameters
    ----------
    problem : ScoringProblem
        R patterns.

    Returns
    -------
    tuple of two ndarrays, each of shape (R,)
        theta and its standard error; the population's mean and standard deviation where nothing was answered.
    """
    theta, se = np.empty((2, problem.patterns.rows))
    for part in grid_posteriors(problem):
        theta[part.rows], se[part.rows] = part.theta, part.se
    nothing = problem.answered == 0
    theta[nothing], se[nothing] = problem.population.mean, problem.population.sd
    return theta, se
