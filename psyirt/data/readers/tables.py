"""Tables as files hold them: text cells or Parquet columns, nothing interpreted yet."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import numpy as np
import pandas as pd

from psyirt.data.columns import listed
from psyirt.data.readers.source import Source, in_file
from psyirt.errors import InputError
from psyirt.foundation.words import counted

DELIMITERS = (",", "\t", ";")
PANDAS_UNNAMED = re.compile(r"^__index_level_\d+__$")


def read_table(source: Source, *, delimiter: str | None = None, ignore: tuple[str, ...] = ()) -> pd.DataFrame:
    """The table in a file.

    Parameters
    ----------
    source : Source
        Delimited text with a header, or Parquet.
    delimiter : str, optional
        Between the cells of text; default: the most frequent of comma, tab and semicolon in the header.
    ignore : tuple of str
        Columns to leave out.

    Returns
    -------
    DataFrame, index ``line`` (text; lines of the file) or ``row`` (Parquet; from 1)
        Text cells as they stand, Parquet columns with their types; column names are distinct text.

    Raises
    ------
    InputError
        If the file is no such table, has no rows, a column without a name or a name twice, a line with another
        number of cells than the header, or lacks a column named in `ignore`.
    """
    with in_file(source.path):
        if source.is_parquet and delimiter is not None:
            raise InputError("delimiter= does not apply to a Parquet file", "", "Leave it out")
        frame = _parquet(source) if source.is_parquet else _delimited(source, delimiter)
        absent = [name for name in ignore if name not in frame.columns]
        if absent:
            raise InputError(f"no column {absent[0]!r} to ignore", "", f"Columns are: {listed(list(frame.columns))}")
        frame = frame.drop(columns=list(ignore))
        if frame.empty:
            cause = "has a header and no rows" if len(frame.columns) else "has no columns that are not ignored"
            raise InputError(cause, "", "Check how the file was written and read")
        return frame


def header_of(source: Source, delimiter: str | None = None) -> list[str]:
    """The column names alone, as they stand; see :func:`read_table`, which also checks them."""
    with in_file(source.path):
        if source.is_parquet:
            return list(opened_parquet(source).schema_arrow.names)
        text = str(source.content)
        try:
            return [name.strip() for name in next((row for row in _rows(source, text, delimiter) if row), [])]
        except csv.Error as error:
            raise InputError(f"is not a table ({error})", "header", "Check its quotes") from None


def _rows(source: Source, text: str, delimiter: str | None) -> Any:
    """A csv reader over the text."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n" '):
        raise InputError(f"{delimiter!r} cannot be a delimiter", "", "Give one such as ',' or ';'")
    start = text[: text.find("\n", len(text) - len(text.lstrip("\r\n "))) + 1 or None]
    found = "\t" if ".tsv" in source.suffixes else max(DELIMITERS, key=start.count)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or found, strict=True)


def _delimited(source: Source, delimiter: str | None) -> pd.DataFrame:
    """A table of delimited text."""
    reader = _rows(source, str(source.content), delimiter)
    flat: list[str] = []  # one list of cells: a million small lists keep the garbage collector busy
    lines: list[int] = []
    header: list[str] = []
    try:
        for row in reader:
            if not row:
                continue
            if not header:
                header = _names([name.strip() for name in row])
            elif len(row) != len(header):
                raise InputError(
                    f"{counted(len(row), 'cell')} where the header has {len(header)}", f"line {reader.line_num}",
                    "Quote cells that contain the delimiter, and write missing cells as empty ones",
                )  # fmt: skip
            else:
                flat += row
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"is not a table ({error})", f"line {reader.line_num}", "Check its quotes") from None
    if not header:
        raise InputError("is empty", "", "Check how the file was written")
    cells = np.array(flat, dtype=object).reshape(len(lines), len(header))
    return pd.DataFrame(cells, index=pd.Index(lines, name="line", dtype=np.int64), columns=header, dtype=object)


def opened_parquet(source: Source) -> Any:
    """The opened Parquet file."""
    # Only Parquet files need these modules, and they take a while to load.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(pa.BufferReader(source.content))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the Parquet file cannot be read ({error})", "", "Copy it again, or write it anew") from None


def _parquet(source: Source) -> pd.DataFrame:
    """A table of a Parquet file; an index that pandas stored at the end comes first, as in its CSV files."""
    import pyarrow as pa

    try:
        table = opened_parquet(source).read()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the Parquet file cannot be read ({error})", "", "Copy it again, or write it anew") from None
    stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in stored if isinstance(name, str) and name in table.column_names]
    names = [str(name) for name in table.column_names]
    _names(names)
    frame = table.to_pandas(ignore_metadata=True)[[*index, *(name for name in names if name not in index)]]
    frame.columns = pd.Index([PANDAS_UNNAMED.sub("", name) for name in frame.columns])
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
    return frame


def _names(names: list[str]) -> list[str]:
    """The header; refuse one without two distinct, named columns."""
    if len(names) < 2:
        raise InputError(
            f"has one column ({names[0][:40]!r})" if names else "has no columns", "",
            "Give a table with a header and at least two columns, or the right delimiter=",
        )  # fmt: skip
    repeated = pd.Index(names, dtype=object)
    if repeated.has_duplicates:
        name = repeated[repeated.duplicated()][0]
        cause = f"column {name!r} occurs {names.count(name)} times" if name else "columns have no name"
        raise InputError(cause, "header", "Give each column its own name; a table without a header row needs one")
    nameless = [k for k, name in enumerate(names) if not name and k]
    if nameless:
        raise InputError(f"column {nameless[0] + 1} has no name", "header", "Name it")
    return names
