"""Frozen results stay frozen although they hold tables, which pandas lets anybody change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd


class OwnsTables:
    """A base for frozen objects: every DataFrame or Series read from one is a copy of its own.

    The copies are shallow: pandas copies the data when one of them is changed, not before.
    """

    if not TYPE_CHECKING:  # a type checker that saw this method would take every misspelt attribute for a good one

        def __getattribute__(self, name: str) -> Any:
            """The attribute; a table as a copy."""
            value = super().__getattribute__(name)
            return value.copy(deep=False) if isinstance(value, (pd.DataFrame, pd.Series)) else value
