"""From a table of labels, wide or long, to entries (worker, item, label)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data import columns
from psyirt.data.gold import gold_of_rows
from psyirt.data.text import coded, plain, refuse_missing
from psyirt.errors import InputError

Layout = Literal["wide", "long"]


@dataclass(frozen=True)
class Coded:
    """A column of names: `names` are distinct, `codes` (shape (entries,)) point into them."""

    codes: NDArray[np.intp]
    names: tuple[str, ...]


@dataclass(frozen=True)
class LabelEntries:
    """One entry per presented pair of worker and item.

    Attributes
    ----------
    workers, items, labels : Coded
        Who, what, which; ``""`` is the label of an entry without one. Labels' names are sorted.
    gold : Series or None
        Item -> gold label, where the table had such a column.
    """

    workers: Coded
    items: Coded
    labels: Coded
    gold: pd.Series | None


def label_entries(
    frame: pd.DataFrame,
    *,
    worker: str | None = None,
    item: str | None = None,
    label: str | None = None,
    layout: Layout | None = None,
) -> LabelEntries:
    """The entries of a wide or long table; see :meth:`psyirt.data.label_table.LabelTable.from_frame`.

    Parameters
    ----------
    frame : DataFrame
        A long table if it has columns for worker, item and label, a wide one otherwise.
    worker, item, label : str, optional
        Column names, where they are not recognised; `item` and `label` make the table a long one.
    layout : {"wide", "long"}, optional
        Default: found out.

    Returns
    -------
    LabelEntries

    Raises
    ------
    InputError
        If a column is absent or occurs twice, a name is missing, or a worker has two rows of a wide table.
    """
    table = frame.set_axis([plain(name) for name in frame.columns], axis="columns")
    repeated = table.columns[table.columns.duplicated()]
    if len(repeated):
        raise InputError(f"column {repeated[0]!r} occurs more than once", "", "Give each column its own name")
    if table.empty:
        raise InputError("the table has no labels", "", "Give at least one row and one item")
    names = None if layout == "wide" else long_columns(table.columns, worker, item, label, layout == "long")
    return _long(table, *names) if names else _wide(table, worker)


def long_columns(
    names: Iterable[str], worker: str | None, item: str | None, label: str | None, certain: bool
) -> tuple[str, str, str] | None:
    """The worker, item and label columns of a long table; None if the table is a wide one.

    Raises
    ------
    InputError
        If a given name is not among `names`, or the table must be long (`certain`, or `item` or `label` is given)
        and a column is not found.
    """
    names = list(names)
    found = (
        columns.find_column(names, columns.SUBJECT, worker),
        columns.find_column(names, columns.ITEM, item),
        columns.find_column(names, columns.LABEL, label),
    )
    if not certain and item is None and label is None:
        return found if None not in found else None  # type: ignore[return-value]
    return (
        columns.need_column(names, columns.SUBJECT, worker, "worker"),
        columns.need_column(names, columns.ITEM, item, "item"),
        columns.need_column(names, columns.LABEL, label, "label"),
    )


def _long(table: pd.DataFrame, worker: str, item: str, label: str) -> LabelEntries:
    """Entries of a table with one row per label."""
    workers, items = Coded(*coded(table[worker])), Coded(*coded(table[item]))
    refuse_missing(workers.codes, "worker", table.index)
    refuse_missing(items.codes, "item", table.index)
    others = [name for name in table.columns if name not in (worker, item, label)]
    gold = columns.find_column(others, columns.GOLD_BESIDE_LABELS)
    of_items = None if gold is None else gold_of_rows(table, item, gold)
    return LabelEntries(workers, items, _sorted(*coded(table[label])), of_items)


def _wide(table: pd.DataFrame, worker: str | None) -> LabelEntries:
    """Entries of a table with one row per worker and one column per item."""
    first = columns.find_column(table.columns[:1], columns.SUBJECT) if worker is None else worker
    lines = pd.RangeIndex(1, len(table) + 1) if first is None else table.index
    whole = table
    if first is not None:
        table = table.set_index(columns.find_column(table.columns, columns.SUBJECT, first))
    rows, worker_names = coded(table.index)
    refuse_missing(rows, "worker", lines)
    if len(worker_names) < len(table):
        again = worker_names[rows[np.argmax(pd.Series(rows).duplicated().to_numpy())]]
        raise InputError(
            f"worker {again!r} has more than one row", "", columns.repeated_rows_remedy(whole, "worker", "label")
        )
    flat, label_names = coded(table)
    codes = flat.reshape(table.shape)
    where = np.nonzero(codes >= 0)
    return LabelEntries(
        Coded(rows[where[0]], worker_names),
        Coded(where[1], tuple(table.columns)),
        _sorted(codes[where], label_names),
        None,
    )


def _sorted(codes: NDArray[np.intp], names: tuple[str, ...]) -> Coded:
    """Labels in alphabetical order; entries without a label (-1) get the label ``""``."""
    everything = [*names, ""] if (codes < 0).any() else list(names)
    order = sorted(range(len(everything)), key=everything.__getitem__)
    place = np.empty(len(everything), dtype=np.intp)
    place[order] = np.arange(len(everything))
    return Coded(place[codes], tuple(everything[k] for k in order))
