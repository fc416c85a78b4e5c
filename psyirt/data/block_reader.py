"""What is asked of a file of graded responses that stays where it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class BlockReader(Protocol):
    """A file of graded responses that is not taken into memory."""

    @property
    def rows(self) -> int:
        """Number of subjects."""

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names of all items."""

    def subject_names(self) -> tuple[str, ...]:
        """Names of all subjects: read from the file each time, since they may outweigh the responses."""

    def blocks(self, rows: int, items: NDArray[np.intp]) -> Iterator[NDArray[np.int8]]:
        """Codes (1, 0, -1) of some items, at most so many subjects at a time, in order."""
