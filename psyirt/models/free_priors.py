"""Priors placed on the free vector: one density per parameter, a shared parameter counted once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import InputError
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout
from psyirt.models.priors import Prior, feasibility_prior, guessing_prior

PriorChoice = Prior | Mapping[str, Prior] | None


@dataclass(frozen=True, eq=False)
class FreePriors:
    """Priors by position in the free vector.

    Attributes
    ----------
    size : int
        Length of the free vector.
    placed : tuple of (Prior, ndarray of int)
        Each prior with the positions it is put on.
    """

    size: int
    placed: tuple[tuple[Prior, NDArray[np.intp]], ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any prior."""
        return bool(self.placed)

    def log_density(self, x: Array) -> float:
        """Sum of the log-densities at `x`."""
        return float(sum(prior.log_density(x[at]).sum() for prior, at in self.placed))

    def each_log_density(self, x: Array) -> Array:
        """Log-density of every parameter, 0 where it has no prior."""
        return self._spread("log_density", x)

    def gradient(self, x: Array) -> Array:
        """Gradient of the log-density, 0 where a parameter has no prior."""
        return self._spread("gradient", x)

    def curvature(self, x: Array) -> Array:
        """Second derivative of the log-density, 0 where a parameter has no prior."""
        return self._spread("curvature", x)

    def _spread(self, what: str, x: Array) -> Array:
        out = np.zeros(self.size)
        for prior, at in self.placed:
            out[at] = getattr(prior, what)(x[at])
        return out

    def at(self, position: int) -> Prior | None:
        """The prior on one parameter, if any."""
        for prior, places in self.placed:
            if position in places:
                return prior
        return None


def place_priors(
    layout: ParameterLayout,
    priors: Mapping[str, PriorChoice] | None,
    options: Mapping[str, float] | None = None,
) -> FreePriors:
    """Put priors on the parameters of a layout.

    Parameters
    ----------
    layout : ParameterLayout
        The free parameters.
    priors : mapping of slot to Prior, to {item: Prior} or to None, optional
        Slots not named take the default: a guessing prior on free c, a feasibility prior on free d, none elsewhere.
        ``{"c": None}`` means none, and a mapping of items names all that have one. ``a`` stands for every slope.
    options : mapping of item to number, optional
        Answer options per item, for the default guessing prior.

    Returns
    -------
    FreePriors

    Raises
    ------
    InputError
        If a slot is unknown, a prior cannot be put on a slot, or a slot or item it names has no free parameter.
    """
    chosen = dict(priors or {})
    base = {"a" if name.startswith("a") else name for name in layout.slots}
    for slot in chosen:
        if slot not in base:
            raise InputError(f"no parameter is called {slot!r}", "priors", f"Known: {', '.join(sorted(base))}")
    grouped: dict[Prior, list[int]] = {}
    for slot in layout.slots:
        family = "a" if slot.startswith("a") else slot
        for position, prior in _of_slot(layout, slot, family, chosen, options or {}).items():
            grouped.setdefault(prior, []).append(position)
    return FreePriors(layout.size, tuple((prior, np.array(at, dtype=np.intp)) for prior, at in grouped.items()))


def _of_slot(
    layout: ParameterLayout,
    slot: str,
    family: str,
    chosen: Mapping[str, PriorChoice],
    options: Mapping[str, float],
) -> dict[int, Prior]:
    """Position -> prior for one slot."""
    column = layout.index[:, layout.slots.index(slot)]
    free = {item: int(at) for item, at in zip(layout.item_names, column, strict=True) if at >= 0}
    if family not in chosen:
        if family == "c":
            return {at: guessing_prior(options.get(item)) for item, at in free.items()}
        return {at: feasibility_prior() for at in free.values()} if family == "d" else {}
    choice = chosen[family]
    if choice is None:
        return {}
    by_item = dict(choice) if isinstance(choice, Mapping) else dict.fromkeys(free, choice)
    if not free:
        raise InputError(f"a prior on {family!r}, which no item of this model estimates", "priors", "Leave it out")
    for item, prior in by_item.items():
        if item not in free:
            raise InputError(
                f"a prior on {family!r} of item {item!r}, which is not estimated", "priors", "Leave it out"
            )
        if not hasattr(prior, "log_density"):
            raise InputError(
                f"{prior!r} is no prior", "priors", "Use one of psyirt.priors, e.g. NormalOnLogit(-1.386, 0.5)"
            )
        if family not in prior.slots:
            raise InputError(
                f"{type(prior).__name__} is no prior for {family!r}",
                "priors",
                f"It is one for {', '.join(prior.slots)}",
            )
    return {free[item]: prior for item, prior in by_item.items()}
