"""How a fit ended, in words: what a user should know and do when it did not converge."""

from __future__ import annotations

import numpy as np

from psyirt.errors import ConvergenceWarning, PsyirtWarning, QuadratureWarning
from psyirt.estimation.convergence import Step
from psyirt.estimation.nodes import SMALL_VARIANCE, WIDEST_SPACING
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.foundation.words import counted
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.base import Array
from psyirt.models.slope_metric import RUNAWAY_SLOPE
from psyirt.observed_information.point import BOUNDARY_LOGIT

CONVERGED = "converged"
LIMIT = "stopped at the limit"
NO_ESTIMATE = "no finite estimate"
# the public function that warnings name unless it was another
FIT = "fit_mml"
_NAMED = 3
# a larger share of negative slopes is no matter of a few wrong keys
_MANY_FALLING = 0.1


def ending_warning(
    problem: Problem, x: Array, status: str, trace: tuple[Step, ...], options: MMLOptions, place: str = FIT
) -> ConvergenceWarning | None:
    """The warning a status calls for, None where the fit converged.

    Parameters
    ----------
    problem : Problem
        What was fitted.
    x : ndarray, shape (size,)
        Where it ended.
    status : str
        One of the words of this module.
    trace : tuple of Step
        The iterations.
    options : MMLOptions
        The options.
    place : str
        The public function that was called.

    Returns
    -------
    ConvergenceWarning or None
    """
    if status == CONVERGED:
        return None
    away = runaway_items(problem, x)
    if away:
        return ConvergenceWarning(
            f"the slope of {_named(away)} runs away: the data separate right from wrong answers, "
            "and no estimate is finite",
            place,
            "Give a prior on a, e.g. priors={'a': psyirt.priors.LogNormal(0, 0.5)}, or leave the item out",
        )
    if status == NO_ESTIMATE and "mean" in problem.layout.free_moments:
        return ConvergenceWarning(
            "the latent variance runs away: the linking items do not fit this group, or cannot place it",
            place,
            "Look at the linking items, and leave out those that changed their meaning",
        )
    if status == NO_ESTIMATE:
        return ConvergenceWarning(
            "the latent variance runs away: ability reaches beyond the nodes, or the items are copies of each other",
            place,
            "Widen the nodes with MMLOptions(grid=Grid(201, -20, 20)), leave copies out, or fix the variance with "
            "latent_variance=",
        )
    return ConvergenceWarning(
        f"{LIMIT} of {options.max_iterations} iterations, gradient {trace[-1].gradient:.1e} SE and "
        f"step {trace[-1].change:.1e} SE",
        place,
        "Raise MMLOptions(max_iterations=), or give priors",
    )


def runs_away(problem: Problem, x: Array, mapped: Array) -> bool:
    """Whether EM takes a slope no normal curve has still further, or the latent variance beyond the nodes.

    A steep slope on its way back to a finite estimate is not meant.

    Parameters
    ----------
    problem : Problem
        What is fitted.
    x, mapped : ndarray, shape (size,)
        A point and its image under the EM map.
    """
    before, after = _slope_sizes(problem, x), _slope_sizes(problem, mapped)
    return bool(np.any((before > RUNAWAY_SLOPE) & (after >= before))) or variance_runs_away(problem, mapped)


def boundary_warnings(problem: Problem, x: Array, place: str = FIT) -> list[PsyirtWarning]:
    """Estimates at the boundary of what is possible: a shared slope of 0, asymptotes of 0 or 1 that no prior holds.

    Parameters
    ----------
    problem : Problem
        What was fitted.
    x : ndarray, shape (size,)
        The estimates.
    place : str
        The public function that was called.
    """
    layout, found = problem.layout, list[PsyirtWarning]()
    shared = np.flatnonzero(layout.shared)
    flat = [at for at in shared if layout.names[at][0].startswith("a") and x[at] ** 2 < SMALL_VARIANCE]
    if flat:
        found.append(
            QuadratureWarning(
                f"the shared slope {x[flat[0]]:.2g} is next to 0: people hardly differ",
                place,
                "Do not score people with this fit",
            )
        )
    for slot, edge in (("c", 0), ("d", 1)):
        free = [at for at in layout.positions(slot) if problem.priors.at(int(at)) is None]
        ended = [layout.names[at][1] for at in free if abs(x[at]) > BOUNDARY_LOGIT]
        if ended:
            found.append(
                ConvergenceWarning(
                    f"{slot} of {_named(ended)} ends at its boundary {edge}: without a prior the data do not hold it",
                    place,
                    f"Leave {slot} out of these items' model, or keep the default prior",
                )
            )
    return found


def _named(items: list[str]) -> str:
    """The first few items."""
    return ", ".join(repr(item) for item in items[:_NAMED]) + (", ..." if len(items) > _NAMED else "")


def variance_runs_away(problem: Problem, x: Array) -> bool:
    """Whether a free latent variance has grown beyond anything the nodes could tell from infinity."""
    return problem.layout.frees_variance and problem.population(x).sd > problem.grid.high - problem.grid.low


def quadrature_warnings(
    population: Population, grid: Grid, free_variance: bool, narrowest: float, place: str = FIT
) -> list[QuadratureWarning]:
    """Doubts about a grid that is too coarse or too narrow for the ability density, and about a vanishing variance.

    Parameters
    ----------
    population : Population
        The fitted density.
    grid : Grid
        The nodes.
    free_variance : bool
        Whether the variance was estimated.
    narrowest : float
        The smallest standard deviation that a subject's posterior can have.
    place : str
        The public function that was called.

    Returns
    -------
    list of QuadratureWarning
    """
    found = []
    if population.mean - grid.low < 3.0 * population.sd or grid.high - population.mean < 3.0 * population.sd:
        found.append(
            QuadratureWarning(
                f"ability ({_moments(population)}) reaches beyond the nodes [{grid.low:g}, {grid.high:g}]",
                place,
                "Widen them with MMLOptions(grid=Grid(count, low, high))",
            )
        )
    if free_variance and population.variance < SMALL_VARIANCE:
        found.append(
            QuadratureWarning(
                f"the latent variance {population.variance:.2g} is next to its boundary 0: people hardly differ",
                place,
                "Do not score people with this fit",
            )
        )
    elif grid.spacing > population.sd:
        found.append(
            QuadratureWarning(
                f"the nodes are {grid.spacing:.3g} apart, more than the ability sd {population.sd:.3g}",
                place,
                "Give more nodes: MMLOptions(grid=Grid(count, low, high))",
            )
        )
    elif grid.spacing > WIDEST_SPACING * narrowest:
        found.append(
            QuadratureWarning(
                f"the nodes are {grid.spacing:.2g} apart, but posteriors are as narrow as {narrowest:.2g} (sd): the "
                "log-likelihood and abilities are inexact",
                place,
                "Let the nodes adapt: adaptive=True",
            )
        )
    return found


def _moments(population: Population) -> str:
    """The sd, after the mean where it is not the usual 0."""
    mean = f"mean {population.mean:.3g}, " if population.mean else ""
    return f"{mean}sd {population.sd:.3g}"


def direction_note(problem: Problem, x: Array) -> str:
    """What negative slopes say of the items as a whole; empty where there is none."""
    slopes = problem.layout.values(x)[:, 0]
    falling = [name for name, a in zip(problem.layout.item_names, slopes.tolist(), strict=True) if a < 0]
    if problem.model.dimensions != 1 or not falling:
        return ""
    many = f"{len(falling)} of {counted(len(slopes), 'slope')} are negative"
    told = f"{many} ({_named(falling)}): able subjects do worse there"
    if len(falling) <= _MANY_FALLING * len(slopes):
        return f"{told}. Check the keys of these items"
    return f"{told}. The items do not measure one thing; calibrate groups of items apart, or check the keys"


def density_note(problem: Problem, x: Array) -> str:
    """What cannot be had from a fit whose ability is a histogram; empty for other densities."""
    if problem.population(x).is_parametric:
        return ""
    return (
        "ability is a histogram: AIC, BIC and SABIC are not available, because its weights are no number of parameters "
        "to count, and standard errors take it as known"
    )


def runaway_items(problem: Problem, x: Array) -> list[str]:
    """Items whose estimated slope is beyond any a normal curve has, steepest first."""
    slopes = _slope_sizes(problem, x)
    order = np.argsort(-slopes, kind="stable")
    return [problem.layout.item_names[j] for j in order if slopes[j] > RUNAWAY_SLOPE]


def _slope_sizes(problem: Problem, x: Array) -> Array:
    """Each item's steepest estimated slope, without its sign, shape (J,); 0 where none is estimated."""
    slopes = np.abs(problem.layout.values(x)[:, : problem.model.dimensions])
    return np.asarray(np.where(problem.layout.is_free[:, : problem.model.dimensions], slopes, 0.0).max(axis=1))
