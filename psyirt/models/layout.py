"""Which entries of the (items, slots) table are free, shared or fixed: free/shared/fixed as data.

Estimation works on one free vector x. A layout places x into the table of slot values and folds derivatives of
the table back onto x; nothing else in the package knows whether a slope is shared or an asymptote fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from psyirt.errors import InputError
from psyirt.models.base import Array
from psyirt.models.item_types import ItemType

FIXED = -1
VARIANCE = "variance"
# moments of ability that may be free, in the order in which they end the free vector; other parameters of the ability
# density may follow them
MOMENTS = ("mean", VARIANCE)


@dataclass(frozen=True, eq=False)
class ParameterLayout:
    """How the free vector fills the (items, slots) table.

    Attributes
    ----------
    item_names : tuple of str
        J items.
    slots : tuple of str
        S slots.
    index : ndarray of int, shape (J, S)
        Position in the free vector, -1 where the slot is fixed; equal positions share a parameter.
    fixed : ndarray, shape (J, S)
        Estimation-scale values of fixed slots (NaN elsewhere).
    names : tuple of (slot, item)
        One per free parameter; a shared one carries its item type's name, a latent moment ("mean", "") or
        ("variance", ""), a parameter of the density's shape ("angle_1", "").
    free_moments : tuple of str
        Which of the latent mean and variance are estimated, then the density's shape where it has free parameters:
        they end the free vector, in this order.
    """

    item_names: tuple[str, ...]
    slots: tuple[str, ...]
    index: NDArray[np.intp]
    fixed: Array
    names: tuple[tuple[str, str], ...]
    free_moments: tuple[str, ...]

    @property
    def frees_variance(self) -> bool:
        """Whether the last free parameter is the latent variance."""
        return VARIANCE in self.free_moments

    @property
    def size(self) -> int:
        """Number of free parameters, the latent moments included."""
        return len(self.names)

    @property
    def item_size(self) -> int:
        """Number of free item parameters."""
        return self.size - len(self.free_moments)

    @cached_property
    def is_free(self) -> NDArray[np.bool_]:
        """Shape (J, S): whether the slot is estimated, alone or shared."""
        return self.index != FIXED

    @cached_property
    def has_shared(self) -> bool:
        """Whether any parameter serves several items."""
        return int(np.count_nonzero(self.is_free)) > self.item_size

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """Shape (item_size,): whether the parameter serves several items."""
        return np.bincount(self.index[self.is_free], minlength=self.item_size) > 1

    @cached_property
    def is_shared(self) -> NDArray[np.bool_]:
        """Shape (J, S): whether the slot's parameter serves several items."""
        out = np.zeros_like(self.is_free)
        out[self.is_free] = self.shared[self.index[self.is_free]]
        return out

    @cached_property
    def _at(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
        """Free places in the flattened table, their positions in the free vector, and how many places each has."""
        places = np.flatnonzero(self.is_free)
        positions = self.index.ravel()[places]
        return places, positions, np.bincount(positions, minlength=self.item_size).astype(float)

    def with_shape(self, names: Sequence[str]) -> ParameterLayout:
        """The same layout with free parameters of the density's shape at the end, in place of those it had."""
        moments = tuple(name for name in self.free_moments if name in MOMENTS) + tuple(names)
        latent = tuple((name, "") for name in moments)
        return replace(self, names=self.names[: self.item_size] + latent, free_moments=moments)

    def without_moments(self) -> ParameterLayout:
        """The same items with a density of which nothing is free."""
        return replace(self, names=self.names[: self.item_size], free_moments=())

    def values(self, x: Array) -> Array:
        """The (J, S) table of slot values at the free vector `x`."""
        places, positions, _ = self._at
        table = self.fixed.copy()
        table.reshape(-1)[places] = x[positions]
        return table

    def free(self, values: Array) -> Array:
        """The item part of the free vector, shape (item_size,); a shared parameter takes the mean of its slots."""
        return self.fold(values) / self._at[2]

    def fold(self, table: Array) -> Array:
        """Sum a (J, S) table of derivatives onto the free item parameters, shape (item_size,)."""
        places, positions, _ = self._at
        sums = np.bincount(positions, weights=table.ravel()[places], minlength=self.item_size)
        return np.asarray(sums, dtype=float)

    def fold_matrix(self, blocks: Array) -> Array:
        """Sum (J, S, S) blocks of second derivatives onto the free item parameters, a full matrix."""
        out = np.zeros((self.item_size, self.item_size))
        both = self.is_free[:, :, None] & self.is_free[:, None, :]
        rows = np.broadcast_to(self.index[:, :, None], both.shape)[both]
        columns = np.broadcast_to(self.index[:, None, :], both.shape)[both]
        np.add.at(out, (rows, columns), blocks[both])
        return out

    def positions(self, slot: str) -> NDArray[np.intp]:
        """Positions in the free vector of a slot's parameters, without repeats."""
        column = self.index[:, self.slots.index(slot)]
        return np.unique(column[column != FIXED])


def make_layout(
    item_names: Sequence[str],
    item_types: Sequence[ItemType],
    slots: Sequence[str],
    *,
    free_moments: Sequence[str] | None = None,
) -> ParameterLayout:
    """The layout of items of given types.

    Parameters
    ----------
    item_names : sequence of str
        J items.
    item_types : sequence of ItemType
        Their types; items of one type share that type's shared slots.
    slots : sequence of str
        The response model's slots.
    free_moments : sequence of str, optional
        Which of "mean" and "variance" of ability are estimated; by default the variance if any item's type says so.

    Returns
    -------
    ParameterLayout
        Free parameters item by item, in slot order; a shared one stands where it first occurs.

    Raises
    ------
    InputError
        If a moment is called something else.
    """
    index = np.full((len(item_names), len(slots)), FIXED, dtype=np.intp)
    values = np.full(index.shape, np.nan)
    names: list[tuple[str, str]] = []
    seen: dict[tuple[str, str], int] = {}
    # by identity: hashing a type costs more than what is looked up
    kinds = {id(kind): kind for kind in item_types}
    slots_of = {key: tuple(kind.slot(name) for name in slots) for key, kind in kinds.items()}
    for j, (item, kind) in enumerate(zip(item_names, item_types, strict=True)):
        for s, (name, slot) in enumerate(zip(slots, slots_of[id(kind)], strict=True)):
            if slot.state == "fixed":
                values[j, s] = logit(slot.value) if name in ("c", "d") else slot.value
                continue
            key = (name, kind.name) if slot.state == "shared" else (name, item)
            label = (slot.state + name, key[1])
            if label not in seen:
                seen[label] = len(names)
                names.append(key)
            index[j, s] = seen[label]
    if free_moments is None:
        free_moments = (VARIANCE,) if any(kind.frees_variance for kind in item_types) else ()
    unknown = [name for name in free_moments if name not in MOMENTS]
    if unknown:
        raise InputError(f"no latent moment is called {unknown[0]!r}", "layout", f"Known: {', '.join(MOMENTS)}")
    moments = tuple(name for name in MOMENTS if name in free_moments)
    names += [(name, "") for name in moments]
    return ParameterLayout(tuple(item_names), tuple(slots), index, values, tuple(names), moments)
