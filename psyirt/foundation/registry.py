"""A name -> object table whose errors say which names there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from psyirt.errors import InputError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A read-only mapping with case-insensitive names.

    Parameters
    ----------
    kind : str
        What the entries are, for messages ("model", "item-fit statistic").
    entries : mapping of str to object
        The table.
    """

    def __init__(self, kind: str, entries: Mapping[str, T]) -> None:
        self._kind = kind
        self._entries = dict(entries)
        self._folded = {name.casefold(): name for name in self._entries}

    def __getitem__(self, name: str) -> T:
        """The entry called `name`; an unknown name raises InputError with the nearest known one."""
        if isinstance(name, str) and name.casefold() in self._folded:
            return self._entries[self._folded[name.casefold()]]
        near = difflib.get_close_matches(str(name).casefold(), self._folded, n=1)
        hint = f"Did you mean {self._folded[near[0]]!r}? " if near else ""
        raise InputError(f"no {self._kind} is called {name!r}", "", f"{hint}Known: {', '.join(self._entries)}")

    def get(self, name: str, default: Any = None) -> Any:
        """The entry called `name`, or `default`: what every mapping promises."""
        known = isinstance(name, str) and name.casefold() in self._folded
        return self[name] if known else default

    def __contains__(self, name: object) -> bool:
        """Whether an entry has this name, whatever its case."""
        return isinstance(name, str) and name.casefold() in self._folded

    def __iter__(self) -> Iterator[str]:
        """The names, in the order they were given."""
        return iter(self._entries)

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._entries)
