"""The studies, by name: to add one, write a class with title, conditions and one, and a line here."""

from __future__ import annotations

from validation.diagnostics.item_fit import ItemFitPower, ItemFitSize, OtherItemFitSize
from validation.diagnostics.study import Study

STUDIES: dict[str, Study] = {
    "item-fit-size": ItemFitSize(),
    "item-fit-others": OtherItemFitSize(),
    "item-fit-power": ItemFitPower(),
}
