"""New items onto known ones: the known keep their parameters, and the group's mean and variance are free."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from psyirt.data.any_responses import AnyResponses
from psyirt.data.keeping import kept_patterns
from psyirt.data.pattern_source import PatternSource
from psyirt.errors import InputError
from psyirt.estimation.item_rest import answer_sums
from psyirt.estimation.mml import iterate
from psyirt.estimation.model_choice import ModelChoice, item_types_of
from psyirt.estimation.nodes import fine_enough
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.estimation.setup import Density, Setup, lay_out
from psyirt.foundation.progress import silent
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.free_priors import FreePriors, PriorChoice
from psyirt.models.item_types import ItemType, fixed
from psyirt.models.layout import MOMENTS, make_layout
from psyirt.models.parameters import ItemParameters

# nodes reach so many standard deviations from the group's mean, and never beyond the farthest ability
_REACH, _FARTHEST = 5.0, 40.0
# a group far away is approached in steps of the nodes' range
_ROUNDS = 8
_PLACE = "calibrate_onto"


def set_up_onto(
    known: ItemParameters,
    responses: AnyResponses,
    model: ModelChoice,
    priors: Mapping[str, PriorChoice] | None,
    weights: ArrayLike | None,
    options: MMLOptions,
) -> Setup:
    """Lay out a fit in which known items are fixed; to be called by a public function, because of where it warns.

    The group is placed by the linking items alone first: EM then starts close by, on nodes that reach it.

    Parameters
    ----------
    known : ItemParameters
        Of one ability; items that are not in `responses` play no part.
    responses : Responses
        Answers of the new group.
    model : str, ItemType, or mapping or sequence of them
        Of the items that are not known.
    priors, weights, options
        See ``fit_mml``.

    Returns
    -------
    Setup

    Raises
    ------
    InputError
        If no item is known, or the answers to those that are cannot place the group.
    """
    where = set(known.item_names)
    linking = [item for item in responses.item_names if item in where]
    new = [item for item in responses.item_names if item not in where]
    if not linking:
        raise InputError(
            f"none of the {len(new)} items is on the scale", _PLACE, "Give answers to some of its items, named alike"
        )
    types = dict(zip(linking, fixed_types(known.select(linking)), strict=True))
    types |= dict(zip(new, item_types_of(model, new), strict=True))
    crowd, grid = _place(known.select(linking), kept_patterns(responses.select(items=linking), weights), options)
    density = Density(free_moments=MOMENTS, start=crowd, grid=grid)
    return replace(lay_out(responses, types, density, priors, weights, None, options), place=_PLACE)


def fixed_types(parameters: ItemParameters) -> list[ItemType]:
    """A type for each item that fixes everything at its parameters."""
    columns = zip(parameters.slopes[:, 0], parameters.intercepts, parameters.lower, parameters.upper, strict=True)
    return [
        ItemType("fixed", fixed(float(a)), fixed(float(intercept)), fixed(float(c)), fixed(float(d)))
        for a, intercept, c, d in columns
    ]


def _place(known: ItemParameters, patterns: PatternSource, options: MMLOptions) -> tuple[Population, Grid]:
    """The group's density by the linking items alone, and nodes that reach it (the options' own where they name some).

    Raises
    ------
    InputError
        If nobody answered them, or all answers are alike.
    """
    answered, right = (float(np.sum(sums)) for sums in answer_sums(patterns))
    if not 0.0 < right < answered:
        what = "right" if right else "wrong"
        raise InputError(
            f"every answer to the linking items is {what}" if answered else "nobody answered a linking item",
            _PLACE,
            "Such answers cannot place the group on the scale; give others",
        )
    shape = known.model
    layout = make_layout(known.item_names, fixed_types(known), shape.slots, free_moments=MOMENTS)
    problem = Problem(patterns, shape, layout, FreePriors(layout.size), options.first_grid)
    x = np.array([0.0, 1.0])
    for _ in range(_ROUNDS):
        if options.adapts:
            problem = problem.on(fine_enough(problem, x))
        x, _, _ = iterate(problem, x, options, silent)
        wide = _reaching(problem.grid, problem.population(x))
        if options.grid is not None or wide == problem.grid:
            break
        problem = problem.on(wide)
    return problem.population(x), problem.grid


def _reaching(grid: Grid, population: Population) -> Grid:
    """The grid with as many nodes added at either end as it needs to hold the population."""
    low = max(population.mean - _REACH * population.sd, -_FARTHEST)
    high = min(population.mean + _REACH * population.sd, _FARTHEST)
    below = max(0, math.ceil((grid.low - low) / grid.spacing))
    above = max(0, math.ceil((high - grid.high) / grid.spacing))
    if not below and not above:
        return grid
    return Grid(grid.count + below + above, grid.low - below * grid.spacing, grid.high + above * grid.spacing)
