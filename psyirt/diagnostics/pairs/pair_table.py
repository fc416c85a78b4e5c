"""The table that every statistic of pairs of items ends in: reference distribution or bootstrap, flags, names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import erfc

from psyirt.diagnostics.adjustment import ADJUSTMENTS, Decision, decide, require_level
from psyirt.diagnostics.fitted_data import require_fitted
from psyirt.diagnostics.pairs.bootstrap import NOTHING, NullDistribution, bootstrap_null, require_bootstrap
from psyirt.errors import InputError
from psyirt.foundation.progress import Progress
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

# P pairs in the order of `pair_index`, by column name: numbers of shape (P,), and "note", an array of str
PairColumns = dict[str, NDArray[np.generic]]

NO_P = "no p-value without a bootstrap: give bootstrap= and seed="
MAX = "max"
_MAX_WORDS = "adjusted by the bootstrap's largest statistic over all pairs (Westfall & Young 1993): familywise error"


@dataclass(frozen=True)
class PairTest:
    """What distinguishes one statistic of pairs from another.

    Attributes
    ----------
    name, tests, source : str
        See :class:`psyirt.results.table.StatisticTable`.
    columns : callable
        A calibration -> ``PairColumns`` with statistic, note and whatever else the table shows.
    extreme : str
        The column whose large values speak against the null hypothesis.
    has_reference : bool
        Whether that column is referred to chi-square with 1 df where no bootstrap is asked for.
    notes : tuple of str
        What to know about that reference, or about its absence.
    summary : callable, optional
        Columns -> what to say of the whole table.
    """

    name: str
    tests: str
    source: str
    columns: Callable[[Calibration], PairColumns]
    extreme: str
    has_reference: bool
    notes: tuple[str, ...] = ()
    summary: Callable[[PairColumns], tuple[str, ...]] | None = None


def pair_table(
    test: PairTest,
    calibration: Calibration,
    adjust: str | None,
    alpha: float,
    bootstrap: int | None,
    seed: int | None,
    progress: Progress,
) -> StatisticTable:
    """The statistic of every pair, with p-values from its reference distribution or from a parametric bootstrap.

    Parameters
    ----------
    test : PairTest
        Which statistic.
    calibration, adjust, alpha, bootstrap, seed, progress
        See :func:`psyirt.diagnostics.pairs.dependence.local_dependence`.

    Returns
    -------
    StatisticTable

    Raises
    ------
    InputError, NotAvailableError, EstimationError
        See :func:`psyirt.diagnostics.pairs.dependence.local_dependence`.
    """
    _require_adjustment(adjust, bootstrap)
    require_level(alpha)
    require_bootstrap(bootstrap, seed, alpha)
    require_fitted(calibration, test.name)
    columns = test.columns(calibration)
    extreme = np.asarray(columns[test.extreme], float)
    summary = test.summary(columns) if test.summary else ()
    if bootstrap is not None and seed is not None:
        null = bootstrap_null(test.name, calibration, extreme, _extremes(test), int(bootstrap), int(seed), progress)
        p, decision = null.p, _decide(null, adjust or MAX, alpha)
        columns["note"] = np.where((columns["note"] == "") & np.isnan(p), NOTHING, columns["note"])
        pair_by_pair = adjust in ADJUSTMENTS and adjust != "none"
        notes = (*summary, *null.notes(alpha, pair_by_pair))
    elif test.has_reference:
        # the upper tail of chi-square with 1 df, a hundred times faster than the general formula
        p = erfc(np.sqrt(0.5 * extreme))
        decision = decide(p, adjust or "holm", alpha)
        notes = (*test.notes, *summary)
    else:
        p = np.full(len(extreme), np.nan)
        decision = Decision(p, np.zeros(len(p), dtype=bool), "none: no null distribution", "never without a bootstrap")
        columns["note"] = np.where(columns["note"] == "", NO_P, columns["note"])
        notes = (NO_P, *test.notes, *summary)
    has_null = test.has_reference or bootstrap is not None
    return _assemble(test, calibration.item_names, columns, p, decision, notes, has_null)


def _extremes(test: PairTest) -> Callable[[Calibration], Array]:
    """What a replication is asked for."""
    return lambda replication: np.asarray(test.columns(replication)[test.extreme], float)


def _require_adjustment(adjust: str | None, bootstrap: int | None) -> None:
    """Refuse an unknown adjustment before anything is computed."""
    if adjust == MAX:
        if bootstrap is None:
            raise InputError("adjust='max' without a bootstrap", "local_dependence", "Give bootstrap= and seed=")
    elif adjust is not None:
        ADJUSTMENTS[adjust]


def _decide(null: NullDistribution, adjust: str, alpha: float) -> Decision:
    """Flags from the bootstrap's p-values."""
    if adjust != MAX:
        return decide(null.p, adjust, alpha)
    adjusted = null.p_familywise
    return Decision(adjusted, adjusted < alpha, _MAX_WORDS, f"p_adjusted < {alpha:g}")


def pair_index(names: tuple[str, ...]) -> pd.MultiIndex:
    """All pairs, the first item before the second in the calibration's order.

    Made from positions rather than from names: two million pairs take milliseconds, and rows are found by bisection.
    """
    places: Any = np.triu_indices(len(names), 1)
    return pd.MultiIndex(levels=[names, names], codes=places, names=["item_1", "item_2"])


def _assemble(
    test: PairTest,
    names: tuple[str, ...],
    columns: PairColumns,
    p: Array,
    decision: Decision,
    notes: tuple[str, ...],
    has_null: bool,
) -> StatisticTable:
    """One table; first what every statistic has, then what this one adds."""
    degrees = np.full(len(p), 1.0 if test.has_reference else np.nan)
    head = {"statistic": columns.pop("statistic"), "df": degrees, "p": p, "p_adjusted": decision.p_adjusted}
    note = columns.pop("note").astype(object)
    frame = pd.DataFrame({**head, **columns, "flag": decision.flag, "note": note}, index=pair_index(names), copy=False)
    told = (test.name, test.tests, test.source, decision.adjustment, decision.flagged_when, notes)
    return StatisticTable(frame, *told, has_null=has_null)
