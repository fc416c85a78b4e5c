"""Which format a file has, by its ending and its content."""

from __future__ import annotations

from psyirt.data import columns
from psyirt.data.columns import find_column
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import Source
from psyirt.data.readers.tables import header_of

JSON_SUFFIXES = (".json", ".jsonl", ".jsonlines", ".ndjson")


def detect(source: Source, options: ReadOptions) -> str:
    """The name of the file's format.

    Parameters
    ----------
    source : Source
        The file.
    options : ReadOptions
        Columns that the caller names (``item``, ``response``, ``label``) make a table a long one.

    Returns
    -------
    str
        ``"py-irt"`` for JSON (text that begins with a brace, or a file called so); ``"long"`` for a table with
        columns for subject, item, and response or label; else ``"wide"``.
    """
    if not source.is_parquet:
        start = str(source.content).lstrip()[:1]
        if start == "{" or any(suffix in JSON_SUFFIXES for suffix in source.suffixes):
            return "py-irt"
    return "long" if is_long(header_of(source, options.delimiter), options) else "wide"


def is_long(names: list[str], options: ReadOptions) -> bool:
    """Whether a table with these columns has one row per response or label."""
    if options.item is not None or options.response is not None or options.label is not None:
        return True
    has_value = find_column(names, columns.RESPONSE) or find_column(names, columns.LABEL)
    has_subject = options.subject or find_column(names, columns.SUBJECT)
    return bool(has_subject and find_column(names, columns.ITEM) and has_value)
