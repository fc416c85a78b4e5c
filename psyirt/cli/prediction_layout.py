"""Where a predictions file keeps its systems and items, when its column names alone would mislead."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from psyirt.data.columns import LABEL, PREDICTED, RESPONSE, SUBJECT, UNNAMED, find_column, listed
from psyirt.data.text import plain
from psyirt.errors import InputError

_SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".parquet")
# what names a system; an unnamed column or an "id" may as well number the rows or name the items
_SYSTEM = tuple(alias for alias in SUBJECT if alias not in (*UNNAMED, "id", "name"))


def one_system(
    frame: pd.DataFrame, known: Collection[str], named: Mapping[str, str], path: Path
) -> tuple[pd.DataFrame, bool] | None:
    """The answers of a table of one system: a column of items, a column of answers, none of systems.

    Parameters
    ----------
    frame : DataFrame
        The table as read.
    known : collection of str
        The items of all scales.
    named : mapping
        Columns that the caller names: ``system``, ``item``, ``label``, ``response``.
    path : path
        The file; the system is called as it is.

    Returns
    -------
    (DataFrame, bool) or None
        Columns system, item, label, and whether the answers' column is one of graded responses; None where the table
        has systems of its own.

    Raises
    ------
    InputError
        If the column that should name the systems holds the scale's items, or the rows are items and the columns
        systems.
    """
    names = [str(name) for name in frame.columns]
    if "system" in named:
        _refuse_items_as_systems(frame, known, named["system"], path)
        return None
    if set(names) & set(known) or find_column(names, _SYSTEM) is not None:
        return None
    item = find_column(names, (), named.get("item")) or _item_column(frame, known)
    if item is None:
        return None
    others = [name for name in names if name != item]
    response = find_column(names, (), named.get("response")) or (
        None if "label" in named or find_column(others, LABEL) else find_column(others, RESPONSE)
    )
    answers = response or find_column(names, (), named.get("label")) or find_column(others, (*PREDICTED, *LABEL))
    if answers is None and len(others) == 1:
        answers = others[0]
    if answers is None:
        raise InputError(
            f"its rows are items (column {item!r} holds the scale's items) and its columns are {listed(others)}",
            str(path),
            "Transpose it: one row for each system and one column for each item; or, for the answers of one system, "
            "name their column with label=",
        )
    table = pd.DataFrame({"system": stem(path), "item": frame[item], "label": frame[answers]}, index=frame.index)
    return table, response is not None


def stem(path: Path) -> str:
    """A file's name without the endings that tell its format."""
    name = path.name
    for suffix in _SUFFIXES:
        name = name[: -len(suffix)] if name.casefold().endswith(suffix) and len(name) > len(suffix) else name
    return name


def _item_column(frame: pd.DataFrame, known: Collection[str]) -> str | None:
    """The column with the most of the scale's items among its entries; None where none has any."""
    shared = {str(name): len({plain(cell) for cell in frame[name]} & set(known)) for name in frame.columns}
    best = max(shared, key=lambda name: shared[name])
    return best if shared[best] else None


def _refuse_items_as_systems(frame: pd.DataFrame, known: Collection[str], system: str, path: Path) -> None:
    """Refuse a column of systems whose entries are all items of the scale, or columns besides."""
    found = find_column([str(name) for name in frame.columns], (), system)
    if {plain(cell) for cell in frame[found]} & set(known):
        raise InputError(
            f"column {system!r} holds the scale's items, not systems", str(path),
            "Name it with item=; a file without a column of systems is taken for one system",
        )  # fmt: skip
