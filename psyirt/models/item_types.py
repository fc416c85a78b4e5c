"""Which slots of the logistic formula an item leaves free, shares or fixes: a model's name is this value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from psyirt.errors import InputError


@dataclass(frozen=True)
class Slot:
    """How one number of an item is treated.

    Attributes
    ----------
    state : {"free", "shared", "fixed"}
        Estimated for the item alone, once for all items of the type, or not at all.
    value : float
        The natural-scale value of a fixed slot.
    """

    state: Literal["free", "shared", "fixed"]
    value: float = float("nan")

    def __post_init__(self) -> None:
        """Refuse a misspelt state and a fixed slot without its value."""
        if self.state not in ("free", "shared", "fixed"):
            raise InputError(f"no slot state is called {self.state!r}", "Slot", "Known: free, shared, fixed")
        if (self.state == "fixed") != math.isfinite(self.value):
            raise InputError(
                f"a {self.state} slot with value {self.value}", "Slot", "Give a value to fixed slots alone"
            )


FREE = Slot("free")
SHARED = Slot("shared")


def fixed(value: float) -> Slot:
    """A slot held at `value` (natural scale)."""
    return Slot("fixed", value)


@dataclass(frozen=True)
class ItemType:
    """A special case of P = c + (d - c) logistic(a theta + intercept).

    Attributes
    ----------
    name : str
        The field's name for it.
    a, intercept, c, d : Slot
        How each number is treated.
    frees_variance : bool
        Whether the latent variance is estimated (Rasch: slopes fixed at 1 set the unit, so it can be).
    source : str
        Where it comes from.
    """

    name: str
    a: Slot = FREE
    intercept: Slot = FREE
    c: Slot = fixed(0.0)
    d: Slot = fixed(1.0)
    frees_variance: bool = False
    source: str = ""

    def slot(self, name: str) -> Slot:
        """The slot called `name`; ``a1``, ``a2``, ... are treated as ``a``."""
        found: Slot = getattr(self, "a" if name.startswith("a") else name)
        return found


RASCH = ItemType("Rasch", a=fixed(1.0), frees_variance=True, source="Rasch (1960)")
ONE_PL = ItemType("1PL", a=SHARED, source="Birnbaum (1968), one shared slope, latent variance 1")
TWO_PL = ItemType("2PL", source="Birnbaum (1968)")
THREE_PL = ItemType("3PL", c=FREE, source="Birnbaum (1968)")
FEASIBILITY = ItemType("feasibility", d=FREE, source="Rodriguez et al. (2021): c = 0, free upper asymptote")
FOUR_PL = ItemType("4PL", c=FREE, d=FREE, source="Barton & Lord (1981)")
