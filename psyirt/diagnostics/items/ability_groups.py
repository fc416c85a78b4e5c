"""Subjects in groups of like size by a score: who is equal stays together, so that no order of rows decides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# scores that differ by less are equal: sums taken in another order differ in their last digits
_EQUAL = 1e-9
# a share this close below a boundary stands on it
_ROUNDING = 1e-9


def group_sums(group: NDArray[np.int64], values: Array, least: int = 0) -> Array:
    """Sums of values (A,) by group (A,), for at least so many groups."""
    return np.asarray(np.bincount(group, weights=values, minlength=least), dtype=float)


def ability_groups(scores: Array, weights: Array, count: int) -> NDArray[np.int64]:
    """Groups of nearly equal weight, lowest scores first.

    Parameters
    ----------
    scores : ndarray, shape (R,)
        Finite.
    weights : ndarray, shape (R,)
        How many subjects a row stands for.
    count : int
        How many groups; fewer come about where many scores are equal.

    Returns
    -------
    ndarray of int, shape (R,)
        0 for the lowest group; equal scores are in the group that the middle of their weight falls into, and no
        group is empty.
    """
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    steps = np.diff(ranked, prepend=ranked[:1]) > _EQUAL * (1.0 + np.abs(ranked))
    tie = np.cumsum(steps)
    size = np.bincount(tie, weights=weights[order])
    middle = np.cumsum(size) - 0.5 * size
    group = np.minimum(np.floor(middle * count / size.sum() + _ROUNDING).astype(np.int64), count - 1)
    out = np.empty(len(scores), dtype=np.int64)
    out[order] = np.unique(group, return_inverse=True)[1][tie]
    return out
