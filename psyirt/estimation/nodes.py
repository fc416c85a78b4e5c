"""How close the nodes must stand: a posterior narrower than the space between them falls through."""

from __future__ import annotations

import numpy as np

from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.estimation.problem import Problem
from psyirt.latent.population import Grid, smallest_variance
from psyirt.likelihood import largest_information
from psyirt.models.base import Array

# Spacing in posterior standard deviations. Sums over equally spaced nodes h apart are off by a factor of
# 1 + 2 exp(-2 pi^2 sd^2 / h^2) at most: 6e-6 here, 3e-4 at 1.5, 1e-2 at 2.
WIDEST_SPACING = 1.25
# a free variance below this may be on its way to its boundary 0
SMALL_VARIANCE = 0.01
# people beyond are too few to matter, in population standard deviations
_CROWD = 3.0
# more nodes than this would be a sign of something else
_MOST_NODES = 8000
# items whose information is held at once
_BLOCK = 2048


def narrowest_posterior(problem: Problem, x: Array) -> float:
    """Smallest posterior standard deviation of ability that a subject can have.

    Parameters
    ----------
    problem : Problem
        Items and population.
    x : ndarray, shape (size,)
        Their parameters.

    Returns
    -------
    float
        1 / sqrt(test information + 1 / variance), at its smallest within 3 population standard deviations. The test
        is that of all items, or, where responses are kept answer by answer, of the items that a subject answered.
    """
    population = problem.population(x)
    nodes = np.linspace(-_CROWD, _CROWD, 61)[:, None] * population.sd + population.mean
    values = problem.layout.values(x)
    if isinstance(problem.patterns, SparsePatterns):
        largest = largest_information(problem.patterns, problem.model.information(values, nodes))
    else:
        information = np.zeros(len(nodes))
        for start in range(0, len(values), _BLOCK):
            information += problem.model.information(values[start : start + _BLOCK], nodes).sum(axis=0)
        largest = float(information.max())
    return float(1.0 / np.sqrt(largest + 1.0 / population.variance))


def at_boundary(problem: Problem, x: Array) -> bool:
    """Whether a free latent variance is as small as the nodes can tell from 0."""
    return problem.layout.frees_variance and problem.population(x).variance < 1.01 * smallest_variance(problem.grid)


def fine_enough(problem: Problem, x: Array) -> Grid:
    """The problem's grid, its spacing halved until no posterior falls through.

    Parameters
    ----------
    problem, x
        See :func:`narrowest_posterior`.

    Returns
    -------
    Grid
        With the same ends; every node of the old grid is one of the new.
    """
    if at_boundary(problem, x):
        # finer nodes would only let it come closer to 0
        return problem.grid
    grid, sd = problem.grid, narrowest_posterior(problem, x)
    while grid.spacing > WIDEST_SPACING * sd and 2 * grid.count - 1 <= _MOST_NODES:
        grid = Grid(2 * grid.count - 1, grid.low, grid.high)
    return grid
