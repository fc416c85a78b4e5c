"""Which model each item is given: a name for all, or one for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psyirt.errors import InputError
from psyirt.models.item_types import ItemType
from psyirt.models.registry import ITEM_TYPES

ModelChoice = str | ItemType | Mapping[str, str | ItemType] | Sequence[str | ItemType]


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
