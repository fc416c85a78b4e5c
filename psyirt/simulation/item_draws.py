"""Item parameters drawn from stated distributions, as an item type leaves them free."""

from __future__ import annotations

import numpy as np

from psyirt.errors import InputError
from psyirt.models.base import Array
from psyirt.models.item_types import ItemType
from psyirt.models.parameters import ItemParameters


def draw_items(count: int, kind: ItemType, rng: np.random.Generator) -> ItemParameters:
    """Parameters of `count` items named i1, i2, ...

    Parameters
    ----------
    count : int
        J, the number of items.
    kind : ItemType
        Free slots are drawn for each item, shared ones once, fixed ones take their value: log a ~ N(.2, .3) (median
        slope 1.22), b ~ N(0, 1) with intercept = -a*b, c ~ uniform(.1, .3), d ~ uniform(.8, .98).
    rng : numpy.random.Generator
        Where the numbers come from.

    Returns
    -------
    ItemParameters
    """
    # every slot is drawn whatever the type, so that types share what they have in common at the same seed
    drawn = {
        "a": np.exp(rng.normal(0.2, 0.3, count)),
        "b": rng.normal(0.0, 1.0, count),
        "c": rng.uniform(0.1, 0.3, count),
        "d": rng.uniform(0.8, 0.98, count),
    }
    a, c, d = (_slot(kind, name, drawn[name]) for name in ("a", "c", "d"))
    intercept = _slot(kind, "intercept", -a * drawn["b"])
    return ItemParameters([f"i{k + 1}" for k in range(count)], a, intercept, c, d)


def _slot(kind: ItemType, name: str, drawn: Array) -> Array:
    """One slot of all items: drawn, drawn once, or fixed."""
    slot = kind.slot(name)
    if slot.state == "fixed":
        return np.full_like(drawn, slot.value)
    return np.full_like(drawn, drawn[0]) if slot.state == "shared" else drawn


def require_type(parameters: ItemParameters, kind: ItemType) -> None:
    """Refuse parameters that contradict an item type.

    Parameters
    ----------
    parameters : ItemParameters
        One dimension.
    kind : ItemType
        What they are said to be.

    Raises
    ------
    InputError
        If a slot that the type fixes has another value, or one that it shares differs between items.
    """
    slots = {
        "a": parameters.slopes[:, 0],
        "intercept": parameters.intercepts,
        "c": parameters.lower,
        "d": parameters.upper,
    }
    for name, values in slots.items():
        slot = kind.slot(name)
        if slot.state == "free":
            continue
        wanted = slot.value if slot.state == "fixed" else values[0]
        wrong = ~np.isclose(values, wanted, rtol=0.0, atol=1e-12)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InputError(
                f"{name} = {values[at]:g}, but the {kind.name} model has {name} = {wanted:g}",
                f"item {parameters.item_names[at]!r}",
                "Leave out model=: given parameters say what they are",
            )
