"""Response patterns packed eight (or five) to a byte, in memory or in a temporary file, read a block at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.data.packed_store import (
    SIZE,
    STATES,
    FileStore,
    MemoryStore,
    PackedPatterns,
    PackedStore,
    group_size,
    packed_blocks,
    repacked,
    unpacked_rows,
)
from psyirt.data.pattern_source import PatternSource, refuse_large_table, rows_at_once, weighted_columns
from psyirt.data.patterns import Patterns
from psyirt.data.response_source import MISSING, ResponseSource

# patterns that sums are made of at once: fixed, so that the sums depend on nothing else
BLOCK_ROWS = 1 << 16


class StoredPatterns:
    """One pattern for each subject of a response source, packed once, and again if asked for after :meth:`close`.

    Parameters
    ----------
    source : ResponseSource
        Subjects x items.
    weights : ndarray, shape (subjects,), optional
        How many like subjects each stands for; 1 by default.
    in_file : bool
        Whether the packed answers lie in a temporary file and not in memory.
    """

    def __init__(self, source: ResponseSource, weights: NDArray[np.float64] | None, in_file: bool) -> None:
        self._source, self._weights, self._in_file = source, weights, in_file
        self._kept: PackedStore | None = None

    @property
    def rows(self) -> int:
        """R."""
        return self._source.shape[0]

    @property
    def items(self) -> int:
        """Number of items."""
        return self._source.shape[1]

    @property
    def subjects(self) -> int:
        """How many subjects the patterns are of."""
        return self.rows

    @property
    def observed(self) -> int:
        """Responses that are not missing."""
        return self._source.observed

    @property
    def in_file(self) -> bool:
        """Whether the packed answers lie in a temporary file."""
        return self._in_file

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each subject, shape (R,); where all are 1, a view of a single number."""
        return np.broadcast_to(np.ones(1), (self.rows,)) if self._weights is None else self._weights

    @property
    def index(self) -> NDArray[np.intp]:
        """Each subject's pattern, shape (subjects,)."""
        return np.arange(self.rows)

    @property
    def subject_weights(self) -> NDArray[np.float64]:
        """Each subject's own weight, shape (subjects,)."""
        return self.weights

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.rows) if self._weights is None else float(self._weights.sum())

    @property
    def is_complete(self) -> bool:
        """Whether no pattern has a missing answer."""
        return self.observed == self.rows * self.items

    @property
    def size(self) -> int:
        """Items to a byte."""
        return SIZE[self.is_complete]

    @property
    def states(self) -> int:
        """Answers per item: 2, or 3 where any is missing."""
        return STATES[self.is_complete]

    @property
    def row_bytes(self) -> int:
        """Bytes that a packed pattern takes."""
        return -(-self.items // self.size)

    def close(self) -> None:
        """Give back what the packed answers take."""
        if self._kept is not None:
            self._kept.close()
        self._kept = None

    def _store(self) -> PackedStore:
        if self._kept is None:
            blocks = packed_blocks((part.codes for part in self._source.blocks(BLOCK_ROWS)), self.size, self.states)
            self._kept = (FileStore if self._in_file else MemoryStore)(blocks, self.rows, self.row_bytes)
        return self._kept

    def put_aside(self) -> None:
        """Keep the packed answers in a temporary file from now on."""
        if not self._in_file:
            self.close()
            self._in_file = True

    def bits_of(self, rows: slice) -> NDArray[np.uint8]:
        """Consecutive complete patterns, eight items to a byte."""
        return self._store().read(rows)

    def packed_blocks(self, thin: bool) -> Iterator[tuple[slice, PackedPatterns]]:
        """The same patterns in consecutive blocks, as many items to a byte as pay (fewer with many nodes)."""
        size = group_size(self.rows, self.is_complete, thin)
        for start in range(0, self.rows, BLOCK_ROWS):
            rows = slice(start, min(start + BLOCK_ROWS, self.rows))
            bits = repacked(self._store().read(rows), self.size, self.states, self.items, size)
            yield rows, PackedPatterns(bits, size, self.states)

    def codes_of(self, rows: slice) -> NDArray[np.int8]:
        """Consecutive patterns as a table, shape (rows, items)."""
        start, stop, _ = rows.indices(self.rows)
        return unpacked_rows(self._store().read(slice(start, stop)), self.size, self.states, self.items)

    @property
    def codes(self) -> NDArray[np.int8]:
        """All patterns as a table, made anew each time; see :class:`psyirt.data.pattern_source.PatternSource`."""
        refuse_large_table(self.rows, self.items)
        return self.codes_of(slice(0, self.rows))

    @property
    def answered(self) -> NDArray[np.intp]:
        """Number of responses that are not missing, shape (R,)."""
        parts = [np.count_nonzero(codes != MISSING, axis=1) for _, codes in self._blocks()]
        return np.concatenate([np.zeros(0, dtype=np.intp), *parts])

    def columns(self, items: NDArray[np.intp]) -> NDArray[np.int8]:
        """All patterns' answers to some items, shape (R, items)."""
        return np.concatenate([np.empty((0, len(items)), np.int8), *(codes[:, items] for _, codes in self._blocks())])

    def take(self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> Patterns:
        """Some patterns, with their own weights or with others, in memory."""
        refuse_large_table(len(rows), self.items)
        codes = np.empty((len(rows), self.items), dtype=np.int8)
        for block, part in self._blocks():
            here = np.flatnonzero((rows >= block.start) & (rows < block.stop))
            codes[here] = part[rows[here] - block.start]
        own = self.weights[rows] if weights is None else weights
        return Patterns(codes, own, np.arange(len(rows)))

    def answer_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weighted numbers of answers and of right answers to each item, each of shape (items,)."""
        answered, right = np.zeros(self.items), np.zeros(self.items)
        for rows, codes in self._blocks():
            weights = self.weights[rows]
            answered += weighted_columns(codes != MISSING, weights)
            right += weighted_columns(codes == 1, weights)
        return answered, right

    def _blocks(self) -> Iterator[tuple[slice, NDArray[np.int8]]]:
        """All patterns as tables, a block at a time."""
        step = rows_at_once(self.items)
        for start in range(0, self.rows, step):
            rows = slice(start, min(start + step, self.rows))
            yield rows, self.codes_of(rows)


@contextlib.contextmanager
def given_back(patterns: PatternSource) -> Iterator[None]:
    """Run a block, and give back what packed answers take when it ends, however it does."""
    try:
        yield
    finally:
        if isinstance(patterns, StoredPatterns):
            patterns.close()
