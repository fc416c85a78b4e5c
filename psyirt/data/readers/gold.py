"""Gold tables: item, gold label, and whatever else is known of the items."""

from __future__ import annotations

import os
import re

import pandas as pd

from psyirt.data.gold import gold_table
from psyirt.data.readers.source import Source, in_file, open_source
from psyirt.data.readers.tables import read_table
from psyirt.errors import InputError

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")


def read_gold(
    path: str | os.PathLike[str],
    *,
    item: str | None = None,
    gold: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> pd.DataFrame:
    """Read a gold table (CSV or Parquet, gzip or not).

    Parameters
    ----------
    path : path
        The file.
    item, gold : str, optional
        The names of the two columns, where they are not recognised.
    encoding : str, optional
        Of text; default UTF-8.
    delimiter : str, optional
        Between the cells of text; default: found in the header.

    Returns
    -------
    DataFrame, index ``item``
        Column ``gold`` (text, None where empty) first, then the other columns; those that hold numbers only are
        numbers, "007" staying text.

    Raises
    ------
    InputError
        If the file is no table, a column is not found, or an item is listed twice.
    """
    return _gold_of(open_source(path, encoding), item, gold, delimiter)


def read_gold_beside(path: str | os.PathLike[str], encoding: str | None) -> pd.DataFrame:
    """The gold table beside a file of labels in `encoding`: UTF-8 (or Parquet) if it is, else in that encoding too."""
    try:
        source = open_source(path)
    except InputError:
        if encoding is None:
            raise
        source = open_source(path, encoding)
    return _gold_of(source, None, None, None)


def _gold_of(source: Source, item: str | None, gold: str | None, delimiter: str | None) -> pd.DataFrame:
    """The gold table that a file holds."""
    frame = read_table(source, delimiter=delimiter)
    with in_file(source.path):
        table = gold_table(frame, item=item, label=gold)
    for name in table.columns.drop("gold"):
        table[name] = _typed(table[name])
    return table


def _typed(column: pd.Series) -> pd.Series:
    """A column of number texts as numbers, empty texts as missing."""
    if column.dtype != object:
        return column
    filled = column.where(column != "", None)
    texts = filled.dropna()
    if len(texts) and all(isinstance(text, str) and NUMBER.fullmatch(text.strip()) for text in texts):
        return pd.to_numeric(filled)
    return filled
