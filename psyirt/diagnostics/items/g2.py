"""G2: likelihood ratio of the item's answers in groups by estimated ability (McKinley & Mills, 1985)."""

from __future__ import annotations

import numpy as np

from psyirt.diagnostics.items.ability_cells import BINS, ability_cells, require_bins
from psyirt.diagnostics.items.placed_subjects import place_subjects
from psyirt.diagnostics.items.untested import check_unused, untested_table
from psyirt.diagnostics.items.x2 import NO_NULL, TESTS, chi_square_rows
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

NAME = "G2"
SOURCE = "McKinley & Mills (1985)"


@one_blas_thread()
def g2(
    calibration: Calibration, *, adjust: str = "holm", alpha: float = 0.05, bins: int = BINS, scoring: str = "EAP"
) -> StatisticTable:
    """G2 of every item: a description, no test.

    Parameters
    ----------
    calibration, adjust, alpha, bins, scoring
        As in :func:`psyirt.diagnostics.items.x2.x2`.

    Returns
    -------
    StatisticTable
        Index item; statistic = 2 sum of o log(o / e) over groups and answers, df = groups with wrong and correct
        answers - the item's free parameters (as in R's mirt), rmsea, n (who answered). No p (``has_null`` is False), no
        flag.

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
    statistic = np.array([each.deviance() for each in cells])
    mixed = np.array([each.mixed for each in cells])
    frame = chi_square_rows(calibration, cells, statistic, mixed)
    return untested_table(frame, NAME, TESTS, SOURCE, NO_NULL, placed.notes)
