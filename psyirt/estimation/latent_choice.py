"""Which density ability has in a fit, from the words a user passes."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal

from psyirt.errors import InputError
from psyirt.foundation.arguments import require, require_word
from psyirt.latent.davidian import HIGHEST_ORDER

Latent = Literal["normal", "histogram", "davidian"]


@dataclass(frozen=True)
class LatentChoice:
    """A density by name, checked.

    Attributes
    ----------
    name : {"normal", "histogram", "davidian"}
        See ``fit_mml``.
    order : int or None
        Of a Davidian curve, 0 to 6; None to have it chosen.
    """

    name: Latent = "normal"
    order: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is not known, and an order that would be ignored."""
        require_word(self.name, Latent, "latent=")
        if self.order is None:
            return
        require(self.order, Integral, "latent_order", "fit_mml", f"Give a whole number, 0 to {HIGHEST_ORDER}")
        if self.name != "davidian":
            raise InputError(f"latent_order with latent={self.name!r}", "fit_mml", "It belongs to latent='davidian'")
        if not 0 <= self.order <= HIGHEST_ORDER:
            raise InputError(f"latent_order is {self.order}", "fit_mml", f"Give 0 to {HIGHEST_ORDER}, or leave it out")


NORMAL = LatentChoice()
