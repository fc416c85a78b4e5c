"""Repeated response patterns collapsed into one row with a weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.data.response_source import MISSING, ResponseSource
from psyirt.errors import InputError
from psyirt.foundation.words import counted

# sorting all rows costs more than a few repeated ones save: so many evenly spread rows are looked at first, and at
# least this share of them must repeat another
_SAMPLE, _REPEATED = 1000, 0.1


# items per group, for (complete, incomplete) patterns: small tables pay for few rows or many nodes, large ones for many
# rows (measured)
_FEW_ROWS = 2000
_SMALL_GROUPS, _LARGE_GROUPS = {True: 4, False: 3}, {True: 8, False: 5}


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

    @property
    def nothing(self) -> int:
        """The combination in which all answers of a group are missing; of complete patterns one that does not occur."""
        return int(self.states**self.size) - 1 if self.states == 3 else 256


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
    def is_complete(self) -> bool:
        """Whether no pattern has a missing answer."""
        return bool(np.all(self.codes != MISSING))

    @cached_property
    def packed(self) -> PackedPatterns:
        """The same patterns, several items to a byte: as many as pay with few nodes."""
        return self.thinly_packed if len(self.codes) <= _FEW_ROWS else self._packed_by(_LARGE_GROUPS[self.is_complete])

    @cached_property
    def thinly_packed(self) -> PackedPatterns:
        """The same patterns, fewer items to a byte: the tables of many nodes must not outgrow the cache."""
        return self._packed_by(_SMALL_GROUPS[self.is_complete])

    def _packed_by(self, size: int) -> PackedPatterns:
        """`size` items to a byte."""
        rows, items = self.codes.shape
        states = 2 if self.is_complete else 3
        packed = np.zeros((rows, -(-items // size)), dtype=np.uint8)
        for k in range(size):
            column = self.codes[:, k::size]
            state = np.where(column == MISSING, states - 1, column).astype(np.uint8)
            packed[:, : column.shape[1]] += state * np.uint8(states**k)
        return PackedPatterns(packed, size, states)


def collapse(responses: ResponseSource, weights: ArrayLike | None = None) -> Patterns:
    """Distinct response patterns and their weights.

    Parameters
    ----------
    responses : ResponseSource
        Subjects x items.
    weights : array_like, shape (subjects,), optional
        Subject weights (how many like subjects one stands for), 1 by default.

    Returns
    -------
    Patterns
        Collapsed where that is cheap; otherwise one row per subject.

    Raises
    ------
    InputError
        If weights are not numbers, not finite, not positive, not one per subject, or sum to less than 1.
    """
    subjects, items = responses.shape
    each = checked_weights(weights, subjects)
    blocks = [block.codes for block in responses.blocks()]
    codes = blocks[0] if len(blocks) == 1 else np.concatenate([np.empty((0, items), np.int8), *blocks])
    return collapse_codes(codes, each)


def collapse_codes(codes: NDArray[np.int8], weights: NDArray[np.float64]) -> Patterns:
    """The same from bare codes.

    Parameters
    ----------
    codes : ndarray of int8, shape (subjects, items)
        1, 0, -1 missing.
    weights : ndarray, shape (subjects,)
        Positive.

    Returns
    -------
    Patterns
    """
    codes = np.ascontiguousarray(codes)
    subjects, items = codes.shape
    if codes.size == 0:
        return Patterns(codes, weights, np.arange(subjects))
    keys = codes.view(np.dtype((np.void, items))).ravel()
    sample = keys[:: max(1, subjects // _SAMPLE)]
    if len(np.unique(sample)) > (1.0 - _REPEATED) * len(sample):
        return Patterns(codes, weights, np.arange(subjects))
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(index, weights=weights, minlength=len(first)).astype(float)
    return Patterns(np.ascontiguousarray(codes[first]), summed, index.ravel())


def checked_weights(weights: ArrayLike | None, subjects: int) -> NDArray[np.float64]:
    """A positive number for each subject, a copy; anything else is refused."""
    if weights is None:
        return np.ones(subjects)
    try:
        each = np.array(weights, dtype=float)
    except (TypeError, ValueError):
        raise InputError("a weight is not a number", "weights", "Give one positive number per subject") from None
    if each.shape != (subjects,):
        raise InputError(
            f"{counted(each.size, 'weight')} for {counted(subjects, 'subject')}",
            "weights",
            "Give one weight per subject",
        )
    if not (np.all(np.isfinite(each)) and np.all(each > 0)):
        raise InputError("a weight is not a positive number", "weights", "Leave out subjects that should not count")
    if subjects and each.sum() < 1.0:
        raise InputError(
            f"the weights sum to {each.sum():.3g}",
            "weights",
            "Give how many like subjects each stands for",
        )
    return each
