"""What graded responses have in common, however their codes are kept: names, what is known of items, a digest."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from psyirt.data.coding import unique_names
from psyirt.data.columns import GOLD, listed, normal
from psyirt.data.response_source import ResponseBlock
from psyirt.errors import InputError
from psyirt.foundation.words import counted


class ResponseTable(ABC):
    """Names, item information, notes; a frozen dataclass that inherits from it calls :meth:`_freeze_names`."""

    subject_names: tuple[str, ...]
    item_names: tuple[str, ...]
    item_info: pd.DataFrame
    notes: tuple[str, ...]
    label_set: tuple[str, ...] | None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(subjects, items)."""

    @property
    @abstractmethod
    def observed(self) -> int:
        """Number of responses that are not missing."""

    @property
    @abstractmethod
    def correct(self) -> int:
        """Number of responses that are right."""

    @abstractmethod
    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        """The responses, a block of subjects at a time, in order."""

    @property
    def is_complete(self) -> bool:
        """Whether no response is missing."""
        return self.observed == self.shape[0] * self.shape[1]

    def item_column(self, name: str) -> dict[str, Any]:
        """One column of `item_info` as item -> value, without the items that have none.

        Raises
        ------
        InputError
            If there is no such column.
        """
        if name not in self.item_info.columns:
            known = ", ".join(map(str, self.item_info.columns)) or "none"
            renamed = normal(name) in GOLD and "gold" in self.item_info.columns
            called = "The gold labels' column is called 'gold' here. " if renamed else ""
            raise InputError(f"items have no column {name!r}", "", f"{called}Known columns: {known}")
        column = self.item_info[name].dropna()
        return dict(zip(column.index, column, strict=True))

    def _digest(self) -> str:
        """SHA-256 over names and codes: the same data in the same order give the same digest, however they are kept."""
        hasher = hashlib.sha256()
        for names in (self.subject_names, self.item_names):
            hasher.update("\x1f".join(names).encode())
            hasher.update(b"\x1e")
        for block in self.blocks():
            hasher.update(block.codes.tobytes())
        return hasher.hexdigest()

    def _freeze_names(self, subjects: int, items: int) -> None:
        """Check names, item information and labels of so many subjects and items, and keep them."""
        names = unique_names(self.item_names, "item", items)
        known = self.item_info.set_axis([str(name) for name in self.item_info.index], axis="index")
        if not known.index.is_unique:
            raise InputError("an item occurs more than once", "item_info", "Give one row per item")
        for name, value in (
            ("subject_names", unique_names(self.subject_names, "subject", subjects)),
            ("item_names", names),
            ("item_info", known.reindex(pd.Index(names, name="item"))),
            ("notes", tuple(self.notes)),
            ("label_set", _checked_labels(self.label_set)),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Size, share observed and share correct."""
        subjects, items = self.shape
        share = self.observed / max(subjects * items, 1)
        size = f"{counted(subjects, 'subject')} x {counted(items, 'item')}"
        right = self.correct / max(self.observed, 1)
        return f"{type(self).__name__}({size}, {share:.1%} observed, {right:.1%} correct)"


def _checked_labels(labels: Sequence[str] | None) -> tuple[str, ...] | None:
    """A label set as text; refuse one that names a label twice or only one."""
    if labels is None:
        return None
    found = (labels,) if isinstance(labels, str) else tuple(str(label) for label in labels)
    if len(found) < 2 or len(set(found)) < len(found):
        raise InputError(f"label_set is {listed(found)}", "", "Give two labels or more, each once, or None")
    return found
