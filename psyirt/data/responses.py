"""Graded responses: who answered what, and whether it was right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.coding import codes_of, long_answers, numeric, table_of
from psyirt.data.response_source import MISSING as MISSING
from psyirt.data.response_source import ResponseBlock as ResponseBlock
from psyirt.data.response_source import ResponseSource as ResponseSource
from psyirt.data.response_table import ResponseTable
from psyirt.data.text import chosen_positions
from psyirt.errors import InputError

if TYPE_CHECKING:
    from psyirt.data.sparse_responses import SparseResponses


@dataclass(frozen=True, eq=False, repr=False)
class Responses(ResponseTable):
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
    label_set : sequence of str, optional
        All that could be answered, two labels or more, where the responses were graded from labels; None where that
        is not known. It is no part of the digest.

    Raises
    ------
    InputError
        If names are not unique, lengths disagree, a code is not 0, 1 or -1, or `label_set` is no set of two or more.
    """

    codes: NDArray[np.int8] = field(repr=False)
    subject_names: tuple[str, ...] = field(repr=False)
    item_names: tuple[str, ...] = field(repr=False)
    item_info: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    notes: tuple[str, ...] = ()
    label_set: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Copy, check and freeze."""
        given = table_of(self.codes)
        self._freeze_names(*given.shape)
        codes = codes_of(given, self.subject_names, self.item_names)
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)

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
        table = table_of(values)
        subjects = subject_names if subject_names is not None else [f"s{k + 1}" for k in range(table.shape[0])]
        items = item_names if item_names is not None else [f"i{k + 1}" for k in range(table.shape[1])]
        return cls(table, tuple(subjects), tuple(items), pd.DataFrame() if item_info is None else item_info)

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
            numeric(frame),
            subject_names=[str(name) for name in frame.index],
            item_names=[str(name) for name in frame.columns],
            item_info=item_info,
        )

    @overload
    @classmethod
    def from_long(
        cls,
        frame: pd.DataFrame,
        *,
        subject: str = ...,
        item: str = ...,
        response: str = ...,
        item_info: pd.DataFrame | None = ...,
        sparse: Literal[False],
    ) -> Responses: ...

    @overload
    @classmethod
    def from_long(
        cls,
        frame: pd.DataFrame,
        *,
        subject: str = ...,
        item: str = ...,
        response: str = ...,
        item_info: pd.DataFrame | None = ...,
        sparse: bool | None = ...,
    ) -> Responses | SparseResponses: ...

    @classmethod
    def from_long(
        cls,
        frame: pd.DataFrame,
        *,
        subject: str = "subject",
        item: str = "item",
        response: str = "response",
        item_info: pd.DataFrame | None = None,
        sparse: bool | None = None,
    ) -> Responses | SparseResponses:
        """Responses from one row per (subject, item); pairs without a row are missing.

        Parameters
        ----------
        frame : DataFrame
            Has the three columns named by the next parameters.
        subject, item, response : str
            Column names.
        item_info : DataFrame, optional
            See the class.
        sparse : bool, optional
            Whether to keep the responses one by one (:class:`SparseResponses`) and not as a table. By default where
            the table would have more than 20 million cells of which under 5 % are observed.

        Returns
        -------
        Responses or SparseResponses
            Subjects and items in the order of their first row.

        Raises
        ------
        InputError
            If a column is absent, a pair occurs twice, or a value is not 0, 1 or missing.
        """
        # the two classes make each other; this one is loaded first
        from psyirt.data.sparse_responses import kept_fittingly

        return kept_fittingly(long_answers(frame, subject, item, response), sparse, item_info)

    @property
    def shape(self) -> tuple[int, int]:
        """(subjects, items)."""
        return int(self.codes.shape[0]), int(self.codes.shape[1])

    @cached_property
    def observed(self) -> int:
        """Number of responses that are not missing."""
        return int(np.count_nonzero(self.codes != MISSING))

    @cached_property
    def correct(self) -> int:
        """Number of responses that are right."""
        return int(np.count_nonzero(self.codes == 1))

    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        """The responses, at most `rows` subjects at a time (all at once by default), in order."""
        step = rows or max(self.shape[0], 1)
        for start in range(0, self.shape[0], step):
            yield ResponseBlock(start, self.codes[start : start + step])

    def select(
        self,
        *,
        items: Sequence[str] | NDArray[np.bool_] | None = None,
        subjects: Sequence[str] | NDArray[np.bool_] | None = None,
    ) -> Responses:
        """The responses of some items and subjects, in the order asked for.

        Parameters
        ----------
        items, subjects : sequence of str or boolean array of shape (items,) or (subjects,), optional
            Those to keep, by name or by a mask (all by default).

        Returns
        -------
        Responses

        Raises
        ------
        InputError
            If a name is unknown or named twice, or a mask has another length.
        """
        columns = chosen_positions(items, self.item_names, "item")
        chosen = chosen_positions(subjects, self.subject_names, "subject")
        return Responses(
            self.codes[np.ix_(chosen, columns)],
            tuple(self.subject_names[k] for k in chosen),
            tuple(self.item_names[k] for k in columns),
            self.item_info.iloc[columns],
            self.notes,
            self.label_set,
        )

    def to_frame(self) -> pd.DataFrame:
        """A wide table (float; NaN = missing), index ``subject``, columns ``item``."""
        return pd.DataFrame(
            np.where(self.codes == MISSING, np.nan, self.codes.astype(float)),
            index=pd.Index(self.subject_names, name="subject"),
            columns=pd.Index(self.item_names, name="item"),
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 over names and codes: the same data in the same order give the same digest."""
        return self._digest()
