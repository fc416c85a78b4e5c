"""Repeated response patterns collapsed into one row with a weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.data.packed_store import STATES, PackedPatterns, group_size, packed_rows
from psyirt.data.pattern_source import PatternSource, rows_at_once, weighted_columns
from psyirt.data.response_source import MISSING, ResponseSource
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.data.sparse_responses import SparseResponses, entries_of
from psyirt.errors import InputError
from psyirt.foundation.words import counted

# sorting all rows costs more than a few repeated ones save: so many evenly spread rows are looked at first, and at
# least this share of them must repeat another
_SAMPLE, _REPEATED = 1000, 0.1
# a smaller share observed is worked through answer by answer, if items are more (measured)
_SPARSE_SHARE, _FEW_ITEMS = 0.3, 200
# subjects looked at at once
_ROWS_AT_ONCE = 1 << 16
# more subjects than there are people: sums of squares overflow long before their weights do
_MOST_WEIGHT = 1e12


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
    own_weights : ndarray, shape (subjects,), or None
        Each subject's weight where weights were given and rows collapsed; None: subjects of one row count alike.
    """

    codes: NDArray[np.int8]
    weights: NDArray[np.float64]
    index: NDArray[np.intp]
    own_weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, codes: NDArray[np.int8]) -> Patterns:
        """A row for each subject, each of weight 1."""
        return cls(codes, np.ones(len(codes)), np.arange(len(codes)))

    @property
    def rows(self) -> int:
        """R."""
        return len(self.codes)

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.codes.shape[1])

    @property
    def subjects(self) -> int:
        """How many subjects the patterns are of."""
        return len(self.index)

    @cached_property
    def observed(self) -> int:
        """Responses that are not missing, each pattern counted once."""
        return int(np.count_nonzero(self.codes != MISSING))

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    @property
    def subject_weights(self) -> NDArray[np.float64]:
        """Each subject's weight, shape (subjects,)."""
        if self.own_weights is not None:
            return self.own_weights
        return (self.weights / np.maximum(np.bincount(self.index, minlength=len(self.weights)), 1))[self.index]

    @property
    def answered(self) -> NDArray[np.intp]:
        """Number of responses that are not missing, shape (R,)."""
        return np.count_nonzero(self.codes != MISSING, axis=1)

    def codes_of(self, rows: slice) -> NDArray[np.int8]:
        """Consecutive patterns as a table, shape (rows, items)."""
        return self.codes[rows]

    def columns(self, items: NDArray[np.intp]) -> NDArray[np.int8]:
        """All patterns' answers to some items, shape (R, items)."""
        return self.codes[:, items]

    def take(self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> Patterns:
        """Some patterns, each of one subject; with their own weights or with others."""
        own = self.weights[rows] if weights is None else weights
        return Patterns(np.ascontiguousarray(self.codes[rows]), own, np.arange(len(own)))

    def answer_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weighted numbers of answers and of right answers to each item, each of shape (items,)."""
        answered, right = np.zeros(self.items), np.zeros(self.items)
        step = rows_at_once(self.items)
        for start in range(0, self.rows, step):
            codes, weights = self.codes[start : start + step], self.weights[start : start + step]
            answered += weighted_columns(codes != MISSING, weights)
            right += weighted_columns(codes == 1, weights)
        return answered, right

    @cached_property
    def is_complete(self) -> bool:
        """Whether no pattern has a missing answer."""
        return bool(np.all(self.codes != MISSING))

    @cached_property
    def packed(self) -> PackedPatterns:
        """The same patterns, several items to a byte: as many as pay with few nodes."""
        return self._packed_by(group_size(self.rows, self.is_complete, thin=False))

    @cached_property
    def thinly_packed(self) -> PackedPatterns:
        """The same patterns, fewer items to a byte: the tables of many nodes must not outgrow the cache."""
        return self._packed_by(group_size(self.rows, self.is_complete, thin=True))

    def packed_blocks(self, thin: bool) -> Iterator[tuple[slice, PackedPatterns]]:
        """The same patterns in consecutive blocks: here all at once."""
        yield slice(0, self.rows), self.thinly_packed if thin else self.packed

    def _packed_by(self, size: int) -> PackedPatterns:
        """`size` items to a byte."""
        states = STATES[self.is_complete]
        return PackedPatterns(packed_rows(self.codes, size, states), size, states)


def collapse(responses: ResponseSource, weights: ArrayLike | None = None) -> PatternSource:
    """Distinct response patterns and their weights.

    Parameters
    ----------
    responses : ResponseSource
        Subjects x items.
    weights : array_like, shape (subjects,), optional
        Subject weights (how many like subjects one stands for), 1 by default.

    Returns
    -------
    Patterns or SparsePatterns
        Collapsed where that is cheap; otherwise one row per subject, kept answer by answer where hardly any are
        observed. It depends on the responses alone, and not on how they were kept.

    Raises
    ------
    InputError
        If weights are not numbers, not finite, not positive, not one per subject, or sum to less than 1.
    """
    subjects, items = responses.shape
    each = checked_weights(weights, subjects)
    sparse = is_sparse(responses)
    if sparse and isinstance(responses, SparseResponses):
        return SparsePatterns(responses.starts, responses.entries, items, each)
    if sparse:
        parts = [entries_of(block.codes) for block in responses.blocks(_ROWS_AT_ONCE)]
        counts = np.concatenate([np.zeros(1, np.int64), *(lengths for _, lengths in parts)])
        return SparsePatterns(np.cumsum(counts), np.concatenate([entries for entries, _ in parts]), items, each)
    blocks = [block.codes for block in responses.blocks()]
    codes = blocks[0] if len(blocks) == 1 else np.concatenate([np.empty((0, items), np.int8), *blocks])
    return collapse_codes(codes, each, None if weights is None else each)


def is_sparse(responses: ResponseSource) -> bool:
    """Whether so little is observed that it is worked through answer by answer."""
    subjects, items = responses.shape
    return items > _FEW_ITEMS and responses.observed < _SPARSE_SHARE * subjects * items


def rows_repeat(codes: NDArray[np.int8]) -> bool:
    """Whether so many rows of a table, of which there are some, repeat others that putting them together pays."""
    some = np.ascontiguousarray(codes[:: max(1, len(codes) // _SAMPLE)])
    sample = some.view(np.dtype((np.void, codes.shape[1]))).ravel()
    return len(np.unique(sample)) <= (1.0 - _REPEATED) * len(sample)


def collapse_codes(
    codes: NDArray[np.int8], weights: NDArray[np.float64], own: NDArray[np.float64] | None = None
) -> Patterns:
    """The same from bare codes.

    Parameters
    ----------
    codes : ndarray of int8, shape (subjects, items)
        1, 0, -1 missing.
    weights : ndarray, shape (subjects,)
        Positive.
    own : ndarray, shape (subjects,), optional
        Weights to be kept for each subject, where they are not all 1.

    Returns
    -------
    Patterns
    """
    codes = np.ascontiguousarray(codes)
    subjects, items = codes.shape
    if codes.size == 0:
        return Patterns(codes, weights, np.arange(subjects))
    keys = codes.view(np.dtype((np.void, items))).ravel()
    if not rows_repeat(codes):
        return Patterns(codes, weights, np.arange(subjects))
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(index, weights=weights, minlength=len(first)).astype(float)
    return Patterns(np.ascontiguousarray(codes[first]), summed, index.ravel(), own)


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
    if not each.sum() < _MOST_WEIGHT:
        raise InputError(
            f"the weights sum to {each.sum():.3g}", "weights", "Give how many like subjects each stands for"
        )
    if subjects and each.sum() < 1.0:
        raise InputError(
            f"the weights sum to {each.sum():.3g}",
            "weights",
            "Give how many like subjects each stands for",
        )
    return each
