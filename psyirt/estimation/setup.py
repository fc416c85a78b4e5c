"""From what a user passes to a problem that can be iterated: types, layout, priors, start values, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real

from numpy.typing import ArrayLike

from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.estimation.data_checks import items_to_set_aside, refuse_too_few, warn_of_limits
from psyirt.estimation.model_choice import ModelChoice, item_types_of
from psyirt.estimation.nodes import fine_enough
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.estimation.start_point import start_point
from psyirt.foundation.arguments import require
from psyirt.latent.population import NormalPopulation
from psyirt.models.base import Array
from psyirt.models.free_priors import PriorChoice, place_priors
from psyirt.models.item_types import ItemType
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration


@dataclass(frozen=True, eq=False)
class Setup:
    """What a fit starts from.

    Attributes
    ----------
    problem : Problem
        The function to maximise.
    start : ndarray, shape (size,)
        Where to start.
    item_types : tuple of ItemType
        Types of the items that are fitted.
    responses : Responses
        Responses to the items that are fitted.
    set_aside : dict of item to reason
        Items that are not.
    notes : tuple of str
        What was noticed.
    """

    problem: Problem
    start: Array
    item_types: tuple[ItemType, ...]
    responses: Responses
    set_aside: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def set_up(
    responses: Responses,
    model: ModelChoice,
    priors: Mapping[str, PriorChoice] | None,
    weights: ArrayLike | None,
    latent_variance: float | None,
    start: Calibration | ItemParameters | None,
    options: MMLOptions,
) -> Setup:
    """Check the data, set constant items aside, and lay out parameters, priors and start values.

    Parameters and errors are those of ``fit_mml``.
    """
    require(responses, Responses, "responses", "fit_mml", "Use Responses.from_frame or read_responses")
    require(options, MMLOptions, "options", "fit_mml", "Give MMLOptions(...)")
    if priors is not None:
        require(priors, Mapping, "priors", "fit_mml", "Give a mapping such as {'c': psyirt.priors.Beta(5, 17)}")
    if latent_variance is not None:
        require(latent_variance, Real, "latent_variance", "fit_mml", "Give a positive number")
    types = dict(zip(responses.item_names, item_types_of(model, responses.item_names), strict=True))
    set_aside = items_to_set_aside(responses, priors)
    kept = [item for item in responses.item_names if item not in set_aside]
    fitted = responses.select(items=kept) if set_aside else responses
    refuse_too_few(responses, fitted)
    notes = warn_of_limits(fitted, set_aside)
    item_types = tuple(types[item] for item in kept)
    shape = LogisticModel()
    layout = make_layout(kept, item_types, shape.slots, frees_variance=None if latent_variance is None else False)
    placed = place_priors(layout, _of_kept(priors, set_aside), _options_count(fitted))
    patterns = collapse(fitted, weights)
    variance = NormalPopulation(0.0, 1.0 if latent_variance is None else latent_variance).variance
    problem = Problem(patterns, shape, layout, placed, options.first_grid, variance)
    first = start_point(problem, start)
    if options.adapts:
        problem = problem.on(fine_enough(problem, first))
    return Setup(problem, first, item_types, fitted, set_aside, notes)


def _of_kept(
    priors: Mapping[str, PriorChoice] | None, set_aside: Mapping[str, str]
) -> Mapping[str, PriorChoice] | None:
    """Priors without those named for items that were set aside."""
    if priors is None or not set_aside:
        return priors
    return {
        slot: {item: prior for item, prior in choice.items() if item not in set_aside}
        if isinstance(choice, Mapping)
        else choice
        for slot, choice in priors.items()
    }


def _options_count(responses: Responses) -> dict[str, float]:
    """Answer options per item where the data say so."""
    if "n_options" not in responses.item_info.columns:
        return {}
    return {item: float(count) for item, count in responses.item_column("n_options").items()}
