"""From what a user passes to a problem that can be iterated: types, layout, priors, start values, warnings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from psyirt.data.checks import all_rows_identical, connected_blocks, constant_items, empty_subjects
from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.errors import DataWarning, InputError
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.estimation.start_values import start_values
from psyirt.latent.population import NormalPopulation
from psyirt.models.base import Array
from psyirt.models.free_priors import PriorChoice, place_priors
from psyirt.models.item_types import ItemType
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.models.parameters import ItemParameters
from psyirt.models.registry import ITEM_TYPES
from psyirt.results.calibration import Calibration

ModelChoice = str | ItemType | Mapping[str, str | ItemType] | Sequence[str | ItemType]

_FEWEST_ITEMS = 3
# where an asymptote without a prior starts
_START_C, _START_D = 0.1, 0.97
_SMALLEST_SLOPE = 0.2


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


def item_types_of(model: ModelChoice, item_names: Sequence[str]) -> tuple[ItemType, ...]:
    """One item type per item.

    Parameters
    ----------
    model : str, ItemType, or mapping or sequence of them
        See ``fit_mml``.
    item_names : sequence of str
        The items.

    Returns
    -------
    tuple of ItemType

    Raises
    ------
    InputError
        If a name is unknown, or items and types do not match one to one.
    """
    if isinstance(model, (str, ItemType)):
        return (_item_type(model),) * len(item_names)
    if isinstance(model, Mapping):
        absent = [item for item in item_names if item not in model]
        if absent:
            raise InputError(
                f"no model for {len(absent)} items, the first is {absent[0]!r}", "model", "Name one for each"
            )
        unknown = [item for item in model if item not in set(item_names)]
        if unknown:
            raise InputError(f"a model for unknown item {unknown[0]!r}", "model", "Check the item names")
        return tuple(_item_type(model[item]) for item in item_names)
    if not isinstance(model, Sequence):
        raise InputError(f"{model!r} is no model", "model", f"Known: {', '.join(ITEM_TYPES)}")
    if len(model) != len(item_names):
        raise InputError(f"{len(model)} models for {len(item_names)} items", "model", "Give one for each item")
    return tuple(_item_type(each) for each in model)


def _item_type(choice: str | ItemType) -> ItemType:
    return choice if isinstance(choice, ItemType) else ITEM_TYPES[choice]


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
    if not isinstance(responses, Responses):
        raise InputError(
            f"expected Responses, got {type(responses).__name__}",
            "fit_mml",
            "Use Responses.from_frame or read_responses",
        )
    types = dict(zip(responses.item_names, item_types_of(model, responses.item_names), strict=True))
    set_aside = _constant(responses, priors)
    kept = [item for item in responses.item_names if item not in set_aside]
    _refuse_too_few(responses, kept)
    fitted = responses.select(items=kept)
    notes = _warn(fitted, set_aside)
    item_types = tuple(types[item] for item in kept)
    shape = LogisticModel()
    layout = make_layout(kept, item_types, shape.slots, frees_variance=None if latent_variance is None else False)
    placed = place_priors(layout, _of_kept(priors, set_aside), _options_count(fitted))
    patterns = collapse(fitted, None if weights is None else np.asarray(weights, dtype=float))
    variance = NormalPopulation(0.0, 1.0 if latent_variance is None else latent_variance).variance
    problem = Problem(patterns, shape, layout, placed, options.grid, variance)
    return Setup(problem, _start(problem, start), item_types, fitted, set_aside, notes)


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


def _constant(responses: Responses, priors: Mapping[str, PriorChoice] | None) -> dict[str, str]:
    """Items whose intercept has no finite estimate; a prior on the intercept gives it one."""
    words = {1: "every observed answer is right", 0: "every observed answer is wrong", -1: "nobody answered it"}
    protected = (priors or {}).get("intercept")
    covered = set(protected) if isinstance(protected, Mapping) else set(responses.item_names if protected else ())
    # a prior places an item that was answered; one that nobody answered would only repeat its prior
    return {
        item: words[value] for item, value in constant_items(responses).items() if value == -1 or item not in covered
    }


def _refuse_too_few(responses: Responses, kept: Sequence[str]) -> None:
    subjects, items = responses.shape
    if subjects == 0:
        raise InputError("there are no subjects", "responses", "Give at least one row of responses")
    if len(kept) >= _FEWEST_ITEMS:
        if all_rows_identical(responses.select(items=list(kept))):
            raise InputError("all rows are identical", "responses", "Nothing can be learnt about items; check the file")
        return
    apart = items - len(kept)
    detail = f"{apart} of {items} items are constant" if apart else f"there are {items} items"
    raise InputError(
        f"only {len(kept)} items vary ({detail})", "responses", f"A calibration needs at least {_FEWEST_ITEMS}"
    )


def _warn(fitted: Responses, set_aside: Mapping[str, str]) -> tuple[str, ...]:
    """Warn of what limits the fit; the same sentences go into the result."""
    found: list[DataWarning] = []
    if set_aside:
        names = ", ".join(list(set_aside)[:5]) + (", ..." if len(set_aside) > 5 else "")
        found.append(
            DataWarning(
                f"{len(set_aside)} constant items are set aside ({names})", "", "They tell nothing about ability"
            )
        )
    empty = empty_subjects(fitted)
    if empty:
        found.append(
            DataWarning(f"{len(empty)} subjects have no responses, the first is {empty[0]!r}", "", "They add nothing")
        )
    blocks = connected_blocks(fitted)
    if len(blocks) > 1:
        found.append(
            DataWarning(
                f"subjects and items fall into {len(blocks)} blocks that share nothing",
                "",
                "Only the assumption of one population links their scales; collect common items or subjects",
            )
        )
    for warning in found:
        warnings.warn(warning, stacklevel=4)
    return tuple(str(warning) for warning in found)


def _options_count(responses: Responses) -> dict[str, float]:
    """Answer options per item where the data say so."""
    if "n_options" not in responses.item_info.columns:
        return {}
    return {item: float(count) for item, count in responses.item_column("n_options").items()}


def _start(problem: Problem, start: Calibration | ItemParameters | None) -> Array:
    """Start values: the given ones where an item has them, classical statistics elsewhere."""
    layout = problem.layout
    values = np.nan_to_num(layout.fixed, nan=0.0, posinf=np.inf, neginf=-np.inf)
    free = layout.is_free
    values[:, -2] = np.where(free[:, -2], np.log(_START_C / (1 - _START_C)), values[:, -2])
    values[:, -1] = np.where(free[:, -1], np.log(_START_D / (1 - _START_D)), values[:, -1])
    x = np.zeros(layout.size)
    x[: layout.item_size] = layout.free(values)
    for prior, at in problem.priors.placed:
        centre = getattr(prior, "mean", None)
        if prior.scale == "logit" and centre is not None:
            x[at] = centre
    values = layout.values(x)
    lower, upper = expit(values[:, -2]), expit(values[:, -1])
    slopes, intercepts = start_values(problem.patterns, lower, upper)
    values[:, 0] = np.where(free[:, 0], slopes, values[:, 0])
    values[:, 1] = intercepts
    if start is not None:
        _overwrite(values, free, layout.item_names, _known(start))
    x[: layout.item_size] = layout.free(values)
    for prior, at in problem.priors.placed:
        # a lognormal prior forbids the negative slope a negative item-rest correlation suggests
        outside = at[np.isneginf(prior.log_density(x[at]))]
        x[outside] = np.maximum(np.abs(x[outside]), _SMALLEST_SLOPE)
    if layout.frees_variance:
        x[-1] = start.population.variance if isinstance(start, Calibration) else 1.0
    return x


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
            use = free[j] & np.isfinite(given)
            values[j, use] = given[use]
