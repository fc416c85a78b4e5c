"""From what a user passes to a problem that can be iterated: types, layout, priors, start values, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real

from numpy.typing import ArrayLike

from psyirt.data.any_responses import RESPONSES, AnyResponses
from psyirt.data.keeping import kept_patterns
from psyirt.estimation.data_checks import items_to_set_aside, refuse_too_few, warn_of_limits, without_empty
from psyirt.estimation.histogram_problem import with_free_weights
from psyirt.estimation.latent_choice import NORMAL, LatentChoice
from psyirt.estimation.memory_plan import average_slope, keep_within
from psyirt.estimation.model_choice import ModelChoice, item_types_of
from psyirt.estimation.nodes import fine_enough
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.estimation.start_point import start_point
from psyirt.foundation.arguments import require
from psyirt.latent.davidian import DavidianCurve
from psyirt.latent.density import Population
from psyirt.latent.population import STANDARD_NORMAL, Grid, NormalPopulation
from psyirt.models.base import Array
from psyirt.models.free_priors import PriorChoice, place_priors
from psyirt.models.item_types import ItemType
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.results.weighting import WeightsKind


@dataclass(frozen=True)
class Density:
    """What is known of ability before a fit.

    Attributes
    ----------
    population : Population
        The density, but for the parameters that are free.
    free_moments : tuple of str or None
        Which of "mean" and "variance" are estimated; None leaves it to the items' types.
    is_histogram : bool
        Whether weights on the nodes take the density's place, with its mean, and its variance unless that is free.
    start : Population or None
        Where free moments start; None for the usual place.
    grid : Grid or None
        Nodes to start with in place of the options'.
    """

    population: Population = STANDARD_NORMAL
    free_moments: tuple[str, ...] | None = None
    is_histogram: bool = False
    start: Population | None = None
    grid: Grid | None = None


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
    weights_kind : {"frequency", "sampling"}
        What the subjects' weights are.
    place : str
        The public function that was called, for warnings.
    """

    problem: Problem
    start: Array
    item_types: tuple[ItemType, ...]
    responses: AnyResponses
    set_aside: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    weights_kind: WeightsKind = "frequency"
    place: str = "fit_mml"


def set_up(
    responses: AnyResponses,
    model: ModelChoice,
    priors: Mapping[str, PriorChoice] | None,
    weights: ArrayLike | None,
    latent_variance: float | None,
    start: Calibration | ItemParameters | None,
    options: MMLOptions,
    latent: LatentChoice = NORMAL,
) -> Setup:
    """Check the data, set constant items aside, and lay out parameters, priors and start values.

    Parameters and errors are those of ``fit_mml``.
    """
    require_inputs(responses, priors, options, "fit_mml")
    if latent_variance is not None:
        require(latent_variance, Real, "latent_variance", "fit_mml", "Give a positive number")
    types = dict(zip(responses.item_names, item_types_of(model, responses.item_names), strict=True))
    density = _density(latent, 1.0 if latent_variance is None else latent_variance)
    if latent_variance is not None:
        density = replace(density, free_moments=())
    return lay_out(responses, types, density, priors, weights, start, options)


def _density(latent: LatentChoice, variance: float) -> Density:
    """The density by its name, with mean 0 and this variance unless that is free; a curve starts at order 0."""
    if latent.name == "davidian":
        return Density(DavidianCurve((), 0.0, variance))
    return Density(NormalPopulation(0.0, variance), is_histogram=latent.name == "histogram")


def require_inputs(
    responses: AnyResponses, priors: Mapping[str, PriorChoice] | None, options: MMLOptions, place: str
) -> None:
    """Refuse, in the name of a public function, what is no data, no priors or no options."""
    require(responses, RESPONSES, "responses", place, "Use Responses.from_frame or read_responses")
    require(options, MMLOptions, "options", place, "Give MMLOptions(...)")
    if priors is not None:
        require(priors, Mapping, "priors", place, "Give a mapping such as {'c': psyirt.priors.Beta(5, 17)}")


def lay_out(
    responses: AnyResponses,
    types: Mapping[str, ItemType],
    density: Density,
    priors: Mapping[str, PriorChoice] | None,
    weights: ArrayLike | None,
    start: Calibration | ItemParameters | None,
    options: MMLOptions,
) -> Setup:
    """From types to a problem; to be called by what a public function calls, because of the line it warns at.

    Parameters
    ----------
    responses, priors, weights, start, options
        See ``fit_mml``.
    types : mapping of item to ItemType
        One for each item.
    density : Density
        What is known of ability.

    Returns
    -------
    Setup
    """
    set_aside = items_to_set_aside(responses, types, priors)
    kept = [item for item in responses.item_names if item not in set_aside]
    fitted = responses.select(items=kept) if set_aside else responses
    refuse_too_few(responses, fitted)
    fitted, weights, empty = without_empty(fitted, weights)
    notes = warn_of_limits(fitted, set_aside, empty, stacklevel=5)
    item_types = tuple(types[item] for item in kept)
    shape = LogisticModel()
    layout = make_layout(kept, item_types, shape.slots, free_moments=density.free_moments)
    placed = place_priors(layout, _of_kept(priors, set_aside), _options_count(fitted))
    patterns = kept_patterns(fitted, weights, options.memory_limit)
    problem = Problem(patterns, shape, layout, placed, density.grid or options.first_grid, density.population)
    keep_within(problem, options)
    if density.is_histogram:
        problem = with_free_weights(problem)
    first = start_point(problem, start, density.start)
    if options.adapts:
        problem = problem.on(fine_enough(problem, first))
        keep_within(problem, options, average_slope(problem, first))
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


def _options_count(responses: AnyResponses) -> dict[str, float]:
    """Answer options per item where the data say so."""
    if "n_options" not in responses.item_info.columns:
        return {}
    return {item: float(count) for item, count in responses.item_column("n_options").items()}
