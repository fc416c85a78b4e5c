"""Repeated response patterns collapsed into one row with a weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.data.responses import MISSING, ResponseSource
from psyirt.errors import InputError

# np.unique sorts rows; above this many codes the sort costs more than the repeated rows save
_COLLAPSE_LIMIT = 20_000_000


# items per group, for (complete, incomplete) patterns: small tables pay for few rows, large ones for many (measured)
_FEW_ROWS = 2000
_GROUP_SIZES = {True: (4, 8), False: (3, 5)}


@dataclass(frozen=True, eq=False)
class PackedPatterns:
    """Patterns with several items' answers packed into one byte.

    Attributes
    ----------
    codes : ndarray of uint8, shape (R, G)
        sum_k state_k * states**k over the items g*size + k of group g; a missing answer is the last state.
    size : int
        Items per group.
    states : int
        Answers per item: 2, or 3 where any is missing.
    """

    codes: NDArray[np.uint8]
    size: int
    states: int


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct response patterns, in a canonical order (so that results do not depend on row order).

    Attributes
    ----------
    codes : ndarray of int8, shape (R, items)
        1, 0, -1 missing; rows in lexicographic order where collapsed.
    weights : ndarray, shape (R,)
        Sum of the weights of the subjects with the pattern.
    index : ndarray of int, shape (subjects,)
        Each subject's row in `codes`.
    """

    codes: NDArray[np.int8]
    weights: NDArray[np.float64]
    index: NDArray[np.intp]

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def packed(self) -> PackedPatterns:
        """The same patterns, several items to a byte."""
        rows, items = self.codes.shape
        complete = bool(np.all(self.codes != MISSING))
        states = 2 if complete else 3
        size = _GROUP_SIZES[complete][rows > _FEW_ROWS]
        groups = -(-items // size)
        packed = np.zeros((rows, groups), dtype=np.uint8)
        for k in range(size):
            column = self.codes[:, k::size]
            state = np.where(column == MISSING, states - 1, column).astype(np.uint8)
            packed[:, : column.shape[1]] += state * np.uint8(states**k)
        return PackedPatterns(packed, size, states)


def collapse(responses: ResponseSource, weights: NDArray[np.float64] | None = None) -> Patterns:
    """Distinct response patterns and their weights.

    Parameters
    ----------
    responses : ResponseSource
        Subjects x items.
    weights : ndarray, shape (subjects,), optional
        Subject weights (how many like subjects one stands for), 1 by default.

    Returns
    -------
    Patterns
        Collapsed where that is cheap; otherwise one row per subject.

    Raises
    ------
    InputError
        If weights are not finite, not positive, or not one per subject.
    """
    subjects, items = responses.shape
    each = np.ones(subjects) if weights is None else np.asarray(weights, dtype=float)
    if each.shape != (subjects,):
        raise InputError(f"{each.size} weights for {subjects} subjects", "weights", "Give one weight per subject")
    if not (np.all(np.isfinite(each)) and np.all(each > 0)):
        raise InputError("a weight is not a positive number", "weights", "Leave out subjects that should not count")
    codes = np.concatenate([block.codes for block in responses.blocks()]) if subjects else np.empty((0, items), np.int8)
    if codes.size == 0 or codes.size > _COLLAPSE_LIMIT:
        return Patterns(np.ascontiguousarray(codes), each, np.arange(subjects))
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, items))).ravel()
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(index, weights=each, minlength=len(first)).astype(float)
    return Patterns(np.ascontiguousarray(codes[first]), summed, index.ravel())
