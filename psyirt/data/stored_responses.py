"""Graded responses that stay in their file: for more of them than there is memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.block_reader import BlockReader
from psyirt.data.response_source import MISSING, ResponseBlock
from psyirt.data.response_table import ResponseTable
from psyirt.data.responses import Responses
from psyirt.data.text import chosen_positions

# rows, and cells, of a block where no other number is asked for
_ROWS, _BLOCK_CELLS = 1 << 16, 1 << 22


@dataclass(frozen=True, eq=False)
class Survey:
    """What one look at all responses tells.

    Attributes
    ----------
    wrong, right : ndarray of int, shape (items,)
        Numbers of answers.
    empty : ndarray of bool, shape (subjects,)
        Who answered nothing.
    identical : bool
        Whether two subjects or more answered, all alike.
    linked : ndarray of bool, shape (some items, items)
        Items that a subject answered together: the component of an item is that of any other in its row.
    """

    wrong: NDArray[np.int64]
    right: NDArray[np.int64]
    empty: NDArray[np.bool_]
    identical: bool
    linked: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class StoredResponses(ResponseTable):
    """Subjects x items in a file that is read a block at a time, as often as the responses are needed; frozen.

    Made by ``psyirt.read_responses(path, memory=...)``, which looks at every cell once. It serves in calibration and
    scoring wherever :class:`psyirt.Responses` does, with the same results. The file must stay as it is.

    Parameters
    ----------
    reader : BlockReader
        Reads the file.
    columns : ndarray of int, optional
        Items to keep, by position; all by default.
    kept : ndarray of bool, shape (subjects of the file,), optional
        Subjects to keep; all by default.
    """

    reader: BlockReader
    columns: NDArray[np.intp] | None = None
    kept: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()
    label_set: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(subjects, items)."""
        return self.reader.rows if self.kept is None else int(self.kept.sum()), len(self._positions)

    @cached_property
    def item_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Item names, in column order."""
        return tuple(self.reader.item_names[k] for k in self._positions)

    @property
    def subject_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Subject names, in row order: read each time, since millions of them take more memory than the responses."""
        names = self.reader.subject_names()
        return names if self.kept is None else tuple(names[k] for k in np.flatnonzero(self.kept))

    @cached_property
    def item_info(self) -> pd.DataFrame:  # type: ignore[override]
        """What is known of the items: nothing beside their names."""
        return pd.DataFrame(index=pd.Index(self.item_names, name="item"))

    @cached_property
    def survey(self) -> Survey:
        """What one look at all responses tells."""
        return _surveyed(self)

    @property
    def observed(self) -> int:
        """Number of responses that are not missing."""
        return int(self.survey.wrong.sum() + self.survey.right.sum())

    @property
    def correct(self) -> int:
        """Number of responses that are right."""
        return int(self.survey.right.sum())

    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        """The responses as tables of at most `rows` subjects, and at most 4 million cells, read from the file."""
        step = max(1, min(rows or _ROWS, _BLOCK_CELLS // max(self.shape[1], 1)))
        start = first = 0
        for codes in self.reader.blocks(step, self._positions):
            here = codes if self.kept is None else codes[self.kept[first : first + len(codes)]]
            first += len(codes)
            if len(here):
                yield ResponseBlock(start, here)
            start += len(here)

    def select(
        self,
        *,
        items: Sequence[str] | NDArray[np.bool_] | None = None,
        subjects: NDArray[np.bool_] | None = None,
    ) -> StoredResponses:
        """The responses of some items, in the order asked for, and of the subjects in a mask.

        Raises
        ------
        InputError
            If an item is unknown, or a mask has another length.
        """
        chosen = self._positions[chosen_positions(items, self.item_names, "item")]
        kept = self.kept
        if subjects is not None:
            rows = chosen_positions(np.asarray(subjects, dtype=bool), range(self.shape[0]), "subject")  # type: ignore[arg-type]
            kept = np.zeros(self.reader.rows, dtype=bool)
            kept[rows if self.kept is None else np.flatnonzero(self.kept)[rows]] = True
        return StoredResponses(self.reader, chosen, kept, self.notes, self.label_set)

    def to_dense(self) -> Responses:
        """The same responses in memory, a byte for every cell."""
        codes = np.concatenate([np.empty((0, self.shape[1]), np.int8), *(block.codes for block in self.blocks())])
        return Responses(codes, self.subject_names, self.item_names, self.item_info, self.notes, self.label_set)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over names and codes: that of the same data as ``Responses``."""
        return self._digest()

    @cached_property
    def _positions(self) -> NDArray[np.intp]:
        return np.arange(len(self.reader.item_names)) if self.columns is None else self.columns


def _surveyed(responses: StoredResponses) -> Survey:
    """Look at all responses once."""
    subjects, items = responses.shape
    wrong, right = np.zeros(items, dtype=np.int64), np.zeros(items, dtype=np.int64)
    empty = np.zeros(subjects, dtype=bool)
    together: dict[int, NDArray[np.bool_]] = {}
    pattern: NDArray[np.int8] | None = None
    alike = True
    for block in responses.blocks():
        codes = block.codes
        seen = codes != MISSING
        right += np.count_nonzero(codes == 1, axis=0)
        wrong += np.count_nonzero(codes == 0, axis=0)
        nobody = ~seen.any(axis=1)
        empty[block.start : block.start + len(codes)] = nobody
        answered = codes[~nobody]
        if len(answered):
            pattern = answered[0].copy() if pattern is None else pattern
            alike = alike and not (answered != pattern).any()
        _link(together, seen[~nobody])
    linked = np.array(list(together.values()), dtype=np.bool_).reshape(-1, items)
    return Survey(wrong, right, empty, alike and subjects - int(empty.sum()) > 1, linked)


def _link(together: dict[int, NDArray[np.bool_]], seen: NDArray[np.bool_]) -> None:
    """Note, under each subject's first item, the others that the subject answered."""
    firsts = seen.argmax(axis=1) if seen.size else np.empty(0, dtype=np.intp)
    for first in np.unique(firsts).tolist():
        row = seen[firsts == first].any(axis=0)
        together[first] = together[first] | row if first in together else row
