"""Packed answers kept in memory, or in a temporary file that has no name and leaves nothing behind."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from psyirt.data.response_source import MISSING
from psyirt.errors import EstimationError

Packed = NDArray[np.uint8]

# items to a byte and answers an item, for (complete, incomplete) patterns
SIZE, STATES = {True: 8, False: 5}, {True: 2, False: 3}
# items to a byte where tables are to be small: they pay for few rows or many nodes, large ones for many rows (measured)
_SMALL_GROUPS, _FEW_ROWS = {True: 4, False: 3}, 2000


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


class PackedStore(Protocol):
    """Rows of bytes."""

    def read(self, rows: slice) -> Packed:
        """Consecutive rows, shape (rows, bytes)."""

    def close(self) -> None:
        """Give back what they take; nothing can be read afterwards."""


class MemoryStore:
    """Rows in memory."""

    def __init__(self, blocks: Iterable[Packed], rows: int, width: int) -> None:
        self._rows = np.empty((rows, width), dtype=np.uint8)
        start = 0
        for block in blocks:
            self._rows[start : start + len(block)] = block
            start += len(block)

    def read(self, rows: slice) -> Packed:
        """See :class:`PackedStore`."""
        return self._rows[rows]

    def close(self) -> None:
        """See :class:`PackedStore`."""
        self._rows = np.empty((0, self._rows.shape[1]), dtype=np.uint8)


class FileStore:
    """Rows in a temporary file: the operating system removes it when it is closed, however the process ends.

    It lies where Python's ``tempfile`` puts files: the folder named by TMPDIR, or the system's.
    """

    def __init__(self, blocks: Iterable[Packed], rows: int, width: int) -> None:
        self._width = width
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="psyirt-", buffering=0)  # noqa: SIM115 - kept open
        self._closing = weakref.finalize(self, self._file.close)
        self._reading = threading.Lock()
        try:
            for block in blocks:
                self._write(np.ascontiguousarray(block).data.cast("B"))
        except OSError as error:
            self.close()
            raise EstimationError(
                f"{rows * width / 1e6:,.0f} MB of answers cannot be put aside ({error.strerror})",
                tempfile.gettempdir(),
                "Name a folder with more room in the environment variable TMPDIR, or give more memory",
            ) from error
        except BaseException:
            self.close()
            raise

    def _write(self, left: memoryview) -> None:
        while len(left):
            left = left[self._file.write(left) :]

    def read(self, rows: slice) -> Packed:
        """See :class:`PackedStore`."""
        out = np.empty((rows.stop - rows.start, self._width), dtype=np.uint8)
        with self._reading:
            self._file.seek(rows.start * self._width)
            left = out.data.cast("B")
            while len(left):
                count = self._file.readinto(left)  # type: ignore[attr-defined]
                if not count:
                    raise EstimationError("the answers put aside are cut short", tempfile.gettempdir(), "Fit again")
                left = left[count:]
        return out

    def close(self) -> None:
        """See :class:`PackedStore`."""
        self._closing()


def group_size(rows: int, complete: bool, thin: bool) -> int:
    """Items to a byte that pay for so many patterns; `thin` where nodes are many."""
    return (_SMALL_GROUPS if thin or rows <= _FEW_ROWS else SIZE)[complete]


def packed_rows(codes: NDArray[np.int8], size: int, states: int) -> Packed:
    """Codes as bytes: sum_k state_k * states**k over the items g*size + k of group g; missing is the last state."""
    packed = np.zeros((len(codes), -(-codes.shape[1] // size)), dtype=np.uint8)
    for k in range(size):
        column = codes[:, k::size]
        state = np.where(column == MISSING, states - 1, column).astype(np.uint8)
        packed[:, : column.shape[1]] += state * np.uint8(states**k)
    return packed


def unpacked_rows(packed: Packed, size: int, states: int, items: int) -> NDArray[np.int8]:
    """The codes that :func:`packed_rows` was given."""
    codes = np.empty((len(packed), packed.shape[1] * size), dtype=np.int8)
    for k in range(size):
        codes[:, k::size] = packed // states**k % states
    codes = np.ascontiguousarray(codes[:, :items])
    if states == 3:
        codes[codes == 2] = MISSING
    return codes


def repacked(packed: Packed, size: int, states: int, items: int, other: int) -> Packed:
    """The same answers with another number of items to a byte."""
    return packed if size == other else packed_rows(unpacked_rows(packed, size, states, items), other, states)


def packed_blocks(blocks: Iterable[NDArray[np.int8]], size: int, states: int) -> Iterator[Packed]:
    """Blocks of codes, packed."""
    for codes in blocks:
        yield packed_rows(codes, size, states)
