"""Wide tables of responses read a block of rows at a time, and again as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psyirt.data import columns
from psyirt.data.block_reader import BlockReader
from psyirt.data.coding import unique_names
from psyirt.data.readers.detect import is_long
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import PARQUET
from psyirt.data.readers.wide_parquet import column_codes, is_plain_column
from psyirt.data.response_source import MISSING
from psyirt.errors import InputError

_NUMPY = b"\x93NUMPY"


class ParquetBlocks:
    """A wide Parquet table: one row per subject, one column of numbers or booleans per item.

    Parameters
    ----------
    path : str
        The file.
    options : ReadOptions
        ``subject`` (the names' column) and ``ignore``; other options do not apply.

    Raises
    ------
    InputError
        If it is no Parquet file, or a column that is no number or has no name would be an item.
    """

    def __init__(self, path: str, options: ReadOptions) -> None:
        self._path = path
        schema = opened(path).schema_arrow
        names = [str(name) for name in schema.names]
        absent = [name for name in options.ignore or () if name not in names]
        if absent:
            raise InputError(f"no column {absent[0]!r} to ignore", "", f"Columns are: {columns.listed(names)}")
        kept = [name for name in names if name not in set(options.ignore or ())]
        among = kept if options.subject is not None else kept[:1]
        self._subject = columns.find_column(among, columns.SUBJECT, options.subject)
        self.item_names = unique_names([name for name in kept if name != self._subject], "item", len(kept) - (
            self._subject is not None
        ))  # fmt: skip
        if not self.item_names:
            raise InputError("has no items", "", "Check the columns that are ignored")
        odd = next((name for name in self.item_names if not is_plain_column(schema, name)), None)
        if odd is not None:
            raise InputError(
                f"column {odd!r} is no column of numbers",
                "",
                "Leave it out with ignore=, name the subjects' column with subject=, or read without memory=",
            )

    @cached_property
    def rows(self) -> int:
        """Number of subjects."""
        return int(opened(self._path).metadata.num_rows)

    def subject_names(self) -> tuple[str, ...]:
        """See :class:`BlockReader`."""
        if self._subject is None:
            return tuple(f"s{k + 1}" for k in range(self.rows))
        given = opened(self._path).read(columns=[self._subject]).column(0).to_pylist()
        return unique_names([str(name).strip() for name in given], "subject", self.rows)

    def refuse_repeated_subjects(self) -> None:
        """Refuse a file in which a subject has more than one row, without making a Python text of each name.

        Raises
        ------
        InputError
        """
        if self._subject is None:
            return
        from pyarrow import compute

        column = opened(self._path).read(columns=[self._subject]).column(0)
        if compute.count_distinct(column, mode="all").as_py() == len(column):
            return
        counts = compute.value_counts(column).to_pylist()
        again = next(entry["values"] for entry in counts if entry["counts"] > 1)
        raise InputError(
            f"subject {str(again)!r} has more than one row",
            self._path,
            "Give each subject a row, and a name of its own",
        )

    def blocks(self, rows: int, items: NDArray[np.intp]) -> Iterator[NDArray[np.int8]]:
        """See :class:`BlockReader`."""
        names = [self.item_names[k] for k in items]
        start = 0
        for batch in opened(self._path).iter_batches(batch_size=rows, columns=names, use_threads=False):
            codes = np.empty((batch.num_rows, len(names)), dtype=np.int8)
            for k, name in enumerate(names):
                found = column_codes(batch.column(batch.schema.get_field_index(name)))
                if found is None:
                    raise InputError(
                        "a value is not 0, 1 or missing",
                        f"{self._path}, rows {start + 1} to {start + len(codes)}, column {name!r}",
                        "Grade the answers first, or leave the column out with ignore=",
                    )
                codes[:, k] = found
            start += len(codes)
            yield codes


class ArrayBlocks:
    """A NumPy file (.npy) of int8 codes, subjects x items: 1, 0, and -1 for missing.

    Parameters
    ----------
    path : str
        The file; subjects are called ``s1``, ``s2``, ..., items ``i1``, ``i2``, ...

    Raises
    ------
    InputError
        If it holds anything else.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.rows, count = self._open().shape
        self.item_names = tuple(f"i{k + 1}" for k in range(count))

    def subject_names(self) -> tuple[str, ...]:
        """See :class:`BlockReader`."""
        return tuple(f"s{k + 1}" for k in range(self.rows))

    def blocks(self, rows: int, items: NDArray[np.intp]) -> Iterator[NDArray[np.int8]]:
        """See :class:`BlockReader`."""
        whole = len(items) == len(self.item_names) and bool(np.all(np.diff(items) == 1))
        for start in range(0, self.rows, rows):
            # opened anew for each block, so that what was read of the last one is given back
            part = self._open()[start : start + rows]
            codes = np.array(part if whole else part[:, items], order="C")
            if codes.size and not (codes.min() >= MISSING and codes.max() <= 1):
                raise InputError(
                    "a value is not 0, 1 or -1",
                    f"{self._path}, rows {start + 1} to {start + len(codes)}",
                    "Give int8 codes: 1 right, 0 wrong, -1 missing",
                )
            yield codes

    def _open(self) -> NDArray[np.int8]:
        try:
            table = np.load(self._path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise InputError(
                f"the NumPy file cannot be read ({error})", self._path, "Write it with numpy.save"
            ) from None
        if table.ndim != 2 or table.dtype != np.int8 or table.shape[1] < 1:
            raise InputError(
                f"holds {table.dtype} of shape {table.shape}", self._path, "Give int8 codes, subjects x items"
            )
        return np.asarray(table)


def block_reader(path: str, file_format: str | None, options: ReadOptions) -> BlockReader | None:
    """The reader of a file that can be read in blocks; None for any other file.

    Parameters
    ----------
    path : str
        The file.
    file_format : str or None
        "wide", "long" or "py-irt", where the caller said so.
    options : ReadOptions
        What the caller said.
    """
    magic = _first_bytes(path)
    if magic == _NUMPY:
        return ArrayBlocks(path)
    if not magic.startswith(PARQUET) or (file_format or "wide").casefold() != "wide":
        return None
    if file_format is None and is_long(list(opened(path).schema_arrow.names), options):
        return None
    return ParquetBlocks(path, options)


def _first_bytes(path: str) -> bytes:
    """A few bytes of a file; none where there is no such file, as whoever reads it will say."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_NUMPY))
    except OSError:
        return b""


def opened(path: str) -> Any:
    """An opened Parquet file, of which nothing is read ahead."""
    # Only Parquet files need these modules, and they take a while to load.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        cause = f"the Parquet file cannot be read ({error})"
        raise InputError(cause, path, "Copy it again, or write it anew") from None
