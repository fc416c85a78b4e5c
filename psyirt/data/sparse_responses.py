"""Graded responses kept one by one: for a few answers each to a great many items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.coding import LongAnswers, long_answers
from psyirt.data.response_source import MISSING, ResponseBlock
from psyirt.data.response_table import ResponseTable
from psyirt.data.responses import Responses
from psyirt.data.text import chosen_positions
from psyirt.errors import InputError

# tables of long data with more cells than this, and a smaller share observed, are kept answer by answer
SPARSE_CELLS, SPARSE_SHARE = 20_000_000, 0.05
# cells of a dense block
_BLOCK_CELLS = 1 << 24
Whole = TypeVar("Whole", np.int32, np.int64)
_SPARSE = "Make them with from_long, from_dense or read_responses"


@dataclass(frozen=True, eq=False, repr=False)
class SparseResponses(ResponseTable):
    """Subjects x items, four bytes for each observed response and none for a missing one; frozen.

    Made by :meth:`from_long`, :meth:`from_dense` or ``psyirt.read_responses``. It serves wherever
    :class:`psyirt.Responses` does in calibration and scoring, with the same results; what needs a table asks for
    :meth:`to_dense`.

    Parameters
    ----------
    starts : ndarray of int, shape (subjects + 1,)
        Subject r's responses are ``entries[starts[r]:starts[r + 1]]``.
    entries : ndarray of int32, shape (observed,)
        2 * item + answer (1 right, 0 wrong), each subject's in the order of the items.
    subject_names, item_names, item_info, notes, label_set
        See :class:`psyirt.Responses`.

    Raises
    ------
    InputError
        If names are not unique, lengths disagree, or entries are no such numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> long = pd.DataFrame({"subject": ["ann", "ann", "bob"], "item": ["q1", "q2", "q2"], "response": [1, 0, 1]})
    >>> SparseResponses.from_long(long)
    SparseResponses(2 subjects x 2 items, 75.0% observed, 66.7% correct)
    """

    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    subject_names: tuple[str, ...]
    item_names: tuple[str, ...]
    item_info: pd.DataFrame = field(default_factory=pd.DataFrame)
    notes: tuple[str, ...] = ()
    label_set: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check and freeze."""
        starts, entries = _own(self.starts, np.int64), _own(self.entries, np.int32)
        if starts.ndim != 1 or not len(starts) or starts[0] != 0 or np.any(np.diff(starts) < 0):
            raise InputError("starts are not 0 and numbers that do not fall", "SparseResponses", _SPARSE)
        if entries.ndim != 1 or starts[-1] != len(entries):
            raise InputError(f"starts end at {starts[-1]}, entries at {len(entries)}", "SparseResponses", _SPARSE)
        self._freeze_names(len(starts) - 1, len(self.item_names))
        if len(entries) and not (entries.min() >= 0 and entries.max() < 2 * len(self.item_names)):
            raise InputError("an entry names no item", "SparseResponses", _SPARSE)
        falls = np.diff(entries >> 1) <= 0
        falls[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(entries))] - 1] = False
        if falls.any():
            raise InputError("a subject's items are not in order, each once", "SparseResponses", _SPARSE)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "entries", entries)

    @classmethod
    def from_long(
        cls,
        frame: pd.DataFrame,
        *,
        subject: str = "subject",
        item: str = "item",
        response: str = "response",
        item_info: pd.DataFrame | None = None,
    ) -> SparseResponses:
        """Responses from one row per (subject, item); parameters and errors as ``Responses.from_long``."""
        return _sparse(long_answers(frame, subject, item, response), item_info)

    @classmethod
    def from_dense(cls, responses: Responses) -> SparseResponses:
        """The same responses kept one by one."""
        entries, counts = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        for block in responses.blocks(max(1, _BLOCK_CELLS // max(responses.shape[1], 1))):
            part, lengths = entries_of(block.codes)
            entries.append(part)
            counts.append(lengths)
        return cls(
            np.cumsum(np.concatenate(counts)),
            np.concatenate(entries),
            responses.subject_names,
            responses.item_names,
            responses.item_info,
            responses.notes,
            responses.label_set,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(subjects, items)."""
        return len(self.starts) - 1, len(self.item_names)

    @property
    def observed(self) -> int:
        """Number of responses that are not missing."""
        return len(self.entries)

    @cached_property
    def correct(self) -> int:
        """Number of responses that are right."""
        return int(np.count_nonzero(self.entries & 1))

    @property
    def answered(self) -> NDArray[np.int64]:
        """Number of responses of each subject, shape (subjects,)."""
        return np.diff(self.starts)

    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        """The responses as tables of at most `rows` subjects and 16 million cells, in order."""
        subjects, items = self.shape
        step = max(1, min(rows or subjects, _BLOCK_CELLS // max(items, 1)))
        for start in range(0, subjects, step):
            yield ResponseBlock(start, dense_rows(self.starts[start : start + step + 1], self.entries, items))

    def select(
        self,
        *,
        items: Sequence[str] | NDArray[np.bool_] | None = None,
        subjects: Sequence[str] | NDArray[np.bool_] | None = None,
    ) -> SparseResponses:
        """The responses of some items and subjects, in the order asked for; see ``Responses.select``."""
        columns = chosen_positions(items, self.item_names, "item")
        chosen = chosen_positions(subjects, self.subject_names, "subject")
        starts, entries = self.starts, self.entries
        if subjects is not None:
            starts, entries = taken_rows(starts, entries, chosen)
        if items is not None:
            starts, entries = _taken_items(starts, entries, columns, len(self.item_names))
        return SparseResponses(
            starts,
            entries,
            tuple(self.subject_names[k] for k in chosen),
            tuple(self.item_names[k] for k in columns),
            self.item_info.iloc[columns],
            self.notes,
            self.label_set,
        )

    def to_dense(self) -> Responses:
        """The same responses as a table, a byte for every cell."""
        codes = dense_rows(self.starts, self.entries, self.shape[1])
        return Responses(codes, self.subject_names, self.item_names, self.item_info, self.notes, self.label_set)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over names and codes: that of the same data as ``Responses``."""
        return self._digest()


def kept_fittingly(
    answers: LongAnswers, sparse: bool | None, item_info: pd.DataFrame | None = None
) -> Responses | SparseResponses:
    """Answers as a table, or one by one where the table would be nearly empty (or as `sparse` says)."""
    cells = len(answers.subject_names) * len(answers.item_names)
    if sparse is None:
        observed = np.count_nonzero(answers.codes != MISSING)
        sparse = bool(cells > SPARSE_CELLS and observed < SPARSE_SHARE * cells)
    if sparse:
        return _sparse(answers, item_info)
    info = pd.DataFrame() if item_info is None else item_info
    return Responses(answers.table(), answers.subject_names, answers.item_names, info)


def dense_rows(starts: NDArray[np.int64], entries: NDArray[np.int32], items: int) -> NDArray[np.int8]:
    """Some subjects' responses as a table, shape (len(starts) - 1, items)."""
    codes = np.full((len(starts) - 1, items), MISSING, dtype=np.int8)
    part = entries[starts[0] : starts[-1]]
    rows = np.repeat(np.arange(len(codes)), np.diff(starts))
    codes[rows, part >> 1] = part & 1
    return codes


def entries_of(codes: NDArray[np.int8]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Entries of a table's subjects, and how many each has."""
    rows, columns = np.nonzero(codes != MISSING)
    entries = (2 * columns + codes[rows, columns]).astype(np.int32)
    return entries, np.bincount(rows, minlength=len(codes)).astype(np.int64)


def taken_rows(
    starts: NDArray[np.int64], entries: NDArray[np.int32], rows: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Starts and entries of some subjects, in the order asked for."""
    lengths = starts[rows + 1] - starts[rows]
    new = np.concatenate([[0], np.cumsum(lengths)])
    at = np.arange(new[-1]) + np.repeat(starts[rows] - new[:-1], lengths)
    return new, entries[at]


def _taken_items(
    starts: NDArray[np.int64], entries: NDArray[np.int32], columns: NDArray[np.intp], items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Starts and entries of the answers to some items, numbered as they are asked for."""
    place = np.full(items, -1, dtype=np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    new = place[entries >> 1]
    kept = new >= 0
    counts = np.concatenate([[0], np.cumsum(kept)])[starts]
    part = 2 * new[kept] + (entries[kept] & 1)
    if np.any(np.diff(columns) < 0):
        rows = np.repeat(np.arange(len(counts) - 1), np.diff(counts))
        part = part[np.lexsort((part, rows))]
    return counts, part


def _sparse(answers: LongAnswers, item_info: pd.DataFrame | None) -> SparseResponses:
    """Answers sorted by subject and item, the missing ones left out."""
    seen = answers.codes != MISSING
    rows, columns, codes = answers.rows[seen], answers.columns[seen], answers.codes[seen]
    keys = rows * max(len(answers.item_names), 1) + columns
    if np.any(np.diff(keys) < 0):
        order = np.argsort(keys, kind="stable")
        rows, columns, codes = rows[order], columns[order], codes[order]
    counts = np.bincount(rows, minlength=len(answers.subject_names))
    return SparseResponses(
        np.concatenate([[0], np.cumsum(counts)]),
        (2 * columns + codes).astype(np.int32),
        answers.subject_names,
        answers.item_names,
        pd.DataFrame() if item_info is None else item_info,
    )


def _own(values: NDArray[Any], kind: type[Whole]) -> NDArray[Whole]:
    """A read-only array of whole numbers that nobody else can change."""
    given = np.asarray(values)
    if given.dtype.kind not in "iu":
        raise InputError(f"{given.dtype} are no whole numbers", "SparseResponses", _SPARSE)
    own: NDArray[Whole] = np.array(given, dtype=kind, copy=None if not given.flags.writeable else True)
    own.setflags(write=False)
    return own
