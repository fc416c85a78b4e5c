"""The answer key: item -> gold label, with whatever else is known of the items."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from psyirt.data import columns
from psyirt.data.text import coded, refuse_missing
from psyirt.errors import InputError

Gold = Mapping[str, str] | pd.Series | pd.DataFrame


def gold_table(gold: Gold, *, item: str | None = None, label: str | None = None) -> pd.DataFrame:
    """A gold table in its one form.

    Parameters
    ----------
    gold : mapping, Series or DataFrame
        Item -> gold label. A DataFrame has the items in a column ``item`` (``task``, ``question``, ...) or in its
        index, and the gold labels in a column ``gold`` (``key``, ``truth``, ``true_label``, ...).
    item, label : str, optional
        The names of these two columns, where they are not recognised.

    Returns
    -------
    DataFrame, index ``item``
        Column ``gold`` (text; None where there is none) first, then the table's other columns as they were.

    Raises
    ------
    InputError
        If the columns are not found, or an item has no name or is listed twice.
    """
    if isinstance(gold, Mapping):
        gold = pd.Series(gold, dtype=object)
    if isinstance(gold, pd.Series):
        gold = gold.to_frame("gold")
    if not isinstance(gold, pd.DataFrame):
        raise InputError(f"gold is a {type(gold).__name__}", "", "Give a mapping, a Series or a DataFrame")
    item_column = columns.find_column([str(name) for name in gold.columns], columns.ITEM, item)
    gold = gold if item_column is None else gold.set_index(item_column)
    held = [str(name) for name in gold.columns]
    remedy = f"Columns are: {columns.listed(held)}; call the right one 'gold'"
    label_column = columns.need_column(held, columns.GOLD, label, "gold", remedy)
    codes, names = coded(gold.index)
    refuse_missing(codes, "item", pd.RangeIndex(1, len(gold) + 1))
    index = pd.Index([names[code] for code in codes], name="item", dtype=object)
    if index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise InputError(f"item {twice!r} is in the gold table more than once", "", "Keep one row for each item")
    table = gold.drop(columns=label_column).set_axis(index)
    if "gold" in table.columns:
        raise InputError("a second column is called 'gold'", "", f"Rename it; {label_column!r} holds the gold labels")
    labels, label_names = coded(gold[label_column])
    table.insert(0, "gold", pd.Series([label_names[k] if k >= 0 else None for k in labels], index, dtype=object))
    return table


def gold_of_rows(frame: pd.DataFrame, item: str, gold: str) -> pd.Series:
    """The gold of each item of a long table, where every row of an item repeats it.

    Parameters
    ----------
    frame : DataFrame
        One row per answer.
    item, gold : str
        Column names.

    Returns
    -------
    Series, index ``item``
        Gold labels as text; items without any are left out.

    Raises
    ------
    InputError
        If an item has two different gold labels.
    """
    item_codes, item_names = coded(frame[item])
    gold_codes, gold_names = coded(frame[gold])
    pairs = pd.DataFrame({"item": item_codes, "gold": gold_codes})
    pairs = pairs[(item_codes >= 0) & (gold_codes >= 0)].drop_duplicates()
    clash = pairs.loc[pairs["item"].duplicated(), "item"]
    if len(clash):
        raise InputError(
            f"item {item_names[clash.iloc[0]]!r} has more than one gold label", f"column {gold!r}",
            "Give each item one gold label, or give the gold in a table of its own",
        )  # fmt: skip
    index = pd.Index([item_names[k] for k in pairs["item"]], name="item", dtype=object)
    return pd.Series([gold_names[k] for k in pairs["gold"]], index=index, name="gold", dtype=object)
