"""The covariance of a fit's estimates as a value, and which kinds there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from psyirt.errors import InputError
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout

CovarianceKind = Literal["louis", "oakes", "crossprod", "sandwich", "cluster", "bootstrap", "item-blocks"]
KINDS: tuple[str, ...] = ("louis", "oakes", "crossprod", "sandwich", "cluster", "bootstrap", "item-blocks")
# above this many parameters a full matrix is neither formed nor inverted
FULL_LIMIT = 5000


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance matrix of the free parameters, natural scale.

    Attributes
    ----------
    kind : str
        How it was computed: one of `KINDS`.
    variances : ndarray, shape (size,)
        Its diagonal; NaN where not available.
    matrix : ndarray, shape (size, size), or None
        The full matrix, NaN rows where not available; None where it was not formed ("item-blocks", and "louis" above
        5,000 parameters).
    problems : mapping of position to str
        Parameters without a standard error, and why.
    item_blocks : ndarray, shape (J, S, S)
        Covariance among each item's slots, 0 for fixed ones, NaN where not available.
    notes : tuple of str
        What to know about the whole of it.
    replicates : ndarray, shape (B, size), or None
        Estimates of the bootstrap replications that converged, natural scale; None for the other kinds.
    """

    kind: str
    variances: Array
    matrix: Array | None
    item_blocks: Array
    problems: dict[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    replicates: Array | None = None

    def __post_init__(self) -> None:
        """Close the arrays to changes: a covariance is kept and shown again."""
        for array in (self.variances, self.matrix, self.item_blocks, self.replicates):
            if array is not None:
                array.setflags(write=False)


def require_kind(kind: str) -> None:
    """Refuse a kind of covariance that there is not."""
    if kind not in KINDS:
        raise InputError(f"no covariance is called {kind!r}", "", f"Known: {', '.join(KINDS)}")


def has_room(size: int) -> bool:
    """Whether a full matrix of so many parameters may be formed."""
    return size <= FULL_LIMIT


def require_room(size: int, kind: str) -> None:
    """Refuse a full matrix of too many parameters."""
    if not has_room(size):
        raise InputError(
            f"a full covariance of {size} parameters",
            f"kind={kind!r}",
            f"Above {FULL_LIMIT:,} parameters use kind='louis', which does without the matrix where subjects are few",
        )


def blocks_of(full: Array, layout: ParameterLayout) -> Array:
    """Each item's block of a full matrix, shape (J, S, S), 0 where a slot is fixed."""
    at = np.maximum(layout.index, 0)
    blocks = full[at[:, :, None], at[:, None, :]]
    both = layout.is_free[:, :, None] & layout.is_free[:, None, :]
    return np.where(both, blocks, 0.0)
