"""PV-Q1: Yen's Q1 on plausible values in place of estimates of ability (Chalmers & Ng, 2017)."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from psyirt.data.patterns import Patterns
from psyirt.diagnostics.adjustment import decide
from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.diagnostics.items.ability_cells import BINS, ability_cells, require_bins
from psyirt.diagnostics.items.parametric_bootstrap import bootstrap_p, checked_bootstrap
from psyirt.diagnostics.items.placed_subjects import PlacedSubjects
from psyirt.diagnostics.items.x2 import TESTS, chi_square_rows
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.threads import one_blas_thread
from psyirt.kernels.plausible_values import plausible_values
from psyirt.likelihood import posteriors
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

NAME = "PV-Q1"
SOURCE = "Chalmers & Ng (2017)"
DRAWS = 30
_UPPER_BOUND = (
    "p is an upper bound: a mean over draws spreads less than chi-square, so that items are flagged far less often "
    "than alpha says; replications= gives p by simulation"
)


@one_blas_thread()
def pv_q1(
    calibration: Calibration,
    *,
    adjust: str = "holm",
    alpha: float = 0.05,
    bins: int = BINS,
    draws: int = DRAWS,
    seed: int = 0,
    replications: int | None = None,
    progress: Progress = silent,
) -> StatisticTable:
    """PV-Q1 of every item: Q1 on draws from each subject's posterior, averaged over the draws.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses; missing responses widen a subject's posterior.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the items.
    alpha : float
        Level of the flag.
    bins : int
        Groups of equal size, 3 or more.
    draws : int
        Plausible values per subject, 1 or more.
    seed : int
        What they are drawn from. Draws go by response pattern: the order of subjects has no effect, that of items has.
    replications : int, optional
        With it, p comes from so many simulated data sets (199, say), fitted again; by default from chi-square, which
        is an upper bound: an average over draws spreads less.
    progress : callable, optional
        Receives a ProgressEvent every few replications.

    Returns
    -------
    StatisticTable
        Index item; statistic = mean over draws of Q1, df = groups - the item's free parameters, p of that chi-square,
        rmsea, n (who answered).

    Raises
    ------
    InputError
        If an option is not one of those above.
    NotAvailableError
        If the calibration has no responses.
    """
    require_bins(bins, NAME)
    for name, value, least in (("draws", draws, 1), ("seed", seed, 0)):
        require(value, Integral, name, NAME, "Give a whole number")
        if value < least:
            raise InputError(f"{name} is {value}", NAME, f"Give {least} or more")
    frame = _rows(calibration, bins, int(draws), int(seed))
    statistic = frame["statistic"].to_numpy(float)
    if replications is None:
        p, how = np.asarray(chdtrc(np.maximum(frame["df"], 1.0), statistic)), _UPPER_BOUND
    else:
        options = checked_bootstrap(replications, seed, progress, NAME)

        def one(fit: Calibration) -> Array:
            return _rows(fit, bins, int(draws), int(seed))["statistic"].to_numpy(float)

        p, how = bootstrap_p(calibration, one, statistic, options)
    decision = decide(p, adjust, alpha)
    frame = frame.assign(p=p, p_adjusted=decision.p_adjusted, flag=decision.flag)
    order = ["statistic", "df", "p", "p_adjusted", "rmsea", "n", "flag", "note"]
    note = f"mean of {draws} draws, seed {seed}; another seed gives somewhat other numbers"
    return StatisticTable(frame[order], NAME, TESTS, SOURCE, decision.adjustment, decision.flagged_when, (how, note))


def _rows(calibration: Calibration, bins: int, draws: int, seed: int) -> pd.DataFrame:
    """Statistic, df, rmsea, n and note of every item."""
    total, cells = np.zeros(len(calibration.item_names)), []
    for placed in plausible_subjects(calibration, draws, seed):
        cells = ability_cells(calibration, placed, bins)
        total += [each.pearson() for each in cells]
    groups = np.array([len(each.observed) for each in cells])
    return chi_square_rows(calibration, cells, total / draws, groups)


def plausible_subjects(calibration: Calibration, draws: int, seed: int) -> Iterator[PlacedSubjects]:
    """The subjects with abilities drawn from their posteriors, a set per draw.

    Yields
    ------
    PlacedSubjects
        A pattern of weight w stands as round(w) subjects (at least one), each with a draw of its own.
    """
    patterns = fitted_data(calibration, NAME).patterns
    codes, index = np.unique(patterns.codes, axis=0, return_inverse=True)
    weights = np.bincount(index.ravel(), weights=patterns.weights, minlength=len(codes))
    answered = np.any(codes >= 0, axis=1)
    codes, weights = codes[answered], weights[answered]
    copies = np.maximum(np.round(weights), 1.0).astype(np.int64)
    row = np.repeat(np.arange(len(codes)), copies)
    posterior = [block.weights for block in posteriors(Patterns.of(codes), calibration.table, calibration.log_weights)]
    each = np.concatenate([np.empty((0, len(calibration.log_weights))), *posterior])[row]
    out = np.empty((len(row), 1))
    for stream in np.random.SeedSequence(seed).spawn(draws):
        uniform = np.random.default_rng(stream).random((len(row), 1))
        plausible_values(each, uniform, calibration.grid.low, calibration.grid.spacing, out)
        yield PlacedSubjects(codes[row], (weights / copies)[row], out[:, 0].copy(), ())
