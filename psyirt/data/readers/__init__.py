"""Reading files: a format's name, or what a file looks like, leads to its reader.

To add a format: a file here with a function (Source, ReadOptions) -> Responses (or CrowdLabels), one line in the
table below, and what `detect` should look for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pandas as pd

from psyirt.data.any_responses import AnyResponses
from psyirt.data.gold import Gold
from psyirt.data.labels import CrowdLabels
from psyirt.data.readers import labels, long, pyirt, wide
from psyirt.data.readers.detect import detect
from psyirt.data.readers.gold import read_gold, read_gold_beside
from psyirt.data.readers.options import MISSING_CODES, Format, ReadOptions
from psyirt.data.readers.source import open_source
from psyirt.data.readers.stored import read_stored
from psyirt.errors import InputError
from psyirt.foundation.memory import memory_bytes
from psyirt.foundation.registry import Registry

__all__ = ["LABEL_FORMATS", "MISSING_CODES", "RESPONSE_FORMATS", "read_gold", "read_labels", "read_responses"]

RESPONSE_FORMATS: Registry[Format[AnyResponses]] = Registry(
    "response format",
    {
        "wide": Format(wide.read_wide, wide.OPTIONS),
        "long": Format(long.read_long, long.OPTIONS),
        "py-irt": Format(pyirt.read_pyirt, pyirt.OPTIONS),
    },
)

LABEL_FORMATS: Registry[Format[CrowdLabels]] = Registry(
    "label format",
    {
        "wide": Format(labels.read_wide_labels, labels.WIDE_OPTIONS),
        "long": Format(labels.read_long_labels, labels.LONG_OPTIONS),
    },
)


def read_responses(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the word users know from pandas and pyarrow
    *,
    subject: str | None = None,
    item: str | None = None,
    response: str | None = None,
    missing: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sparse: bool | None = None,
    memory: int | str | None = None,
) -> AnyResponses:
    """Read graded responses from a file.

    Parameters
    ----------
    path : path
        Delimited text, Parquet or JSON lines, gzip or not.
    format : {"wide", "long", "py-irt"}, optional
        Wide: one row per subject, one column per item, the first column naming the subjects if it is called
        ``subject``, ``worker``, ``id`` or the like. Long: one row per response, with columns for subject, item and
        response. py-irt: one JSON object per subject and line. Default: found by ending and content.
    subject, item, response : str, optional
        Column names, where they are not recognised; `item` and `response` belong to long tables.
    missing : sequence of str, optional
        Cells that mean "missing", whatever their case; default :data:`MISSING_CODES`.
    ignore : sequence of str, optional
        Columns of a table that are not to be read.
    encoding : str, optional
        Of text; default UTF-8, with or without a byte order mark.
    delimiter : str, optional
        Between the cells of text; default: comma, tab or semicolon, as the header has it.
    sparse : bool, optional
        Whether the responses of a long table or of JSON lines are kept one by one (:class:`SparseResponses`, four
        bytes each) and not as a table (a byte for every subject and item). By default they are where the table would
        have more than 20 million cells of which under 5 % are observed.

    memory : int or str, optional
        What the responses may take, in bytes or as text such as "500MB". Those of a wide Parquet table of numbers that
        would take more than half of it, a byte each, stay in their file (:class:`StoredResponses`), and so do those of
        a NumPy file (.npy) of int8 codes. Another file that is larger than this is refused.

    Returns
    -------
    Responses, SparseResponses or StoredResponses
        Names are text ("007" stays "007").

    Raises
    ------
    InputError
        If the file cannot be read, an option does not apply to its format, a name is missing or repeated, or a value
        is not 0, 1 or missing. One line that names the file, the place, the cause and the remedy.
    """
    options = ReadOptions(
        subject, item, response, None, _texts(missing, "missing"), _texts(ignore, "ignore"), delimiter, sparse
    )
    limit = None if memory is None else memory_bytes(memory)
    stored = None if limit is None else read_stored(os.fspath(path), format, options, limit)
    if stored is not None:
        return stored
    source = open_source(path, encoding)
    name = format or detect(source, options)
    reader = RESPONSE_FORMATS[name]
    _refuse_mismatch(name, source.is_parquet, source.path)
    return reader(source, options, name)


def read_labels(
    path: str | os.PathLike[str],
    gold: Gold | str | os.PathLike[str] | None = None,
    format: str | None = None,  # noqa: A002 - the word users know from pandas and pyarrow
    *,
    worker: str | None = None,
    item: str | None = None,
    label: str | None = None,
    ignore: Sequence[str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> CrowdLabels:
    """Read raw labels, of a crowd or of systems, from a file.

    Parameters
    ----------
    path : path
        Delimited text or Parquet, gzip or not.
    gold : path, mapping, Series or DataFrame, optional
        Item -> gold label; as a table, columns ``item`` and ``gold`` and whatever else is known of the items (see
        :func:`read_gold`). Default: a long table's own column ``gold``, if it has one.
    format : {"wide", "long"}, optional
        Wide: one row per worker, one column per item, the first column naming the workers. Long: one row per label,
        with columns for worker, item and label (crowd-kit's ``worker, task, label`` too). Default: found by content.
    worker, item, label : str, optional
        Column names, where they are not recognised; `item` and `label` belong to long tables.
    ignore : sequence of str, optional
        Columns that are not to be read.
    encoding, delimiter : str, optional
        As for :func:`read_responses`. A gold file is read as UTF-8, and with `encoding` only if it is not UTF-8; for
        another encoding, or another delimiter, give ``gold=read_gold(...)``.

    Returns
    -------
    CrowdLabels

    Raises
    ------
    InputError
        If the file or the gold cannot be read, or a pair (worker, item) occurs twice.

    Warns
    -----
    DataWarning
        If gold is given for items nobody labelled.
    """
    source = open_source(path, encoding)
    options = ReadOptions(subject=worker, item=item, label=label, ignore=_texts(ignore, "ignore"), delimiter=delimiter)
    name = format or detect(source, options)
    if name == "py-irt" and format is None:
        raise InputError("holds JSON, not a table of labels", source.path, "Graded responses: use read_responses")
    crowd = LABEL_FORMATS[name](source, options, name)
    if gold is None:
        return crowd
    table: Gold | pd.DataFrame = read_gold_beside(gold, encoding) if isinstance(gold, str | os.PathLike) else gold
    return crowd.with_gold(table)


def _texts(values: Sequence[str] | None, option: str) -> tuple[str, ...] | None:
    """A sequence of texts; a single text would be taken apart into its letters."""
    if isinstance(values, str):
        raise InputError(f"{option}={values!r} is one text", "", f"Give a list, such as [{values!r}]")
    return None if values is None else tuple(values)


def _refuse_mismatch(name: str, is_parquet: bool, path: str) -> None:
    """A Parquet file holds no JSON lines."""
    if is_parquet and name.casefold() == "py-irt":
        raise InputError("is a Parquet file, not JSON lines", path, "Give format='wide' or format='long'")
