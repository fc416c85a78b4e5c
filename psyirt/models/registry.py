"""Model names: what ``fit_mml(responses, "2PL")`` looks up."""

from __future__ import annotations

from psyirt.foundation.registry import Registry
from psyirt.models.item_types import FEASIBILITY, FOUR_PL, ONE_PL, RASCH, THREE_PL, TWO_PL, ItemType

ITEM_TYPES: Registry[ItemType] = Registry(
    "model", {kind.name: kind for kind in (RASCH, ONE_PL, TWO_PL, THREE_PL, FEASIBILITY, FOUR_PL)}
)
