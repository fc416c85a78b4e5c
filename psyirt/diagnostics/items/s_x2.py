"""S-X2: observed against expected proportions correct at each sum score (Orlando & Thissen, 2000)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from psyirt.diagnostics.adjustment import decide
from psyirt.diagnostics.fitted_data import FittedData, fitted_data
from psyirt.diagnostics.items.parametric_bootstrap import Bootstrap, bootstrap_p, checked_bootstrap
from psyirt.diagnostics.items.rest_score_test import (
    GROUPS,
    coarse_nodes_note,
    fit_at,
    prior_curvature,
    rest_score_tests,
)
from psyirt.diagnostics.items.score_cells import ScoreCells, score_cells
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.layout import MOMENTS
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]
MissingRule = Literal["rest-score", "bootstrap", "complete-rows", "not-valid"]

NAME = "S-X2"
TESTS = "H0: among subjects with the same sum score, the item is answered correctly as often as the model says"
SOURCE = "Orlando & Thissen (2000); item RMSEA after Steiger (1990)"
TESTS_REST = (
    "H0: among subjects whose other answers say the same of their ability, the item is answered correctly as often as "
    "the model says"
)
SOURCE_REST = f"{SOURCE}; groups by posterior ability, null by Chernoff & Lehmann (1954) and Satterthwaite (1946)"
_NUMBERS = ("statistic", "df", "p", "rmsea", "rows")
_GIVEN = (
    "parameters were given: they are taken as estimated from these responses, and cost degrees of freedom; if they "
    "come from elsewhere, say known=True"
)


@one_blas_thread()
def s_x2(
    calibration: Calibration,
    *,
    adjust: str = "holm",
    alpha: float = 0.05,
    min_expected: float = 1.0,
    missing: MissingRule = "rest-score",
    groups: int = GROUPS,
    replications: int | None = None,
    seed: int | None = None,
    known: bool = False,
    progress: Progress = silent,
) -> StatisticTable:
    """S-X2 of every item.

    Neighbouring scores are pooled until every expected count is at least `min_expected` (see
    ``psyirt.kernels.cell_pooling.pool_cells``). df = pooled rows - the item's free parameters - free latent
    parameters; a slope shared by all items counts in each.

    Where any response is missing, sum scores are not comparable. Subjects are then grouped by what their other
    answers, whichever they are, say of their ability, and all of them are used: see
    :func:`psyirt.diagnostics.items.rest_score_test.rest_score_tests`. It holds where responses are missing by design or
    at random; docs/explanation/diagnostics.md has its size, also where missing depends on ability.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the items.
    alpha : float
        Level of the flag.
    min_expected : float
        Smallest expected count left unpooled, above 0.
    missing : {"rest-score", "bootstrap", "complete-rows", "not-valid"}
        What to do where a response is missing (without, all are the same).
        "rest-score": groups by posterior ability; df is no whole number.
        "bootstrap": the same statistic, p from answers simulated under the fitted model with the same responses
        missing, the items fitted again to each (fixed parameters are not).
        "complete-rows": sum scores of the subjects without a missing response; the note says how many they are.
        That is valid only if responses are missing completely at random.
        "not-valid": no statistic for any item, and header and notes say so.
    groups : int
        Groups of "rest-score" and "bootstrap" before pooling, 2 or more.
    replications, seed : int, optional
        Of "bootstrap" alone: how many simulated data sets (199 by default) and what they are drawn from (required).
        p is at least 1 / (replications + 1), before it is adjusted.
    known : bool
        Whether the parameters are known from elsewhere and not estimated from these responses, as those of a bank that
        is tried on new people: nothing is then taken off the degrees of freedom. By default they count as estimated,
        those given to ``fix`` too, and a note says so.
    progress : callable, optional
        Receives a ProgressEvent per replication.

    Returns
    -------
    StatisticTable
        Index item; also columns rows (after pooling) and rmsea = sqrt((S-X2 / df - 1) / (N - 1)), 0 where negative.

    Raises
    ------
    InputError
        If an option is not one of those above, or belongs to another way to treat missing responses.
    NotAvailableError
        If the calibration has no responses, or weights are not whole numbers and a bootstrap was asked for.
    """
    check_options(min_expected, missing, groups)
    require(known, (bool, np.bool_), "known", NAME, "Give True or False")
    bootstrap = _bootstrap_options(missing, replications, seed, progress)
    data = fitted_data(calibration, NAME)
    complete = np.all(data.patterns.codes >= 0, axis=1)
    refusal = missing_note(data, complete)
    tests, source = TESTS, SOURCE
    notes: tuple[str, ...] = ()
    if not refusal:
        frame = _rows(calibration, score_cells(data, complete, min_expected), known)
    elif missing in ("rest-score", "bootstrap"):
        tests, source = TESTS_REST, SOURCE_REST
        frame = _rest_rows(calibration, groups, min_expected, known)
        notes = (f"{refusal}: groups by the ability that the other answers say, every subject used",)
        notes += tuple(filter(None, [coarse_nodes_note(calibration)]))
        if bootstrap is not None:
            frame["p"], how = _bootstrap(calibration, frame["p"].to_numpy(float), groups, min_expected, bootstrap)
            notes = (*notes, how)
    elif missing == "complete-rows" and complete.any():
        frame = _rows(calibration, score_cells(data, complete, min_expected), known)
        notes = (f"on complete rows only: {refusal}; valid only if they are missing completely at random",)
        frame["note"] = ["; ".join(filter(None, (note, *notes))) for note in frame["note"]]
    else:
        notes = (f"not valid: {refusal}",)
        frame = _no_statistic(calibration, notes[0])
    if calibration.status == "fixed" and not known and frame["p"].notna().any():
        notes = (*notes, _GIVEN)
    decision = decide(frame["p"].to_numpy(float), adjust, alpha)
    frame = frame.assign(p_adjusted=decision.p_adjusted, flag=decision.flag)
    order = ["statistic", "df", "p", "p_adjusted", "rmsea", "rows", "flag", "note"]
    return StatisticTable(frame[order], NAME, tests, source, decision.adjustment, decision.flagged_when, notes)


def check_options(min_expected: float, missing: str, groups: int) -> None:
    """Refuse options that are not what the docstring lists."""
    require(min_expected, Real, "min_expected", NAME, "Give a number above 0, e.g. 1 or 5")
    if not min_expected > 0.0:
        raise InputError(f"min_expected is {min_expected}", NAME, "Give a number above 0, e.g. 1 or 5")
    if missing not in get_args(MissingRule):
        raise InputError(f"missing is {missing!r}", NAME, f"Known: {', '.join(get_args(MissingRule))}")
    require(groups, Integral, "groups", NAME, "Give a whole number, 2 or more")
    if groups < 2:
        raise InputError(f"groups is {groups}", NAME, "Give 2 or more")


def _bootstrap_options(
    missing: str, replications: int | None, seed: int | None, progress: Progress
) -> Bootstrap | None:
    """The bootstrap that was asked for, if any; its options without it are refused."""
    if missing == "bootstrap":
        return checked_bootstrap(replications, seed, progress, "missing='bootstrap'")
    for name, value in (("replications", replications), ("seed", seed)):
        if value is not None:
            raise InputError(f"{name} without missing='bootstrap'", NAME, "Leave it out, or ask for the bootstrap")
    return None


def _bootstrap(
    calibration: Calibration, p: Array, groups: int, min_expected: float, options: Bootstrap
) -> tuple[Array, str]:
    """p by simulation; what is compared is 1 - p, since statistics on different numbers of groups are not alike."""

    def one(fit: Calibration) -> Array:
        tests = rest_score_tests(fit_at(fit), prior_curvature(fit), groups, min_expected)
        return 1.0 - np.array([each.p for each in tests])

    return bootstrap_p(calibration, one, 1.0 - p, options)


def missing_note(data: FittedData, complete: NDArray[np.bool_]) -> str:
    """How many subjects have missing responses; empty if none has."""
    if complete.all():
        return ""
    total = data.patterns.total
    return f"{data.patterns.weights[~complete].sum():g} of {total:g} subjects have missing responses"


def _no_statistic(calibration: Calibration, note: str) -> pd.DataFrame:
    """No statistic for any item, and why."""
    frame = pd.DataFrame(np.nan, index=pd.Index(calibration.item_names, name="item"), columns=list(_NUMBERS))
    return frame.assign(note=note)


def _rows(calibration: Calibration, cells: ScoreCells, known: bool) -> pd.DataFrame:
    """Statistic, df, p, RMSEA, pooled rows and note of every item."""
    if cells.impossible:
        scores = ", ".join(map(str, cells.impossible))
        return _no_statistic(
            calibration, f"not valid: the model gives no probability to observed sum scores ({scores})"
        )
    layout = calibration.layout
    free = layout.is_free.sum(axis=1) + sum(name in MOMENTS for name in layout.free_moments)
    free = np.zeros_like(free) if known else free
    pooled = cells.pooled()
    rows = pooled.rows.astype(float)
    note = np.full(len(free), "", dtype=object)
    for j in np.flatnonzero(rows <= free):
        note[j] = f"no degrees of freedom: {pooled.rows[j]} rows after pooling, {free[j]} free parameters"
    note[~cells.varies] = "no variance: all responses are alike"
    chi_square = np.where(note == "", pooled.chi_square(), np.nan)
    df = rows - free
    p = np.asarray(chdtrc(np.maximum(df, 1.0), chi_square))
    return _frame(calibration, np.stack([chi_square, df, p, rows, np.full(len(free), cells.subjects)]), note)


def _rest_rows(calibration: Calibration, groups: int, min_expected: float, known: bool) -> pd.DataFrame:
    """The same from groups by posterior ability."""
    tests = rest_score_tests(fit_at(calibration), prior_curvature(calibration), groups, min_expected, known)
    numbers = np.array([[each.statistic, each.df, each.p, each.rows, each.subjects] for each in tests]).T
    return _frame(calibration, numbers, np.array([each.note for each in tests], dtype=object))


def _frame(calibration: Calibration, numbers: Array, note: NDArray[np.object_]) -> pd.DataFrame:
    """The table's rows from (5, J) numbers: statistic, df, p, rows, and the subjects that RMSEA is taken of."""
    statistic, df, p, rows, subjects = numbers
    tested = ~np.isnan(statistic)
    rmsea = np.full(len(statistic), np.nan)
    excess = np.maximum(statistic[tested] / df[tested] - 1.0, 0.0)
    rmsea[tested] = np.sqrt(excess / (subjects[tested] - 1.0))
    columns = dict(zip(_NUMBERS, (statistic, df, p, rmsea, rows), strict=True))
    return pd.DataFrame(columns, index=pd.Index(calibration.item_names, name="item")).assign(note=note)
