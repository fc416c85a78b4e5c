"""Wide Parquet tables of plain 0, 1 and missing, a batch of rows at a time: a byte per response, no table of text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data import columns
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import Source
from psyirt.data.readers.tables import PANDAS_UNNAMED, opened_parquet
from psyirt.data.response_source import MISSING

_ROWS = 1 << 16

Plain = tuple[NDArray[np.int8], list[str] | pd.Series | None, list[str]]


def read_plain(source: Source, options: ReadOptions) -> Plain | None:
    """Codes, the subjects (names, or their column) and the items' names of a table that needs no interpretation.

    Parameters
    ----------
    source : Source
        A file.
    options : ReadOptions
        As for ``read_wide``.

    Returns
    -------
    tuple or None
        None where the file is no Parquet file, or anything about it calls for :func:`read_table`: an index that
        pandas stored, columns that are no numbers, a value other than 0, 1 and null, names that are odd.
    """
    if not source.is_parquet or options.delimiter is not None:
        return None
    file = opened_parquet(source)
    names = [str(name) for name in file.schema_arrow.names]
    ignored = set(options.ignore or ())
    kept = [name for name in names if name not in ignored]
    if len(set(names)) < len(names) or ignored - set(names) or any(PANDAS_UNNAMED.match(name) for name in names):
        return None
    if _stores_index(file):
        return None
    among = kept if options.subject is not None else kept[:1]
    subject = columns.find_column(among, columns.SUBJECT, options.subject)
    items = [name for name in kept if name and name != subject]
    if (
        not items
        or len(items) + (subject is not None) < len(kept)
        or len(kept) < 2
        or not all(is_plain_column(file.schema_arrow, name) for name in items)
    ):
        return None
    codes = np.empty((file.metadata.num_rows, len(items)), dtype=np.int8)
    start = 0
    for batch in file.iter_batches(batch_size=_ROWS, columns=items):
        part = codes[start : start + batch.num_rows]
        for k, name in enumerate(items):
            found = column_codes(batch.column(batch.schema.get_field_index(name)))
            if found is None:
                return None
            part[:, k] = found
        start += batch.num_rows
    return (codes, _names(file, subject), items) if start else None


def _stores_index(file: Any) -> bool:
    """Whether pandas stored an index as a column (a range is no column)."""
    stored = (file.schema_arrow.pandas_metadata or {}).get("index_columns", [])
    return any(isinstance(name, str) for name in stored)


def is_plain_column(schema: Any, name: str) -> bool:
    """Whether a column of a Parquet file holds numbers or booleans."""
    import pyarrow.types as kinds

    kind = schema.field(name).type
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind))


def column_codes(column: Any) -> NDArray[np.int8] | None:
    """A column's values as codes 1, 0, -1 (missing); None if one is neither 0, 1 nor null."""
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype == object:  # booleans with nulls
        values = np.array([np.nan if value is None else value for value in values], dtype=float)
    right, missing = values == 1, np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if not np.all(right | (values == 0) | missing):
        return None
    return np.where(missing, np.int8(MISSING), right.astype(np.int8))


def _names(file: Any, subject: str | None) -> list[str] | pd.Series | None:
    """The subjects' names; where they call for more than taking them as they are, their column."""
    if subject is None:
        return None
    column = file.read(columns=[subject]).column(0)
    given = column.to_pylist()
    if all(type(name) is str for name in given):
        names = [name.strip() for name in given]
        if all(names) and len(set(names)) == len(names):
            return names
    return column.to_pandas().set_axis(pd.RangeIndex(1, len(column) + 1, name="row"))
