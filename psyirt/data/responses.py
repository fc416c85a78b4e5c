"""Graded responses: who answered what, and whether it was right."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.text import coded, refuse_missing, refuse_repeated
from psyirt.errors import InputError

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


@dataclass(frozen=True, eq=False)
class Responses:
    """Subjects x items, graded 1 (correct), 0 (wrong) or missing; frozen.

    Made by :meth:`from_frame`, :meth:`from_array`, :meth:`from_long`, ``psyirt.read_responses`` or
    ``CrowdLabels.grade``; the constructor takes codes that are already int8.

    Parameters
    ----------
    codes : ndarray of int8, shape (subjects, items)
        1, 0, or -1 for missing. Kept as a read-only copy.
    subject_names, item_names : sequence of str
        Unique names.
    item_info : DataFrame, optional
        What is known of the items, one row per item (columns such as ``gold``, ``group``, ``n_options``,
        ``text``); rows are aligned to `item_names`.
    notes : sequence of str
        What happened to the data on their way here (rows left out, codes turned into missing).

    Raises
    ------
    InputError
        If names are not unique, lengths disagree, or a code is not 0, 1 or -1.
    """

    codes: NDArray[np.int8] = field(repr=False)
    subject_names: tuple[str, ...] = field(repr=False)
    item_names: tuple[str, ...] = field(repr=False)
    item_info: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Copy, check and freeze."""
        given = np.asarray(self.codes)
        if given.ndim != 2:
            raise InputError(f"responses have {given.ndim} dimensions", "", "Give a table of subjects x items")
        subjects = _unique_names(self.subject_names, "subject", given.shape[0])
        items = _unique_names(self.item_names, "item", given.shape[1])
        # other types go through the check for values that int8 would cut off
        codes = np.array(given, order="C") if given.dtype == np.int8 else _codes(given, subjects, items)
        bad = np.argwhere((codes < MISSING) | (codes > 1))
        if bad.size:
            row, column = bad[0]
            raise InputError(
                f"response {codes[row, column]} is not 0, 1 or missing",
                f"subject {subjects[row]!r}, item {items[column]!r}",
                "Grade the answers first (CrowdLabels.grade) or give a threshold",
            )
        codes.setflags(write=False)
        known = self.item_info.set_axis([str(name) for name in self.item_info.index], axis="index")
        if not known.index.is_unique:
            raise InputError("an item occurs more than once", "item_info", "Give one row per item")
        info = known.reindex(pd.Index(items, name="item"))
        for name, value in (
            ("codes", codes),
            ("subject_names", subjects),
            ("item_names", items),
            ("item_info", info),
            ("notes", tuple(self.notes)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_array(
        cls,
        values: ArrayLike,
        *,
        subject_names: Sequence[str] | None = None,
        item_names: Sequence[str] | None = None,
        item_info: pd.DataFrame | None = None,
    ) -> Responses:
        """Responses from a matrix of 0, 1 and NaN (or -1) for missing.

        Parameters
        ----------
        values : array_like, shape (subjects, items)
            Numbers or booleans.
        subject_names, item_names : sequence of str, optional
            Default ``s1..sN`` and ``i1..iJ``.
        item_info : DataFrame, optional
            See the class.

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            If a value is not 0, 1 or missing.
        """
        table = np.asarray(values)
        if table.ndim != 2:
            raise InputError(f"responses have {table.ndim} dimensions", "", "Give a table of subjects x items")
        subjects = subject_names if subject_names is not None else [f"s{k + 1}" for k in range(table.shape[0])]
        items = item_names if item_names is not None else [f"i{k + 1}" for k in range(table.shape[1])]
        return cls(
            _codes(table, subjects, items),
            tuple(subjects),
            tuple(items),
            item_info if item_info is not None else pd.DataFrame(index=pd.Index(list(items))),
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, item_info: pd.DataFrame | None = None) -> Responses:
        """Responses from a wide table: index = subjects, columns = items, NaN = missing.

        Parameters
        ----------
        frame : DataFrame, shape (subjects, items)
            0, 1 (or booleans) and NaN.
        item_info : DataFrame, optional
            See the class.

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            If a value is not 0, 1 or missing, or a name occurs twice.

        Examples
        --------
        >>> import pandas as pd
        >>> Responses.from_frame(pd.DataFrame({"q1": [1, 0], "q2": [1, None]}, index=["ann", "bob"])).shape
        (2, 2)
        """
        if not isinstance(frame, pd.DataFrame):
            raise InputError(f"expected a DataFrame, got {type(frame).__name__}", "", "Use from_array for a matrix")
        return cls.from_array(
            _numeric(frame),
            subject_names=[str(name) for name in frame.index],
            item_names=[str(name) for name in frame.columns],
            item_info=item_info,
        )

    @classmethod
    def from_long(
        cls,
        frame: pd.DataFrame,
        *,
        subject: str = "subject",
        item: str = "item",
        response: str = "response",
        item_info: pd.DataFrame | None = None,
    ) -> Responses:
        """Responses from one row per (subject, item); pairs without a row are missing.

        Parameters
        ----------
        frame : DataFrame
            Has the three columns named by the next parameters.
        subject, item, response : str
            Column names.
        item_info : DataFrame, optional
            See the class.

        Returns
        -------
        Responses
            Subjects and items in the order of their first row.

        Raises
        ------
        InputError
            If a column is absent, a pair occurs twice, or a value is not 0, 1 or missing.
        """
        for column in (subject, item, response):
            if column not in frame.columns:
                raise InputError(
                    f"no column {column!r}",
                    "",
                    f"Columns are: {', '.join(map(str, frame.columns))}; name the right one",
                )
        rows, row_names = coded(frame[subject])
        columns, column_names = coded(frame[item])
        refuse_missing(rows, "subject", frame.index)
        refuse_missing(columns, "item", frame.index)
        refuse_repeated(rows, columns, (row_names, column_names), "subject item response")
        values = np.full((len(row_names), len(column_names)), np.nan)
        values[rows, columns] = _numeric(frame[[response]])[:, 0]
        return cls.from_array(values, subject_names=list(row_names), item_names=list(column_names), item_info=item_info)

    @property
    def shape(self) -> tuple[int, int]:
        """(subjects, items)."""
        return int(self.codes.shape[0]), int(self.codes.shape[1])

    @cached_property
    def observed(self) -> int:
        """Number of responses that are not missing."""
        return int(np.count_nonzero(self.codes != MISSING))

    @property
    def is_complete(self) -> bool:
        """Whether no response is missing."""
        return self.observed == self.codes.size

    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        """The responses, at most `rows` subjects at a time (all at once by default), in order."""
        step = rows or max(self.shape[0], 1)
        for start in range(0, self.shape[0], step):
            yield ResponseBlock(start, self.codes[start : start + step])

    def select(
        self,
        *,
        items: Sequence[str] | None = None,
        subjects: Sequence[str] | NDArray[np.bool_] | None = None,
    ) -> Responses:
        """The responses of some items and subjects, in the order asked for.

        Parameters
        ----------
        items : sequence of str, optional
            Item names to keep (all by default).
        subjects : sequence of str or boolean array of length subjects, optional
            Subjects to keep (all by default).

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            If a name is unknown.
        """
        columns = np.arange(self.shape[1]) if items is None else _positions(items, self.item_names, "item")
        if subjects is None:
            chosen = np.arange(self.shape[0])
        elif isinstance(subjects, np.ndarray) and subjects.dtype == bool:
            chosen = np.flatnonzero(subjects)
        else:
            chosen = _positions([str(name) for name in subjects], self.subject_names, "subject")
        return Responses(
            self.codes[np.ix_(chosen, columns)],
            tuple(self.subject_names[k] for k in chosen),
            tuple(self.item_names[k] for k in columns),
            self.item_info.iloc[columns],
            self.notes,
        )

    def to_frame(self) -> pd.DataFrame:
        """A wide table (float; NaN = missing), index ``subject``, columns ``item``."""
        return pd.DataFrame(
            np.where(self.codes == MISSING, np.nan, self.codes.astype(float)),
            index=pd.Index(self.subject_names, name="subject"),
            columns=pd.Index(self.item_names, name="item"),
        )

    def item_column(self, name: str) -> dict[str, Any]:
        """One column of `item_info` as item -> value, without the items that have none.

        Raises
        ------
        InputError
            If there is no such column.
        """
        if name not in self.item_info.columns:
            known = ", ".join(map(str, self.item_info.columns)) or "none"
            raise InputError(f"items have no column {name!r}", "", f"Known columns: {known}")
        column = self.item_info[name].dropna()
        return dict(zip(column.index, column, strict=True))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over names and codes: the same data in the same order give the same digest."""
        hasher = hashlib.sha256()
        for names in (self.subject_names, self.item_names):
            hasher.update("\x1f".join(names).encode())
            hasher.update(b"\x1e")
        for block in self.blocks():
            hasher.update(block.codes.tobytes())
        return hasher.hexdigest()

    def __repr__(self) -> str:
        """Size, share observed and share correct."""
        subjects, items = self.shape
        share = self.observed / max(self.codes.size, 1)
        correct = np.count_nonzero(self.codes == 1) / max(self.observed, 1)
        return f"Responses({subjects} subjects x {items} items, {share:.1%} observed, {correct:.1%} correct)"


def _unique_names(names: Sequence[str], kind: str, length: int) -> tuple[str, ...]:
    """Names as strings; refuse a wrong number of them or one that occurs twice."""
    result = tuple(str(name) for name in names)
    if len(result) != length:
        raise InputError(f"{len(result)} {kind} names for {length} {kind}s", "", "Give one name for each")
    if len(set(result)) != length:
        index = pd.Index(result)
        raise InputError(
            f"{kind} {index[index.duplicated()][0]!r} occurs more than once", "", f"Give each {kind} its own name"
        )
    return result


def _positions(names: Sequence[str], known: Sequence[str], kind: str) -> NDArray[np.intp]:
    """Positions of `names` among `known`; refuse an unknown one."""
    where: Mapping[str, int] = {name: k for k, name in enumerate(known)}
    unknown = [name for name in names if name not in where]
    if unknown:
        raise InputError(f"{len(unknown)} unknown {kind}s, the first is {unknown[0]!r}", "", f"Check the {kind} names")
    return np.array([where[name] for name in names], dtype=np.intp)


def _numeric(frame: pd.DataFrame) -> NDArray[np.float64]:
    """A table as floats; a cell that is no number is refused with its place."""
    try:
        return frame.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        numbers = frame.apply(lambda column: pd.to_numeric(column, errors="coerce"))
        row, column = np.argwhere((numbers.isna() & frame.notna()).to_numpy())[0]
        raise InputError(
            f"{frame.iloc[row, column]!r} is not 0, 1 or missing",
            f"row {frame.index[row]!r}, column {frame.columns[column]!r}",
            "Leave missing cells empty, and put names into the index or a column called 'subject'",
        ) from None


def _codes(table: NDArray[Any], subjects: Sequence[str], items: Sequence[str]) -> NDArray[np.int8]:
    """0/1/NaN or -1 as int8 codes; anything else is refused with its place."""
    values = table.astype(float)
    missing = np.isnan(values) | (values == MISSING)
    bad = np.argwhere(~missing & (values != 0) & (values != 1))
    if bad.size:
        row, column = bad[0]
        raise InputError(
            f"response {values[row, column]:g} is not 0, 1 or missing",
            f"subject {str(subjects[row])!r}, item {str(items[column])!r}",
            "Grade the answers first (CrowdLabels.grade) or give a threshold",
        )
    return np.where(missing, MISSING, values).astype(np.int8)
