"""X2: observed against expected proportions in groups by estimated ability (Bock, 1972; Yen's Q1, 1981)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.diagnostics.items.ability_cells import (
    BINS,
    AbilityCells,
    ability_cells,
    chi_square_rmsea,
    require_bins,
)
from psyirt.diagnostics.items.placed_subjects import item_frame, place_subjects
from psyirt.diagnostics.items.untested import check_unused, untested_table
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

NAME = "X2"
TESTS = "H0: in groups of like estimated ability, the item is answered correctly as often as the model says"
SOURCE = "Bock (1972); Yen (1981, Q1)"
NO_NULL = (
    "no p-value: groups by abilities that are estimated from the same answers leave no chi-square null distribution "
    "(Orlando & Thissen 2000); use S-X2"
)


@one_blas_thread()
def x2(
    calibration: Calibration, *, adjust: str = "holm", alpha: float = 0.05, bins: int = BINS, scoring: str = "EAP"
) -> StatisticTable:
    """X2 of every item: a description, no test.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    adjust, alpha
        As for every item-fit statistic; without p-values neither has an effect.
    bins : int
        Groups of nearly equal size, 3 or more; subjects of equal ability stay together, so that the order of rows has
        no effect (R's mirt lets it part them, and differs where abilities are tied).
    scoring : {"EAP", "MAP", "ML", "WLE"}
        How abilities are estimated.

    Returns
    -------
    StatisticTable
        Index item; statistic = sum over groups of n (o - e)^2 / (e (1 - e)) with e at the group's mean ability, df =
        groups - the item's free parameters, rmsea, n (who answered). No p (``has_null`` is False), no flag.

    Raises
    ------
    InputError
        If an option is not one of those above.
    NotAvailableError
        If the calibration has no responses.
    """
    check_unused(adjust, alpha)
    require_bins(bins, NAME)
    placed = place_subjects(calibration, scoring, NAME)
    cells = ability_cells(calibration, placed, bins)
    statistic = np.array([each.pearson() for each in cells])
    groups = np.array([len(each.observed) for each in cells])
    frame = chi_square_rows(calibration, cells, statistic, groups)
    return untested_table(frame, NAME, TESTS, SOURCE, NO_NULL, placed.notes)


def chi_square_rows(
    calibration: Calibration, cells: list[AbilityCells], statistic: np.ndarray, groups: np.ndarray
) -> pd.DataFrame:
    """Statistic, df, rmsea, n and note of every item; no statistic where there are no degrees of freedom."""
    free = calibration.layout.is_free.sum(axis=1)
    df = (groups - free).astype(float)
    subjects = np.array([each.subjects for each in cells])
    notes = [""] * len(cells)
    for j, each in enumerate(cells):
        if not each.varies:
            notes[j] = "no variance: all responses are alike"
        elif df[j] <= 0:
            notes[j] = f"no degrees of freedom: {groups[j]} groups, {free[j]} free parameters"
    valid = np.array([note == "" for note in notes])
    statistic = np.where(valid, statistic, np.nan)
    columns = {"statistic": statistic, "df": df, "rmsea": chi_square_rmsea(statistic, df, subjects), "n": subjects}
    return item_frame(calibration, columns, notes)
