"""A calibration from parameters that are already known: `fix` beside `fit`."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from psyirt.data.any_responses import RESPONSES, AnyResponses
from psyirt.data.keeping import kept_patterns
from psyirt.errors import InputError
from psyirt.estimation.model_choice import ModelChoice, item_types_of
from psyirt.foundation.arguments import require
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.base import Array
from psyirt.models.free_priors import FreePriors
from psyirt.models.item_types import ItemType
from psyirt.models.layout import ParameterLayout, make_layout
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration

if TYPE_CHECKING:
    import pandas as pd


def fix(
    items: pd.DataFrame | ItemParameters,
    model: ModelChoice = "2PL",
    responses: AnyResponses | None = None,
    *,
    latent_variance: float = 1.0,
    weights: ArrayLike | None = None,
    grid: Grid | None = None,
) -> Calibration:
    """A Calibration at given parameters, e.g. published ones; nothing is estimated.

    Parameters
    ----------
    items : DataFrame or ItemParameters
        Index item; columns a, intercept or b, and c, d if any (see ``ItemParameters.from_frame``).
    model : str, ItemType, or mapping or sequence of them
        What the parameters were estimated under: it counts free parameters for degrees of freedom, information
        criteria and standard errors at these values.
    responses : Responses, optional
        Data to evaluate the parameters on; without them whatever needs data says so.
    latent_variance : float
        Variance of ability.
    weights : array_like, shape (subjects,), optional
        Frequency weights.
    grid : Grid, optional
        Quadrature nodes.

    Returns
    -------
    Calibration
        With status "fixed".

    Raises
    ------
    InputError
        If parameters contradict the model (a fixed slot has another value, a shared one differs between items), an
        item has no parameters or no responses, or there are weights without responses.

    Examples
    --------
    >>> import pandas as pd, psyirt
    >>> bank = pd.DataFrame({"a": [1.0, 1.2, 0.8], "b": [-1.0, 0.0, 1.0]}, index=["q1", "q2", "q3"])
    >>> psyirt.fix(bank, "2PL").status
    'fixed'
    """
    parameters = items if isinstance(items, ItemParameters) else ItemParameters.from_frame(items)
    require(latent_variance, Real, "latent_variance", "fix", "Give a positive number")
    if responses is not None:
        require(responses, RESPONSES, "responses", "fix", "Use Responses.from_frame or read_responses")
    if grid is not None:
        require(grid, Grid, "grid", "fix", "Give Grid(count, low, high)")
    if weights is not None and responses is None:
        raise InputError("weights without responses", "fix", "Give the responses they belong to")
    names = parameters.item_names
    kinds = item_types_of(model, names)
    shape = parameters.model
    layout = make_layout(names, kinds, shape.slots)
    values = parameters.values
    _refuse_other_model(layout, kinds, values)
    fitted, patterns = None, None
    if responses is not None and parameters.dimensions > 1:
        raise InputError(
            f"{parameters.dimensions} abilities with responses", "fix", "Leave the responses out: the grid has one"
        )
    if responses is not None:
        extra = [item for item in responses.item_names if item not in set(names)]
        if extra:
            raise InputError(
                f"{len(extra)} items have no parameters, the first is {extra[0]!r}",
                "responses",
                "Select the items first: responses.select(items=)",
            )
        fitted = responses.select(items=list(names))
        patterns = kept_patterns(fitted, weights)
    x = np.zeros(layout.size)
    x[: layout.item_size] = layout.free(values)
    x[layout.item_size :] = [latent_variance] * len(layout.free_moments)  # of a model's moments only the variance is
    return Calibration(
        item_parameters=parameters,
        item_types=kinds,
        population=NormalPopulation(0.0, latent_variance),
        grid=grid or Grid(),
        status="fixed",
        model=shape,
        layout=layout,
        x=x,
        priors=FreePriors(layout.size),
        responses=fitted,
        patterns=patterns,
    )


def _refuse_other_model(layout: ParameterLayout, kinds: Sequence[ItemType], values: Array) -> None:
    """Refuse values that the items' types do not allow."""
    expected = np.where(layout.is_free, layout.values(layout.free(values)), layout.fixed)
    for j, item in enumerate(layout.item_names):
        # isclose knows that two infinite logits are equal
        held = ~layout.is_free[j] | np.isin(layout.index[j], np.flatnonzero(layout.shared))
        wrong = held & ~np.isclose(values[j], expected[j], rtol=1e-8, atol=1e-8)
        if wrong.any():
            slot = int(np.argmax(wrong))
            does = "shares between items" if layout.is_free[j, slot] else "fixes"
            raise InputError(
                f"{layout.slots[slot]} is not the value {kinds[j].name} {does}",
                f"item {item!r}",
                "Name the right model",
            )
