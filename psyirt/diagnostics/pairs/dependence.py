"""Local dependence by name: one line per statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psyirt.diagnostics.pairs.ld_x2 import ld_x2
from psyirt.foundation.registry import Registry
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

# (calibration, *, adjust, alpha, and options of its own) -> a table with a row per pair of items
PairStatistic = Callable[..., StatisticTable]

LOCAL_DEPENDENCE: Registry[PairStatistic] = Registry("local-dependence statistic", {"LD-X2": ld_x2})


def local_dependence(
    calibration: Calibration, method: str = "LD-X2", *, adjust: str = "holm", alpha: float = 0.05, **options: Any
) -> StatisticTable:
    """Whether pairs of items share more (or less) than the ability explains.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    method : {"LD-X2"}
        Which statistic; see ``psyirt.diagnostics.pairs.ld_x2``.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the pairs.
    alpha : float
        Level of the flag.
    **options
        The statistic's own; an unknown one raises TypeError.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2), every pair once; columns statistic, df, p, p_adjusted, effect sizes, flag, note.

    Raises
    ------
    InputError
        If the method or an option's value is unknown.
    NotAvailableError
        If the calibration has no responses.
    """
    return LOCAL_DEPENDENCE[method](calibration, adjust=adjust, alpha=alpha, **options)
