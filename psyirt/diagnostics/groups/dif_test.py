"""What distinguishes one DIF statistic from another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from psyirt.diagnostics.groups.matching import ItemCounts


@dataclass(frozen=True)
class DIFTest:
    """One way to compare two groups of subjects of equal score.

    Attributes
    ----------
    name, tests, source : str
        See :class:`psyirt.results.table.StatisticTable`.
    rows : callable
        One ItemCounts per item -> a DataFrame with statistic, df, p, effect sizes, and note (a row per item).
    effects : tuple of str
        The columns of classes: an item that is "A", negligible, in all of them is never flagged.
    size : str
        The column whose size orders effects.
    needs_scores : bool
        Whether scores themselves count, and not only who has equal ones.
    notes : tuple of str
        What to know about the whole table.
    """

    name: str
    tests: str
    source: str
    rows: Callable[[Sequence[ItemCounts]], pd.DataFrame]
    effects: tuple[str, ...]
    size: str
    needs_scores: bool
    notes: tuple[str, ...] = ()
