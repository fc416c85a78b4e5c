"""StatisticTable: a statistic per item, pair or subject, with what it tests and what to know about each row."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.own_tables import OwnsTables

COLUMNS = ("statistic", "df", "p", "p_adjusted", "flag", "note")
# names of the index -> what a row is of
KINDS = {("item",): "items", ("item_1", "item_2"): "pairs", ("subject",): "subjects", ("subject", "item"): "answers"}
# printing must stay short for banks of thousands of items
_ROWS_SHOWN = 60


@dataclass(frozen=True, eq=False)
class StatisticTable(OwnsTables):
    """Values of one test statistic, a row per item, pair of items, subject, or answer of a subject; frozen.

    Parameters
    ----------
    frame : DataFrame
        Index ``item``, ``item_1, item_2``, ``subject``, or ``subject, item``. Columns ``statistic``, ``df``, ``p``,
        ``p_adjusted``, the effect sizes, ``flag`` (True where `flagged_when` holds) and ``note`` (empty where there is
        nothing to say). Whoever reads it gets a copy.
    name : str
        The statistic's name in the field.
    tests : str
        One sentence: the null hypothesis.
    source : str
        Author, year, equation.
    adjustment : str
        How p-values were adjusted for the number of tests.
    flagged_when : str
        The condition behind ``flag``.
    notes : tuple of str
        What to know about the whole table.
    has_null : bool
        Whether the statistic has a null distribution. One without has no p-values, and pruning rules refuse it.

    Raises
    ------
    InputError
        If a column is absent, a statistic or p-value is NaN in a row whose note is empty, or there is a p-value
        although there is no null distribution.
    """

    frame: pd.DataFrame
    name: str
    tests: str
    source: str
    adjustment: str
    flagged_when: str
    notes: tuple[str, ...] = ()
    has_null: bool = True

    def __post_init__(self) -> None:
        """Check the table and keep a copy."""
        absent = [column for column in COLUMNS if column not in self.frame.columns]
        if absent:
            raise InputError(f"no column {absent[0]!r}", f"table of {self.name}", f"Give {', '.join(COLUMNS)}")
        if self._index not in KINDS:
            known = "; or ".join(" and ".join(names) for names in KINDS)
            raise InputError(f"index is called {list(self._index)}", f"table of {self.name}", f"Name it {known}")
        empty = self.frame["note"].to_numpy() == ""
        for column in ("statistic", "p"):
            silent = np.isnan(self.frame[column].to_numpy(float)) & empty
            if silent.any():
                place = self.frame.index[int(np.argmax(silent))]
                raise InputError(
                    f"{column} is NaN without a note", f"{self.name}, row {place!r}", "Say why in the note"
                )
        if not self.has_null and self.frame[["p", "p_adjusted"]].notna().any(axis=None):
            raise InputError(f"{self.name} has p-values without a null distribution", "table", "Leave them NaN")
        object.__setattr__(self, "frame", self.frame.copy())
        object.__setattr__(self, "notes", tuple(self.notes))

    def __getitem__(self, column: str) -> pd.Series:
        """One column of the table."""
        return self.frame[column]

    @property
    def loc(self) -> Any:
        """Rows by name, as in pandas: ``table.loc["q7"]``, ``table.loc[("q1", "q7"), "p"]``."""
        return self.frame.loc

    @property
    def flagged(self) -> pd.DataFrame:
        """The rows whose flag is set."""
        return self.frame[self.frame["flag"].to_numpy(bool)]

    @property
    def untested(self) -> pd.DataFrame:
        """The rows without a p-value, whose notes say why: that they are not flagged means nothing."""
        return self.frame[self.frame["p"].isna().to_numpy()]

    def top(self, count: int = 10, by: str = "statistic") -> pd.DataFrame:
        """The rows with the largest values, whatever their sign: what to look at first among millions of pairs.

        Parameters
        ----------
        count : int
            How many rows at most; rows without a value are none of them.
        by : str
            Name of a column of numbers.

        Returns
        -------
        DataFrame
            Largest first; rows of equal size in the table's order.

        Raises
        ------
        InputError
            If `count` is no whole number of 1 or more, or `by` is no column of numbers.
        """
        require(count, int, "count", "top", "Give a whole number, e.g. 10")
        if count < 1:
            raise InputError(f"count is {count}", "top", "Give a whole number, e.g. 10")
        numbers = self.frame.select_dtypes("number").columns
        if by not in numbers:
            raise InputError(f"no numbers are called {by!r}", "top", f"Give one of: {', '.join(numbers)}")
        size = np.abs(self.frame[by].to_numpy(float))
        return self.frame.iloc[np.argsort(-size, kind="stable")[: min(count, int(np.sum(~np.isnan(size))))]]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def _index(self) -> tuple[str, ...]:
        """The names of the index."""
        return tuple(str(name) for name in self.frame.index.names)

    def _head(self) -> list[str]:
        """Everything that is printed above the rows."""
        lines = [
            f"{self.name}: {self._outcome()}",
            f"tests: {self.tests}",
            f"p-values: {self.adjustment}",
            f"source: {self.source}",
        ]
        return lines + [f"note: {note}" for note in self.notes]

    def _outcome(self) -> str:
        """How many rows were flagged, and how many could not be: "0 flagged" alone would read as "all fit"."""
        kind = KINDS[self._index]
        flagged = f"{len(self.flagged)} flagged ({self.flagged_when})"
        if not self.has_null:
            absent = int(self.frame["statistic"].isna().sum())
            return f"{len(self)} {kind}, {flagged}" + (f"; {absent} without a statistic" if absent else "")
        untested = self.untested
        if not len(untested):
            return f"{len(self)} {kind}, {flagged}"
        reasons = dict.fromkeys(untested["note"])
        why = next(iter(reasons)) if len(reasons) == 1 else "for the reasons in their notes"
        without = f"{len(untested)} of {len(self)} {kind} not testable: {why}"
        return without if len(untested) == len(self) else f"{len(self)} {kind}, {flagged}; {without}"

    def _shown(self) -> pd.DataFrame:
        """The rows as printed: what is said of the whole table above is not said again in each of them."""
        frame = self.frame.round(4)
        said = frame["note"].isin(self.notes)
        if not said.any():
            return frame
        rest = frame["note"].mask(said, "")
        return frame.assign(note=rest) if (rest != "").any() else frame.drop(columns="note")

    def __repr__(self) -> str:
        """Name, what was tested, and the rows."""
        rows = self._shown().to_string(max_rows=_ROWS_SHOWN)
        return "\n".join([*self._head(), "", rows])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        head = html.escape("\n".join(self._head()))
        return f"<pre>{head}</pre>{self._shown().to_html(max_rows=_ROWS_SHOWN)}"
