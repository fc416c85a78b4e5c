"""Where an iteration starts: given values for the items that have them, classical statistics for the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from psyirt.errors import InputError
from psyirt.estimation.problem import Problem
from psyirt.estimation.start_values import start_values
from psyirt.latent.density import Population
from psyirt.latent.population import MEAN, VARIANCE, smallest_variance
from psyirt.models.base import Array
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import Beta, NormalOnLogit
from psyirt.models.slope_metric import RUNAWAY_SLOPE
from psyirt.results.calibration import Calibration

# where an asymptote without a prior starts
_START_C, _START_D = 0.1, 0.97
_SMALLEST_SLOPE = 0.2


def start_point(
    problem: Problem, start: Calibration | ItemParameters | None, population: Population | None = None
) -> Array:
    """Start values: the given ones where an item has them, classical statistics elsewhere.

    Parameters
    ----------
    problem : Problem
        What is to be fitted.
    start : Calibration or ItemParameters, optional
        Known values; items it does not know are started as if it were absent.
    population : Population, optional
        Where free moments start, by default where `start` has them, or at those of the problem's known one.

    Returns
    -------
    ndarray, shape (size,)
        Inside the model's domain and every prior's support.

    Raises
    ------
    InputError
        If `start` is something else, or of several dimensions.
    """
    layout = problem.layout
    values = np.nan_to_num(layout.fixed, nan=0.0, posinf=np.inf, neginf=-np.inf)
    free = layout.is_free
    values[:, -2] = np.where(free[:, -2], logit(_START_C), values[:, -2])
    values[:, -1] = np.where(free[:, -1], logit(_START_D), values[:, -1])
    x = np.zeros(layout.size)
    x[: layout.item_size] = layout.free(values)
    for prior, at in problem.priors.placed:
        if isinstance(prior, NormalOnLogit):
            x[at] = prior.mean
        elif isinstance(prior, Beta):
            x[at] = logit(prior.alpha / (prior.alpha + prior.beta))
    values = layout.values(x)
    lower, upper = expit(values[:, -2]), expit(values[:, -1])
    slopes, intercepts = start_values(problem.patterns, lower, upper)
    crowd = population or (start.population if isinstance(start, Calibration) else problem.known)
    # the statistics speak of a crowd with mean 0 and sd 1
    values[:, 0] = np.where(free[:, 0], slopes / crowd.sd, values[:, 0])
    values[:, 1] = intercepts - values[:, 0] * crowd.mean
    if start is not None:
        _overwrite(values, free, layout.item_names, _known(start))
    _uncross(values, free)
    x[: layout.item_size] = layout.free(values)
    for prior, at in problem.priors.placed:
        # a lognormal prior forbids the negative slope a negative item-rest correlation suggests
        outside = at[np.isneginf(prior.log_density(x[at]))]
        x[outside] = np.maximum(np.abs(x[outside]), _SMALLEST_SLOPE)
    # a crowd that did not differ at all is no place to start from
    moments = {MEAN: crowd.mean, VARIANCE: max(crowd.variance, 4.0 * smallest_variance(problem.grid))}
    x[layout.item_size :] = [moments[name] for name in layout.free_moments]
    return x


def _uncross(values: Array, free: NDArray[np.bool_]) -> None:
    """Move a free asymptote that starts on the wrong side of a known one: a quarter of the way in from its own end."""
    c, d = expit(values[:, -2]), expit(values[:, -1])
    crossed = c >= d
    low, high = crossed & free[:, -2], crossed & ~free[:, -2] & free[:, -1]
    values[low, -2] = logit(0.25 * d[low])
    values[high, -1] = logit(1.0 - 0.25 * (1.0 - c[high]))


def _known(start: Calibration | ItemParameters) -> ItemParameters:
    """The item parameters of start values; refuse what holds none, or several dimensions."""
    known = start.item_parameters if isinstance(start, Calibration) else start
    if not isinstance(known, ItemParameters):
        raise InputError(
            f"start is a {type(known).__name__}",
            "fit_mml",
            "Give a Calibration or ItemParameters (ItemParameters.from_frame)",
        )
    if known.dimensions != 1:
        raise InputError(f"start has {known.dimensions} dimensions", "fit_mml", "Give one slope per item")
    return known


def _overwrite(values: Array, free: NDArray[np.bool_], item_names: Sequence[str], known: ItemParameters) -> None:
    """Put known items' values into the free slots; an asymptote known to be 0 or 1 keeps its own start."""
    where = {name: k for k, name in enumerate(known.item_names)}
    table = known.values
    for j, item in enumerate(item_names):
        if item in where:
            given = table[where[item]]
            if np.abs(given[:-3]).max() > RUNAWAY_SLOPE:
                continue  # a slope without a finite estimate is a ridge that EM does not leave either
            use = free[j] & np.isfinite(given)
            # slopes of exactly 0 are a stationary point that EM never leaves
            use[0] &= given[0] != 0.0
            values[j, use] = given[use]
