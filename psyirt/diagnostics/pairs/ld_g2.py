"""LD-G2: the 2 x 2 table of each pair of items against the model's, by the likelihood ratio (Chen & Thissen, 1997)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from psyirt.diagnostics.pairs.cells import POOR_REFERENCE, SOURCE, TESTS, cell_columns
from psyirt.diagnostics.pairs.pair_table import PairTest, pair_table
from psyirt.foundation.progress import Progress, silent
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

NAME = "LD-G2"


def ld_g2(
    calibration: Calibration,
    *,
    adjust: str | None = None,
    alpha: float = 0.05,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> StatisticTable:
    """LD-G2 of every pair, over the subjects who answered both items.

    Parameters
    ----------
    calibration, adjust, alpha, bootstrap, seed, progress
        See :func:`psyirt.diagnostics.pairs.dependence.local_dependence`.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2); statistic = 2 sum O log(O / E), signed as that of LD-X2; cramers_v = sqrt(G2 / n) with
        the same sign; g2, standardized = (G2 - 1) / sqrt 2, and n, the subjects who answered both.
    """
    return pair_table(LD_G2, calibration, adjust, alpha, bootstrap, seed, progress)


def likelihood_ratio(observed: Array, expected: Array) -> Array:
    """2 sum O log(O / E) over the first axis; an empty cell adds nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = observed / expected
    total: Array = 2.0 * xlogy(observed, np.where(observed > 0.0, ratio, 1.0)).sum(axis=0)
    # both tables sum to n, so the true value is no less than 0: what lies below is rounding
    return np.maximum(total, 0.0)


LD_G2 = PairTest(
    NAME,
    TESTS,
    SOURCE,
    lambda calibration: cell_columns(calibration, NAME, "g2", likelihood_ratio),
    extreme="g2",
    has_reference=True,
    notes=(POOR_REFERENCE,),
)
