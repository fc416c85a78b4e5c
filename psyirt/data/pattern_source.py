"""What the engine may ask of response patterns, however they are kept."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import NotAvailableError

# cells of the largest table that is made where a statistic needs one, a byte each
LARGEST_TABLE = 2_000_000_000


class PatternSource(Protocol):
    """R response patterns over J items, with weights; several subjects may share one."""

    @property
    def rows(self) -> int:
        """R."""

    @property
    def items(self) -> int:
        """J."""

    @property
    def subjects(self) -> int:
        """How many subjects the patterns are of."""

    @property
    def observed(self) -> int:
        """Responses that are not missing, each pattern counted once."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """Sum of the weights of the subjects with a pattern, shape (R,)."""

    @property
    def index(self) -> NDArray[np.intp]:
        """Each subject's pattern, shape (subjects,)."""

    @property
    def subject_weights(self) -> NDArray[np.float64]:
        """Each subject's own weight, shape (subjects,)."""

    @property
    def total(self) -> float:
        """Sum of the weights."""

    @property
    def is_complete(self) -> bool:
        """Whether no pattern has a missing answer."""

    @property
    def codes(self) -> NDArray[np.int8]:
        """All patterns as a table, shape (R, J): 1, 0, -1 missing.

        Raises
        ------
        NotAvailableError
            If the patterns are not kept as one, and it would have more than two billion cells.
        """

    @property
    def answered(self) -> NDArray[np.intp]:
        """Number of responses that are not missing, shape (R,)."""

    def codes_of(self, rows: slice) -> NDArray[np.int8]:
        """Consecutive patterns as a table, shape (rows, J)."""

    def columns(self, items: NDArray[np.intp]) -> NDArray[np.int8]:
        """All patterns' answers to some items, shape (R, items)."""

    def take(self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> PatternSource:
        """Some patterns, each of one subject; with their own weights or with others."""

    def answer_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weighted numbers of answers and of right answers to each item, each of shape (J,)."""


def weighted_columns(chosen: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the weights of the rows chosen in each column: a count, which is faster, where all weights are 1."""
    if np.all(weights == 1.0):
        return np.count_nonzero(chosen, axis=0).astype(float)
    return np.asarray(weights @ chosen)


def rows_at_once(items: int) -> int:
    """Patterns of so many items that are looked at as a table at once: about four million cells."""
    return max(1, min(1 << 16, (1 << 22) // max(items, 1)))


def refuse_large_table(rows: int, items: int) -> None:
    """Refuse a table of patterns with more than `LARGEST_TABLE` cells.

    Raises
    ------
    NotAvailableError
    """
    if rows * items > LARGEST_TABLE:
        raise NotAvailableError(
            f"this needs a table of {rows:,} x {items:,} responses, {rows * items / 1e9:.3g} GB and more",
            "responses that are not kept as one",
            "Choose fewer items or subjects with select(items=, subjects=)",
        )
