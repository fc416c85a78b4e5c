"""Does an item need a guessing parameter? One-item-3PL against all-2PL, with the power of the test beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import chi2, norm

from psyirt.diagnostics.adjustment import ADJUSTMENTS, require_level
from psyirt.diagnostics.fitted_data import require_counts
from psyirt.diagnostics.items.held_item import NO_GAIN, HeldItem
from psyirt.errors import InputError
from psyirt.estimation.mml import iterate
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.foundation.arguments import require, require_callable
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.base import Array
from psyirt.models.free_priors import FreePriors
from psyirt.models.item_types import THREE_PL, TWO_PL
from psyirt.models.layout import make_layout
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

# starts for c, as shares of the item's proportion correct: near the boundary, and two clearly inside
_STARTS = (0.05, 0.3, 0.7)
# a likelihood ratio needs the maximum to about 1e-5, not the estimates to five digits
_TOLERANCE = 3e-3
# planning value of c where the number of answer options is unknown
_USUAL_OPTIONS = 5.0


@one_blas_thread()
def guessing_test(
    calibration: Calibration, *, alpha: float = 0.05, adjust: str = "holm", progress: Progress = silent
) -> StatisticTable:
    """Likelihood-ratio test of c = 0 for each item of a 2PL calibration.

    Item by item the 2PL is compared with a model in which that item alone is 3PL, without priors, the best of several
    starts. c = 0 lies on the boundary, so the null distribution is a 50:50 mixture of 0 and chi-square(1)
    (Self & Liang 1987, case 5). On easy items few subjects are low enough to guess, and "not significant" is no
    evidence that nobody does: `power` is the chance that the test, at the first step of Holm's procedure, finds a c of
    1 / options in an item with these a and b, from the expected likelihood ratio with the other items known.

    Parameters
    ----------
    calibration : Calibration
        A 2PL fit with its responses and without priors.
    alpha : float
        Level of the flag, after adjustment.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the items.
    progress : callable, optional
        Receives an event per item.

    Returns
    -------
    StatisticTable
        Index item; statistic, df, p, p_adjusted, c (estimate), power, flag, note.

    Raises
    ------
    InputError
        If the calibration is not an all-2PL fit with responses, or alpha is no level.
    NotAvailableError
        If its weights do not count subjects.
    """
    require(calibration, Calibration, "the calibration", "guessing_test", "Fit one with fit_mml")
    require_level(alpha)
    require_callable(progress, "guessing_test")
    if calibration.patterns is None or calibration.priors or any(kind != TWO_PL for kind in calibration.item_types):
        raise InputError("needs a 2PL fit with responses and without priors", "guessing_test", "Fit one with fit_mml")
    require_counts(calibration, "guessing_test")
    names = calibration.item_names
    options = _options(calibration)
    rows = []
    for j, item in enumerate(names):
        held = HeldItem.of(calibration, j)
        ratio, c = _one_item(calibration, held, j)
        planned = _power(held, calibration.item_parameters.values[j], 1.0 / options[j], alpha / len(names))
        rows.append((ratio, c, planned))
        progress(ProgressEvent("guessing", j + 1, len(names), item))
    ratio, c, power = np.array(rows).T
    p = np.where(ratio > 0, 0.5 * chi2.sf(ratio, 1), 1.0)
    adjustment = ADJUSTMENTS[adjust]
    adjusted = adjustment.apply(p)
    frame = pd.DataFrame(
        {
            "statistic": ratio,
            "df": 1.0,
            "p": p,
            "p_adjusted": adjusted,
            "c": c,
            "power": power,
            "flag": adjusted < alpha,
            "note": [f"power {each:.2f} to find c = {1 / k:.2f}" for each, k in zip(power, options, strict=True)],
        },
        index=pd.Index(names, name="item"),
    )
    return StatisticTable(
        frame=frame,
        name="guessing",
        tests="The null hypothesis: the item's lower asymptote c is 0 (2PL); the alternative: this item alone is 3PL.",
        source="Self & Liang (1987): 50:50 mixture of chi-square(0) and chi-square(1)",
        adjustment=adjustment.description,
        flagged_when=f"adjusted p < {alpha:g}: the item stays 3PL",
    )


def _options(calibration: Calibration) -> Array:
    """Answer options per item, 5 where unknown."""
    responses = calibration.responses
    if responses is None or "n_options" not in responses.item_info.columns:
        return np.full(len(calibration.item_names), _USUAL_OPTIONS)
    known = responses.item_column("n_options")
    return np.array([float(known.get(item, _USUAL_OPTIONS)) for item in calibration.item_names])


def _one_item(calibration: Calibration, held: HeldItem, j: int) -> tuple[float, float]:
    """Likelihood ratio and c of the model in which item j is 3PL.

    Several starts are followed with the other items held; the best of them starts the joint fit. Where none of them
    beats the 2PL, c = 0 is the maximum and the ratio is 0.
    """
    gain, values = _best_with_others_held(held, calibration.item_parameters.values[j])
    if gain <= NO_GAIN:
        return 0.0, 0.0
    patterns = calibration.patterns
    assert patterns is not None
    kinds = list(calibration.item_types)
    kinds[j] = THREE_PL
    layout = make_layout(calibration.item_names, kinds, calibration.layout.slots, free_moments=())
    problem = Problem(
        patterns, calibration.model, layout, FreePriors(layout.size), calibration.grid, calibration.population
    )
    table = calibration.item_parameters.values.copy()
    table[j] = values
    options = MMLOptions(grid=calibration.grid, tolerance=_TOLERANCE, max_iterations=200)
    x, trace, _ = iterate(problem, layout.free(table), options, silent)
    return 2.0 * max(trace[-1].objective - calibration.loglik, 0.0), float(expit(x[layout.index[j, -2]]))


def _best_with_others_held(held: HeldItem, start: Array) -> tuple[float, Array]:
    """Best log-likelihood gain over the 2PL when only (a, intercept, c) of the item move, and its slot values."""
    base = held.log_likelihood(np.array([start[0], start[1], -np.inf]))
    best, values = 0.0, start.copy()
    for share in _STARTS:
        c = share * held.proportion
        # keep the proportion correct where it is: what guessing explains, the curve no longer has to
        without = np.clip((held.proportion - c) / (1.0 - c), 0.01, 0.99)
        shift = logit(without) - logit(np.clip(held.proportion, 0.01, 0.99))
        x, reached = held.climb(np.array([start[0], start[1] + shift, logit(c)]))
        if reached - base > best:
            best = reached - base
            values[[0, 1, -2]] = x
    return best, values


def _power(held: HeldItem, values: Array, c: float, alpha: float) -> float:
    """Chance that the test at `alpha` finds the given c in an item with the estimated a and b.

    The likelihood ratio is taken as noncentral chi-square(1); its noncentrality is the ratio of the expected answers
    under c, against the 2PL that comes closest to them.
    """
    truth = np.array([values[0], values[1], logit(c)])
    expected = held.with_answers(held.chance(truth))
    _, nearest = expected.climb(np.array([values[0], values[1], -np.inf]))
    distance = 2.0 * max(expected.log_likelihood(truth) - nearest, 0.0)
    return float(norm.cdf(np.sqrt(distance) - norm.isf(alpha)))
