"""Long tables of responses: one row per subject and item."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.data import columns
from psyirt.data.readers.cells import BAD, response_codes, shown
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import Source, in_file
from psyirt.data.readers.tables import read_table
from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses
from psyirt.errors import InputError
from psyirt.foundation.words import counted

OPTIONS = frozenset({"subject", "item", "response", "missing", "ignore", "delimiter", "sparse"})


def read_long(source: Source, options: ReadOptions) -> Responses | SparseResponses:
    """Responses from a long table (CSV or Parquet).

    Parameters
    ----------
    source : Source
        The file. Its columns are recognised by name (see :mod:`psyirt.data.columns`); others are not used.
    options : ReadOptions
        ``subject, item, response`` (column names), ``missing``, ``ignore``, ``delimiter``, ``sparse``.

    Returns
    -------
    Responses or SparseResponses
        Subjects and items in the order of their first row; pairs without a row are missing.

    Raises
    ------
    InputError
        If a column is not found, a pair occurs twice, or a cell is not 0, 1 or missing.
    """
    frame = read_table(source, delimiter=options.delimiter, ignore=options.ignore or ())
    with in_file(source.path):
        names = list(frame.columns)
        subject = columns.need_column(names, columns.SUBJECT, options.subject, "subject")
        item = columns.need_column(names, columns.ITEM, options.item, "item")
        response = columns.need_column(names, columns.RESPONSE, options.response, "response", _remedy(names))
        codes = response_codes(frame[response], options.missing_codes)
        bad = np.flatnonzero(codes == BAD)
        if bad.size:
            raise InputError(
                f"{shown(frame[response].iloc[bad[0]])} is not 0, 1 or missing ({counted(len(bad), 'such cell')})",
                f"{frame.index.name} {frame.index[bad[0]]}, column {response!r}",
                "List missing codes in missing=, or read labels with read_labels and grade",
            )
        graded = pd.DataFrame({"subject": frame[subject], "item": frame[item], "response": codes}, index=frame.index)
        return Responses.from_long(graded, sparse=options.sparse)


def _remedy(names: list[str]) -> str:
    """What to do about a table without a response column."""
    if columns.find_column(names, columns.LABEL) is not None:
        return "This is a table of labels: read it with read_labels and grade it"
    return f"Columns are: {columns.listed(names)}; name one with response="
