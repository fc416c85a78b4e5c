"""LD-X2: the 2 x 2 table of each pair of items against the model's, by Pearson's statistic (Chen & Thissen, 1997)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.pairs.cells import POOR_REFERENCE, SOURCE, TESTS, cell_columns
from psyirt.diagnostics.pairs.pair_table import PairTest, pair_table
from psyirt.foundation.progress import Progress, silent
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

NAME = "LD-X2"


def ld_x2(
    calibration: Calibration,
    *,
    adjust: str | None = None,
    alpha: float = 0.05,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> StatisticTable:
    """LD-X2 of every pair, over the subjects who answered both items.

    Parameters
    ----------
    calibration, adjust, alpha, bootstrap, seed, progress
        See :func:`psyirt.diagnostics.pairs.dependence.local_dependence`.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2); statistic is signed: positive where the pair is more associated than the model says
        (gamma observed - gamma expected, 0 counts as positive), and so is cramers_v = sqrt(X2 / n). Also x2,
        standardized = (X2 - 1) / sqrt 2 (10 counts as large in the IRTPRO guide, Cai, Thissen & du Toit 2011), and n,
        the subjects who answered both.
    """
    return pair_table(LD_X2, calibration, adjust, alpha, bootstrap, seed, progress)


def pearson(observed: Array, expected: Array) -> Array:
    """Sum of (O - E)^2 / E over the first axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (observed - expected) ** 2 / expected
    # a cell the model rules out adds nothing where it is empty, and refutes the model where it is not
    total: Array = np.where((expected == 0.0) & (observed == 0.0), 0.0, terms).sum(axis=0)
    return total


LD_X2 = PairTest(
    NAME,
    TESTS,
    SOURCE,
    lambda calibration: cell_columns(calibration, NAME, "x2", pearson),
    extreme="x2",
    has_reference=True,
    notes=(POOR_REFERENCE,),
)
