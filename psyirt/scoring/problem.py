"""What every scoring method is given, and how responses are matched to item parameters by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from psyirt.data.any_responses import AnyResponses
from psyirt.data.pattern_source import PatternSource
from psyirt.errors import InputError
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters

Array = NDArray[np.float64]

_NAMED = 5


class Measure(Protocol):
    """What scoring asks of its instrument: item parameters and the population they were calibrated on."""

    @property
    def item_parameters(self) -> ItemParameters:
        """Parameters of J items."""

    @property
    def population(self) -> Population:
        """The ability density that EAP and MAP use as prior."""

    @property
    def grid(self) -> Grid:
        """The nodes that integrals over ability are taken on."""


@dataclass(frozen=True, eq=False)
class ScoringProblem:
    """Distinct response patterns and what they are scored with.

    Attributes
    ----------
    patterns : PatternSource
        R patterns.
    parameters : ItemParameters
        J items, in the order of the patterns' columns.
    population : Population
        The prior of EAP and MAP.
    grid : Grid
        The nodes of EAP.
    """

    patterns: PatternSource
    parameters: ItemParameters
    population: Population
    grid: Grid

    @property
    def answered(self) -> NDArray[np.intp]:
        """Number of responses that are not missing, shape (R,)."""
        return self.patterns.answered


def match_items(parameters: ItemParameters, responses: AnyResponses) -> tuple[ItemParameters, AnyResponses]:
    """The items that parameters and responses share, in the parameters' order.

    Parameters
    ----------
    parameters : ItemParameters
        One dimension.
    responses : Responses
        Any subset of the items, in any order; items it lacks count as missing.

    Returns
    -------
    tuple of ItemParameters and Responses

    Raises
    ------
    InputError
        If `responses` has items without parameters, or the parameters are of several dimensions.
    """
    require_one_dimension(parameters)
    refuse_unknown_items(responses.item_names, parameters.item_names)
    present = set(responses.item_names)
    shared = tuple(name for name in parameters.item_names if name in present)
    if shared != parameters.item_names:
        parameters = parameters.select(shared)
    if shared != responses.item_names:
        responses = responses.select(items=shared)
    return parameters, responses


def require_measure(measure: object, place: str) -> None:
    """Refuse what has no items to measure with: responses, most likely."""
    if not all(hasattr(measure, part) for part in ("item_parameters", "grid", "population")):
        raise InputError(f"the measure is a {type(measure).__name__}", place, "Give a Calibration or a Scale")


def require_one_dimension(parameters: ItemParameters) -> None:
    """Refuse parameters of several dimensions."""
    if parameters.dimensions != 1:
        raise InputError(
            f"the items measure {parameters.dimensions} abilities", "scoring", "Score models of one dimension"
        )


def refuse_unknown_items(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError if some `names` are not `known`, saying how many and the first few."""
    where = set(known)
    unknown = [name for name in names if name not in where]
    if unknown:
        shown = ", ".join(repr(name) for name in unknown[:_NAMED])
        if len(unknown) > _NAMED:
            shown += f" and {len(unknown) - _NAMED} more"
        raise InputError(
            f"{len(unknown)} of {len(names)} items have no parameters: {shown}",
            "responses",
            "Leave them out, or score with a measure that contains them",
        )
