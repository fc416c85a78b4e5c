"""What may be asked of graded responses, however they are kept: names, and the codes a block of subjects at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MISSING = -1


@dataclass(frozen=True, eq=False)
class ResponseBlock:
    """Consecutive subjects of a response source.

    Attributes
    ----------
    start : int
        Position of the block's first subject.
    codes : ndarray of int8, shape (subjects in the block, items), C-contiguous, read-only
        1 correct, 0 wrong, -1 missing.
    """

    start: int
    codes: NDArray[np.int8]


class ResponseSource(Protocol):
    """What the rest of psyirt may ask of graded responses; nobody reads a raw matrix."""

    @property
    def shape(self) -> tuple[int, int]:
        """(subjects, items)."""

    @property
    def item_names(self) -> tuple[str, ...]:
        """Item names, in column order."""

    @property
    def subject_names(self) -> tuple[str, ...]:
        """Subject names, in row order."""

    @property
    def observed(self) -> int:
        """Number of responses that are not missing."""

    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        """The responses, a block of subjects at a time, in order."""
