"""Response patterns kept answer by answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import refuse_large_table
from psyirt.data.response_source import MISSING
from psyirt.data.sparse_responses import dense_rows, taken_rows


@dataclass(frozen=True, eq=False)
class SparsePatterns:
    """One pattern for each subject, and nothing where an answer is missing.

    Attributes
    ----------
    starts : ndarray of int, shape (R + 1,)
        Pattern r's answers are ``entries[starts[r]:starts[r + 1]]``.
    entries : ndarray of int32, shape (observed,)
        2 * item + answer, each pattern's in the order of the items.
    items : int
        Number of items.
    weights : ndarray, shape (R,)
        How many like subjects each stands for.
    """

    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    items: int
    weights: NDArray[np.float64]

    @property
    def rows(self) -> int:
        """R."""
        return len(self.starts) - 1

    @property
    def subjects(self) -> int:
        """How many subjects the patterns are of."""
        return self.rows

    @property
    def observed(self) -> int:
        """Responses that are not missing."""
        return len(self.entries)

    @cached_property
    def index(self) -> NDArray[np.intp]:
        """Each subject's pattern, shape (subjects,)."""
        return np.arange(self.rows)

    @property
    def subject_weights(self) -> NDArray[np.float64]:
        """Each subject's own weight, shape (subjects,)."""
        return self.weights

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    @property
    def is_complete(self) -> bool:
        """Whether no pattern has a missing answer."""
        return self.observed == self.rows * self.items

    @property
    def codes(self) -> NDArray[np.int8]:
        """All patterns as a table, made anew each time; see :class:`psyirt.data.pattern_source.PatternSource`."""
        refuse_large_table(self.rows, self.items)
        return self.codes_of(slice(0, self.rows))

    @property
    def answered(self) -> NDArray[np.intp]:
        """Number of responses that are not missing, shape (R,)."""
        return np.diff(self.starts)

    def codes_of(self, rows: slice) -> NDArray[np.int8]:
        """Consecutive patterns as a table, shape (rows, items)."""
        start, stop, _ = rows.indices(self.rows)
        return dense_rows(self.starts[start : stop + 1], self.entries, self.items)

    def columns(self, items: NDArray[np.intp]) -> NDArray[np.int8]:
        """All patterns' answers to some items, shape (R, items)."""
        starts, order, rows = self._by_item
        lengths = starts[items + 1] - starts[items]
        at = np.repeat(starts[items] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        codes = np.full((self.rows, len(items)), MISSING, dtype=np.int8)
        codes[rows[at], np.repeat(np.arange(len(items)), lengths)] = self.entries[order[at]] & 1
        return codes

    @cached_property
    def _by_item(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Where each item's answers start among all answers sorted by item, their positions, and their patterns."""
        item = self.entries >> 1
        order = np.argsort(item, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(item, minlength=self.items))])
        return starts, order, np.repeat(np.arange(self.rows), np.diff(self.starts))[order]

    def take(self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> SparsePatterns:
        """Some patterns, with their own weights or with others."""
        own = self.weights[rows] if weights is None else weights
        return SparsePatterns(*taken_rows(self.starts, self.entries, rows), self.items, own)

    def answer_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weighted numbers of answers and of right answers to each item, each of shape (items,)."""
        each = np.repeat(self.weights, np.diff(self.starts))
        by_answer = np.bincount(self.entries, weights=each, minlength=2 * self.items).astype(float).reshape(-1, 2)
        return by_answer.sum(axis=1), by_answer[:, 1].copy()
