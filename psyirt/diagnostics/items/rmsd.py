"""RMSD: how far the item's observed curve lies from the model's (as in PISA; OECD, 2017, ch. 9)."""

from __future__ import annotations

from numbers import Real

import numpy as np

from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.diagnostics.items.placed_subjects import item_frame
from psyirt.diagnostics.items.untested import check_unused, untested_table
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

NAME = "RMSD"
TESTS = "H0: none; the statistic is the distance, in probability, between the item's observed and expected curve"
SOURCE = "OECD (2017), PISA 2015 technical report, ch. 9; Köhler, Robitzsch & Hartig (2020)"
NO_NULL = (
    "no p-value: an effect size; the observed curve leans towards the model's where tests are short, and chance alone "
    "keeps it above 0 in small samples"
)


@one_blas_thread()
def rmsd(
    calibration: Calibration, *, adjust: str = "holm", alpha: float = 0.05, cutoff: float = 0.12
) -> StatisticTable:
    """RMSD of every item: an effect size, no test.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses; missing responses are simply not counted.
    adjust, alpha
        As for every item-fit statistic; without p-values neither has an effect.
    cutoff : float
        Above it an item is flagged; 0.12 is PISA 2015's for test items, 0 to 1.

    Returns
    -------
    StatisticTable
        Index item; statistic = sqrt(sum_q n_q (r_q / n_q - P_q)^2 / n) with n_q and r_q the expected numbers of
        subjects and of correct answers at node q (pseudo-counts of the E-step) and n all who answered; md, the same
        mean without the square (positive: easier than the model says); n. No p (``has_null`` is False).

    Raises
    ------
    InputError
        If an option is not one of those above.
    NotAvailableError
        If the calibration has no responses.
    """
    check_unused(adjust, alpha)
    require(cutoff, Real, "cutoff", NAME, "Give a number from 0 to 1")
    if not 0.0 <= cutoff <= 1.0:
        raise InputError(f"cutoff is {cutoff}", NAME, "Give a number from 0 to 1")
    data = fitted_data(calibration, NAME)
    counts = calibration.expectation.counts
    at_node = counts.sum(axis=1)
    subjects = at_node.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = at_node / subjects[:, None]
        gap = np.where(at_node > 0.0, counts[:, 1] / at_node - data.correct, 0.0)
        statistic, difference = np.sqrt((share * gap**2).sum(axis=1)), (share * gap).sum(axis=1)
    # expected counts of an item all got right sum to its answers but for rounding
    varies = (data.patterns.codes == 1).any(axis=0) & (data.patterns.codes == 0).any(axis=0)
    statistic, difference = np.where(varies, statistic, np.nan), np.where(varies, difference, np.nan)
    notes = ["" if each else "no variance: all responses are alike" for each in varies]
    frame = item_frame(calibration, {"statistic": statistic, "md": difference, "n": subjects}, notes)
    frame["flag"] = statistic > cutoff
    return untested_table(frame, NAME, TESTS, SOURCE, NO_NULL, flagged_when=f"RMSD > {cutoff:g}")
