"""Infit: the mean squared residual, weighted with the model's variances (Wright & Masters, 1982)."""

from __future__ import annotations

import numpy as np

from psyirt.diagnostics.items.mean_squares import (
    NO_NULL,
    TESTS,
    mean_square_rows,
    mean_squares,
    require_variance,
    varying,
)
from psyirt.diagnostics.items.placed_subjects import place_subjects
from psyirt.diagnostics.items.untested import check_unused, untested_table
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

NAME = "infit"
SOURCE = "Wright & Masters (1982); z after Wilson & Hilferty (1931)"


@one_blas_thread()
def infit(
    calibration: Calibration,
    *,
    adjust: str = "holm",
    alpha: float = 0.05,
    scoring: str = "EAP",
    min_variance: float = 0.0,
) -> StatisticTable:
    """Infit of every item: a description, no test.

    Those count most whose answer is open, so that it tells of the item's slope near its difficulty.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    adjust, alpha
        As for every item-fit statistic; without p-values neither has an effect.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        How abilities are estimated. Infinite ML estimates are put 0.1 beyond the most extreme finite one.
    min_variance : float
        Smallest p (1 - p) used, 0 for what the model says. R's mirt uses 10^-2.5 (0.00316): its values differ from
        those without a floor where an item is very easy or very hard for somebody.

    Returns
    -------
    StatisticTable
        Index item; statistic (mean square, 1 expected where abilities are known, less where they are fitted to the
        same answers), z, n (who answered). No p (``has_null`` is False), no flag.

    Raises
    ------
    InputError
        If an option is not one of those above.
    NotAvailableError
        If the calibration has no responses.
    """
    check_unused(adjust, alpha)
    require_variance(min_variance, NAME)
    placed = place_subjects(calibration, scoring, NAME)
    found = mean_squares(calibration, placed, min_variance)
    values, sd, subjects = np.array([[each.infit, each.infit_sd, each.subjects] for each in found]).T
    frame = mean_square_rows(calibration, values, sd, subjects, varying(placed))
    return untested_table(frame, NAME, TESTS, SOURCE, NO_NULL, placed.notes)
