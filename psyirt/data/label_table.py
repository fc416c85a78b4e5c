"""Entries (worker, item, label) with what is known of the items: how labels are kept."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.columns import listed, without_row_index
from psyirt.data.gold import Gold, gold_table
from psyirt.data.label_entries import Layout, label_entries
from psyirt.data.text import chosen_positions, positions, refuse_repeated
from psyirt.errors import DataWarning, InputError
from psyirt.foundation.words import counted


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Labels as entries, without a reading of what they mean (:class:`psyirt.data.labels.CrowdLabels` adds that).

    One entry for each pair (worker, item) that was presented; a worker who was shown an item and gave no label has
    an entry with the label ``""``.

    Attributes
    ----------
    worker_names, item_names : tuple of str
        Unique names, in the order of their first label.
    label_set : tuple of str
        The distinct raw labels, sorted.
    worker_index, item_index, label_index : ndarray of int, shape (labels,), read-only
        Who, what and which, as positions in the three above.
    items : DataFrame, index ``item``
        One row per item, in the order of `item_names`: ``gold`` (where there is any) and the gold table's other
        columns.
    gold_set : tuple of str
        The gold table's distinct gold labels, sorted; kept when items are left out, so that what can be answered
        does not depend on the selection.
    notes : tuple of str
        What happened to the data on their way here.
    """

    worker_names: tuple[str, ...] = field(repr=False)
    item_names: tuple[str, ...] = field(repr=False)
    label_set: tuple[str, ...]
    worker_index: NDArray[np.intp] = field(repr=False)
    item_index: NDArray[np.intp] = field(repr=False)
    label_index: NDArray[np.intp] = field(repr=False)
    items: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    gold_set: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the positions and freeze."""
        for name, names in (("worker", self.worker_names), ("item", self.item_names), ("label", self.label_set)):
            index = np.array(getattr(self, f"{name}_index"), dtype=np.intp, copy=True)
            if index.ndim != 1 or (index.size and (index.min() < 0 or index.max() >= len(names))):
                raise InputError(f"{name}_index does not point into the {name} names", "", "Use CrowdLabels.from_frame")
            index.setflags(write=False)
            object.__setattr__(self, f"{name}_index", index)
        if not self.worker_index.shape == self.item_index.shape == self.label_index.shape:
            raise InputError("the three indices differ in length", "", "Use CrowdLabels.from_frame")
        refuse_repeated(self.worker_index, self.item_index, (self.worker_names, self.item_names), "worker item label")
        object.__setattr__(self, "items", self.items.reindex(pd.Index(self.item_names, name="item")))

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        gold: Gold | None = None,
        *,
        worker: str | None = None,
        item: str | None = None,
        label: str | None = None,
        layout: Layout | None = None,
    ) -> Self:
        """Labels from a wide or a long table.

        Parameters
        ----------
        frame : DataFrame
            Long: one row per label, with columns for worker, item and label, recognised by name (crowd-kit's
            ``worker, task, label`` too). Wide: one row per worker, one column per item; the workers are the index,
            or the first column if it is called ``worker``, ``subject`` or the like. An empty or missing cell of a
            wide table was not presented; a long row with an empty or missing label was presented and not answered.
        gold : mapping, Series or DataFrame, optional
            Item -> gold label; of a DataFrame the columns ``item`` (or its index) and ``gold``, the others being
            kept in `items`. A long table's own column ``gold`` is used where nothing is given.
        worker, item, label : str, optional
            Column names, where they are not recognised.
        layout : {"wide", "long"}, optional
            Default: long if the three columns are found.

        Returns
        -------
        LabelTable
            Of the class that was asked.

        Raises
        ------
        InputError
            If a name is missing, a pair (worker, item) occurs twice, or the gold table is not usable.

        Warns
        -----
        DataWarning
            If gold is given for items nobody labelled.
        """
        wide = item is None and label is None and layout != "long"
        frame, notes = without_row_index(frame, worker) if wide else (frame, ())
        entries = label_entries(frame, worker=worker, item=item, label=label, layout=layout)
        labels = cls(
            entries.workers.names,
            entries.items.names,
            entries.labels.names,
            entries.workers.codes,
            entries.items.codes,
            entries.labels.codes,
            notes=notes,
        )
        given = gold if gold is not None else entries.gold
        return labels if given is None else labels.with_gold(given)

    def with_gold(self, gold: Gold) -> Self:
        """The same labels with (other) gold.

        Parameters
        ----------
        gold : mapping, Series or DataFrame
            As in :meth:`from_frame`.

        Returns
        -------
        LabelTable
            Of the class that was asked.

        Raises
        ------
        InputError
            If the gold table is not usable.

        Warns
        -----
        DataWarning
            If gold is given for items nobody labelled; that gold is ignored.
        """
        table = gold_table(gold)
        known = set(self.item_names)
        strangers = [name for name in table.index if name not in known]
        notes = self.notes
        if strangers:
            text = f"gold is given for {counted(len(strangers), 'item')} without labels, the first is {strangers[0]!r}"
            warnings.warn(DataWarning(text, "", "It is ignored; check the item names"), stacklevel=2)
            notes = (*notes, text)
        gold_set = tuple(sorted(set(table["gold"].dropna())))
        return replace(self, items=table, gold_set=gold_set, notes=notes)

    def with_notes(self, notes: Sequence[str]) -> Self:
        """The same labels with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def n_labels(self) -> int:
        """Number of entries, unanswered ones included."""
        return len(self.label_index)

    def present_labels(self) -> tuple[str, ...]:
        """The labels that occur (a selection of workers may have lost some of `label_set`)."""
        return tuple(self.label_set[k] for k in np.unique(self.label_index))

    def select(self, *, items: Sequence[str] | None = None, workers: Sequence[str] | None = None) -> Self:
        """The labels of some items and workers, in the order asked for.

        Parameters
        ----------
        items, workers : sequence of str, optional
            Names to keep (all by default).

        Returns
        -------
        LabelTable
            Of the class that was asked.

        Raises
        ------
        InputError
            If a name is unknown or named twice.
        """
        item_place = positions(items, self.item_names, "item")
        worker_place = positions(workers, self.worker_names, "worker")
        kept = (item_place[self.item_index] >= 0) & (worker_place[self.worker_index] >= 0)
        return replace(
            self,
            worker_names=tuple(self.worker_names[k] for k in chosen_positions(workers, self.worker_names, "worker")),
            item_names=tuple(self.item_names[k] for k in chosen_positions(items, self.item_names, "item")),
            worker_index=worker_place[self.worker_index[kept]],
            item_index=item_place[self.item_index[kept]],
            label_index=self.label_index[kept],
        )

    def to_long(self) -> pd.DataFrame:
        """One row per entry: columns ``worker, item, label``."""
        named = (("worker", self.worker_names), ("item", self.item_names), ("label", self.label_set))
        return pd.DataFrame(
            {kind: np.array(names, dtype=object)[getattr(self, f"{kind}_index")] for kind, names in named},
            dtype=object,
        )

    def to_frame(self) -> pd.DataFrame:
        """A wide table of labels (None where not presented), index ``worker``, columns ``item``."""
        cells = np.full((len(self.worker_names), len(self.item_names)), None, dtype=object)
        cells[self.worker_index, self.item_index] = np.array(self.label_set, dtype=object)[self.label_index]
        index, names = pd.Index(self.worker_names, name="worker"), pd.Index(self.item_names, name="item")
        return pd.DataFrame(cells, index=index, columns=names, dtype=object)

    def __repr__(self) -> str:
        """Size, labels, gold."""
        size = f"{counted(len(self.worker_names), 'worker')} x {counted(len(self.item_names), 'item')}"
        kinds = listed([repr(label) for label in self.label_set])
        gold = f"gold {listed(self.gold_set)}" if self.gold_set else "no gold"
        return f"{type(self).__name__}({size}, {counted(self.n_labels, 'label')} {kinds}, {gold})"
