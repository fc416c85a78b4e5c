"""Tables and documents as files: CSV or JSON by the file's ending, whole or absent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psyirt.cli.screen import json_text
from psyirt.errors import InputError
from psyirt.foundation.files import write_text

if TYPE_CHECKING:
    import pandas as pd

TABLE_SUFFIXES = (".csv", ".json")


def check_table_path(path: Path | None) -> None:
    """Refuse a table file whose ending says neither CSV nor JSON.

    Raises
    ------
    InputError
        If the ending is another.
    """
    if path is not None and path.suffix.lower() not in TABLE_SUFFIXES:
        raise InputError(f"cannot tell the format from {path.suffix!r}", str(path), "End the name in .csv or .json")


def write_table(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table with its index as the first columns.

    Parameters
    ----------
    frame : DataFrame
        With a named index.
    path : path
        ``.csv``: empty cells where a value is missing, numbers in full. ``.json``: a list of rows.
    """
    path = Path(path)
    check_table_path(path)
    if path.suffix.lower() == ".json":
        write_document(frame, path)
    else:
        write_text(path, frame.to_csv(lineterminator="\n"))


def write_document(content: Any, path: str | os.PathLike[str]) -> None:
    """Write a JSON document (see :func:`psyirt.cli.screen.json_text`)."""
    write_text(path, json_text(content) + "\n")
