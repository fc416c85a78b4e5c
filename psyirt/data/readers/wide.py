"""Wide tables of responses: one row per subject, one column per item."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data import columns
from psyirt.data.readers.cells import BAD, response_codes, shown
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import Source, in_file
from psyirt.data.readers.tables import read_table
from psyirt.data.readers.wide_parquet import read_plain
from psyirt.data.responses import Responses
from psyirt.data.text import coded, refuse_missing
from psyirt.errors import InputError
from psyirt.foundation.words import counted

OPTIONS = frozenset({"subject", "missing", "ignore", "delimiter"})


def read_wide(source: Source, options: ReadOptions) -> Responses:
    """Responses from a wide table (CSV or Parquet).

    Parameters
    ----------
    source : Source
        The file. Its first column holds the subjects' names if it is called ``subject``, ``worker``, ``id`` or the
        like (see :data:`psyirt.data.columns.SUBJECT`); otherwise subjects are called ``s1``, ``s2``, ...
    options : ReadOptions
        ``subject`` (the names' column), ``missing``, ``ignore``, ``delimiter``.

    Returns
    -------
    Responses

    Raises
    ------
    InputError
        If the file is no table, a subject is named twice, or a cell is not 0, 1 or missing.
    """
    with in_file(source.path):
        plain = read_plain(source, options)
        if plain is not None:
            codes, given, items = plain
            subjects = (
                _numbered(len(codes))
                if given is None
                else given
                if isinstance(given, list)
                else _subjects(given, pd.DataFrame(codes, given.index, items))
            )
            return Responses(codes, tuple(subjects), tuple(items))
    frame = read_table(source, delimiter=options.delimiter, ignore=options.ignore or ())
    with in_file(source.path):
        frame, notes = columns.without_row_index(frame, options.subject)
        among = list(frame.columns) if options.subject is not None or notes else list(frame.columns[:1])
        subject = columns.find_column(among, columns.SUBJECT, options.subject)
        cells = frame if subject is None else frame.drop(columns=subject)
        if not len(cells.columns):
            raise InputError("has no items", "", "Check the columns that are ignored")
        names = _numbered(len(frame)) if subject is None else _subjects(frame[subject], cells)
        codes = response_codes(cells, options.missing_codes).reshape(cells.shape)
        _refuse_bad(cells, codes, subject)
        return Responses(codes, tuple(names), tuple(cells.columns), notes=notes)


def _numbered(count: int) -> list[str]:
    """Names of subjects that have none."""
    return [f"s{k + 1}" for k in range(count)]


def _subjects(column: pd.Series, items: pd.DataFrame) -> list[str]:
    """The subjects' names, each once."""
    rows, names = coded(column)
    refuse_missing(rows, "subject", column.index)
    if len(names) < len(rows):
        at = int(np.argmax(pd.Series(rows).duplicated().to_numpy()))
        raise InputError(
            f"subject {names[rows[at]]!r} has more than one row", f"{column.index.name} {column.index[at]}",
            columns.repeated_rows_remedy(pd.concat([column, items], axis=1), "subject", "response"),
        )  # fmt: skip
    return list(names)


def _refuse_bad(items: pd.DataFrame, codes: NDArray[np.int8], subject: str | None) -> None:
    """Refuse cells that are no responses, with the place of the first."""
    bad = np.argwhere(codes == BAD)
    if not bad.size:
        return
    row, column = bad[0]
    remedy = "List missing codes in missing=, leave columns out with ignore=, or read labels with read_labels and grade"
    if subject is None and column == 0:
        remedy = (
            f"If this column names the subjects, give subject={items.columns[0]!r}; {remedy[0].lower()}{remedy[1:]}"
        )
    raise InputError(
        f"{shown(items.iloc[row, column])} is not 0, 1 or missing ({counted(len(bad), 'such cell')})",
        f"{items.index.name} {items.index[row]}, column {items.columns[column]!r}",
        remedy,
    )
