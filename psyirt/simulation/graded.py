"""Graded responses from known item parameters and abilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.responses import MISSING, Responses
from psyirt.errors import InputError
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.base import Array
from psyirt.models.item_types import ItemType
from psyirt.models.parameters import ItemParameters
from psyirt.models.registry import ITEM_TYPES
from psyirt.simulation.item_draws import draw_items, require_type
from psyirt.simulation.streams import share, streams, whole

_SUBJECTS = 1000
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class SimulatedResponses(OwnsTables):
    """Responses with the truth behind them.

    Attributes
    ----------
    responses : Responses
        N subjects x J items.
    theta : Series, shape (N,), index ``subject``
        True abilities.
    item_parameters : ItemParameters
        True item parameters.
    seed : int
        The seed that gives the same bits again (with the same numpy).
    """

    responses: Responses
    theta: pd.Series
    item_parameters: ItemParameters
    seed: int

    @property
    def items(self) -> pd.DataFrame:
        """True item parameters: index item; columns a, b, c, d, intercept."""
        return truth_table(self.item_parameters)

    def __repr__(self) -> str:
        """What was simulated."""
        return f"SimulatedResponses({self.responses!r}, seed={self.seed})"


def simulate_responses(
    subjects: int | None = None,
    items: int | ItemParameters | pd.DataFrame = 30,
    model: str | ItemType | None = None,
    *,
    seed: int,
    theta: ArrayLike | None = None,
    missing: float = 0.0,
    booklets: int | None = None,
) -> SimulatedResponses:
    """Simulate graded responses: a response is right where a uniform number falls below P(correct | theta).

    Parameters
    ----------
    subjects : int, optional
        N. Default: as many as `theta` has, else 1000.
    items : int, ItemParameters or DataFrame
        J, for items drawn from log a ~ N(.2, .3), b ~ N(0, 1), c ~ uniform(.1, .3), d ~ uniform(.8, .98) so far as
        `model` leaves them free; or the true parameters (a DataFrame as for ``ItemParameters.from_frame``).
    model : str or ItemType, optional
        "Rasch", "1PL", "2PL", "3PL", "feasibility" or "4PL". Default: 2PL where items are drawn; given parameters say
        themselves what they are, and are checked against a model that is named.
    seed : int
        0 or above; the same seed gives the same bits. Items, abilities, answers and missing responses have a random
        stream each: `missing` and `booklets` hide answers and change none.
    theta : array_like or Series, shape (N,), optional
        True abilities; a Series names the subjects by its index. Default: N(0, 1).
    missing : float
        Probability that a response is missing, whoever and whatever it is (completely at random), 0 to below 1.
    booklets : int, optional
        Items are cut into this many (3 or more) consecutive blocks of nearly equal size, and subject k is given
        blocks k and k + 1, counted in a circle: missing by design, every item linked to every other.

    Returns
    -------
    SimulatedResponses

    Raises
    ------
    InputError
        If a number is out of range, `subjects` and `theta` disagree, the items measure several abilities or
        contradict `model`.

    Examples
    --------
    >>> study = simulate_responses(subjects=200, items=5, seed=1)
    >>> study.responses.shape, list(study.items.columns)
    ((200, 5), ['a', 'b', 'c', 'd', 'intercept'])
    """
    for_items, for_theta, for_answers, for_missing = streams(seed, 4)
    parameters = _parameters(items, model, for_items)
    names, abilities = _abilities(subjects, theta, for_theta)
    codes = draw_outcomes(parameters, abilities, for_answers)
    if share(missing, "missing"):
        codes[for_missing.random(codes.shape) < missing] = MISSING
    if booklets is not None:
        codes[~_given(len(names), len(parameters), booklets)] = MISSING
    return SimulatedResponses(
        Responses(codes, names, parameters.item_names),
        pd.Series(abilities, index=pd.Index(names, name="subject"), name="theta"),
        parameters,
        whole(seed, "seed", 0),
    )


def truth_table(parameters: ItemParameters) -> pd.DataFrame:
    """Index item; columns a, b, c, d, intercept (b is -inf, inf or NaN where a = 0)."""
    return pd.DataFrame(
        {
            "a": parameters.slopes[:, 0],
            "b": parameters.difficulties,
            "c": parameters.lower,
            "d": parameters.upper,
            "intercept": parameters.intercepts,
        },
        index=pd.Index(parameters.item_names, name="item"),
    )


@one_blas_thread()
def probabilities(parameters: ItemParameters, theta: Array) -> Array:
    """P(correct | theta), shape (N, J), for abilities of shape (N,)."""
    table = parameters.model.log_probabilities(parameters.values, theta[:, None])
    return np.exp(table[:, 1]).T


def draw_outcomes(parameters: ItemParameters, theta: Array, rng: np.random.Generator) -> NDArray[np.int8]:
    """0/1 outcomes, shape (N, J), int8: right where a uniform number falls below P; a block of subjects at a time."""
    outcomes = np.empty((len(theta), len(parameters)), dtype=np.int8)
    rows = max(1, _CELLS_AT_ONCE // len(parameters))
    for start in range(0, len(theta), rows):
        correct = probabilities(parameters, theta[start : start + rows])
        outcomes[start : start + rows] = rng.random(correct.shape) < correct
    return outcomes


def _parameters(
    items: int | ItemParameters | pd.DataFrame, model: str | ItemType | None, rng: np.random.Generator
) -> ItemParameters:
    """The items' true parameters, drawn or given."""
    kind = model if model is None or isinstance(model, ItemType) else ITEM_TYPES[model]
    if not isinstance(items, (ItemParameters, pd.DataFrame)):
        return draw_items(whole(items, "items", 1), kind or ITEM_TYPES["2PL"], rng)
    parameters = ItemParameters.from_frame(items) if isinstance(items, pd.DataFrame) else items
    if not len(parameters) or parameters.dimensions != 1:
        raise InputError(
            f"{len(parameters)} items that measure {parameters.dimensions} abilities",
            "items",
            "Give items of one ability",
        )
    if kind is not None:
        require_type(parameters, kind)
    return parameters


def _abilities(
    subjects: int | None, theta: ArrayLike | None, rng: np.random.Generator
) -> tuple[tuple[str, ...], Array]:
    """Subjects' names and abilities, drawn or given."""
    if theta is None:
        abilities = rng.normal(size=_SUBJECTS if subjects is None else whole(subjects, "subjects", 1))
    else:
        abilities = _floats(theta)
        if abilities.ndim != 1 or not abilities.size or not np.isfinite(abilities).all():
            raise InputError(f"theta has shape {abilities.shape}", "theta", "Give one finite number for each subject")
        if subjects is not None and whole(subjects, "subjects", 1) != len(abilities):
            raise InputError(f"{len(abilities)} abilities for {subjects} subjects", "theta", "Leave out subjects=")
    if isinstance(theta, pd.Series):
        return tuple(str(name) for name in theta.index), abilities
    return tuple(f"s{k + 1}" for k in range(len(abilities))), abilities


def _given(subjects: int, items: int, booklets: int) -> NDArray[np.bool_]:
    """Which responses a design of overlapping booklets asks for, shape (N, J)."""
    count = whole(booklets, "booklets", 3)
    if count > items:
        raise InputError(f"{count} booklets of {items} items", "booklets", "Give at most as many as items")
    block_of_item = np.arange(items) * count // items
    first = np.arange(subjects)[:, None] % count
    return (block_of_item == first) | (block_of_item == (first + 1) % count)


def _floats(theta: ArrayLike) -> Array:
    """Abilities as numbers, a copy."""
    try:
        return np.array(theta, dtype=float)
    except (TypeError, ValueError):
        raise InputError("an ability is not a number", "theta", "Give one finite number for each subject") from None
