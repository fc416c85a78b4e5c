"""S-X2: observed against expected proportions correct at each sum score (Orlando & Thissen, 2000)."""

from __future__ import annotations

from numbers import Real
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from psyirt.diagnostics.adjustment import decide
from psyirt.diagnostics.fitted_data import FittedData, fitted_data
from psyirt.diagnostics.items.score_cells import ScoreCells, score_cells
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.layout import MOMENTS
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

MissingRule = Literal["not-valid", "complete-rows"]

NAME = "S-X2"
TESTS = "H0: among subjects with the same sum score, the item is answered correctly as often as the model says"
SOURCE = "Orlando & Thissen (2000); item RMSEA after Steiger (1990)"
_NUMBERS = ("statistic", "df", "p", "rmsea", "rows")


@one_blas_thread()
def s_x2(
    calibration: Calibration,
    *,
    adjust: str = "holm",
    alpha: float = 0.05,
    min_expected: float = 1.0,
    missing: MissingRule = "not-valid",
) -> StatisticTable:
    """S-X2 of every item.

    Neighbouring scores are pooled until every expected count is at least `min_expected` (see
    ``psyirt.kernels.cell_pooling.pool_cells``). df = pooled rows - the item's free parameters - free latent
    parameters; a slope shared by all items counts in each.

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
    missing : {"not-valid", "complete-rows"}
        With missing responses sum scores are not comparable. "not-valid": a single missing response leaves no item
        a statistic, and header and notes say so.
        "complete-rows": from the subjects without a missing response; the note says how many they are. That is
        valid only if responses are missing completely at random.

    Returns
    -------
    StatisticTable
        Index item; also columns rows (after pooling) and rmsea = sqrt((S-X2 / df - 1) / (N - 1)), 0 where negative.

    Raises
    ------
    InputError
        If an option is not one of those above.
    NotAvailableError
        If the calibration has no responses.
    """
    _check_options(min_expected, missing)
    data = fitted_data(calibration, NAME)
    complete = np.all(data.patterns.codes >= 0, axis=1)
    refusal = _missing_note(data, complete)
    notes: tuple[str, ...] = ()
    if refusal and (missing == "not-valid" or not complete.any()):
        notes = (f"not valid: {refusal}",)
        frame = _no_statistic(calibration, notes[0])
    else:
        frame = _rows(calibration, score_cells(data, complete, min_expected))
        if refusal:
            notes = (f"on complete rows only: {refusal}; valid only if they are missing completely at random",)
            frame["note"] = ["; ".join(filter(None, (note, *notes))) for note in frame["note"]]
    decision = decide(frame["p"].to_numpy(float), adjust, alpha)
    frame = frame.assign(p_adjusted=decision.p_adjusted, flag=decision.flag)
    order = ["statistic", "df", "p", "p_adjusted", "rmsea", "rows", "flag", "note"]
    return StatisticTable(frame[order], NAME, TESTS, SOURCE, decision.adjustment, decision.flagged_when, notes)


@one_blas_thread()
def s_x2_cells(
    calibration: Calibration,
    item: str,
    *,
    pooled: bool = True,
    min_expected: float = 1.0,
    missing: MissingRule = "not-valid",
) -> pd.DataFrame:
    """The observed and expected counts behind one item's S-X2.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    item : str
        Its name.
    pooled : bool
        Rows as S-X2 uses them; otherwise one row per sum score that anybody reached.
    min_expected, missing
        As in :func:`s_x2`.

    Returns
    -------
    DataFrame
        Index score (the lowest of a pooled row); columns score_to (the highest), subjects, wrong, correct,
        expected_wrong, expected_correct.

    Raises
    ------
    InputError
        If the item is unknown, an option is not allowed, or responses are missing and `missing` is "not-valid".
    NotAvailableError
        If the calibration has no responses.
    """
    _check_options(min_expected, missing)
    if item not in calibration.item_names:
        raise InputError(f"no item {item!r}", "S-X2 cells", "Check the item names")
    data = fitted_data(calibration, NAME)
    complete = np.all(data.patterns.codes >= 0, axis=1)
    refusal = _missing_note(data, complete)
    if refusal and missing == "not-valid":
        raise InputError(refusal, "S-X2 cells", "Give missing='complete-rows' to use the others")
    cells = score_cells(data, complete, min_expected)
    at = calibration.item_names.index(item)
    reached = cells.pooled_row[at] >= 0
    score = np.flatnonzero(reached) + 1
    observed, expected = cells.observed[at, reached], cells.expected[at, reached]
    frame = pd.DataFrame(
        {
            "score": score,
            "score_to": score,
            "subjects": observed.sum(axis=1),
            "wrong": observed[:, 0],
            "correct": observed[:, 1],
            "expected_wrong": expected[:, 0],
            "expected_correct": expected[:, 1],
        }
    )
    if pooled:
        how = dict.fromkeys(frame.columns, "sum") | {"score": "min", "score_to": "max"}
        frame = frame.groupby(cells.pooled_row[at, reached]).agg(how)
    return frame.set_index("score")


def _check_options(min_expected: float, missing: str) -> None:
    """Refuse options that are not what the docstring lists."""
    require(min_expected, Real, "min_expected", NAME, "Give a number above 0, e.g. 1 or 5")
    if not min_expected > 0.0:
        raise InputError(f"min_expected is {min_expected}", NAME, "Give a number above 0, e.g. 1 or 5")
    if missing not in get_args(MissingRule):
        raise InputError(f"missing is {missing!r}", NAME, f"Known: {', '.join(get_args(MissingRule))}")


def _missing_note(data: FittedData, complete: NDArray[np.bool_]) -> str:
    """How many subjects have missing responses; empty if none has."""
    if complete.all():
        return ""
    total = data.patterns.total
    return f"{data.patterns.weights[~complete].sum():g} of {total:g} subjects have missing responses"


def _no_statistic(calibration: Calibration, note: str) -> pd.DataFrame:
    """No statistic for any item, and why."""
    frame = pd.DataFrame(np.nan, index=pd.Index(calibration.item_names, name="item"), columns=list(_NUMBERS))
    return frame.assign(note=note)


def _rows(calibration: Calibration, cells: ScoreCells) -> pd.DataFrame:
    """Statistic, df, p, RMSEA, pooled rows and note of every item."""
    if cells.impossible:
        scores = ", ".join(map(str, cells.impossible))
        return _no_statistic(
            calibration, f"not valid: the model gives no probability to observed sum scores ({scores})"
        )
    layout = calibration.layout
    free = layout.is_free.sum(axis=1) + sum(name in MOMENTS for name in layout.free_moments)
    chi_square, rows = np.full(len(free), np.nan), np.zeros(len(free))
    notes = [""] * len(free)
    for j in range(len(free)):
        observed, expected = cells.pooled(j)
        rows[j] = len(observed)
        if not cells.varies[j]:
            notes[j] = "no variance: all responses are alike"
        elif rows[j] <= free[j]:
            notes[j] = f"no degrees of freedom: {len(observed)} rows after pooling, {free[j]} free parameters"
        else:
            chi_square[j] = float(((observed - expected) ** 2 / expected).sum())
    df = rows - free
    valid = ~np.isnan(chi_square)
    p, rmsea = np.full(len(free), np.nan), np.full(len(free), np.nan)
    p[valid] = chdtrc(df[valid], chi_square[valid])
    excess = np.maximum(chi_square[valid] / df[valid] - 1.0, 0.0)
    rmsea[valid] = np.sqrt(excess / (cells.subjects - 1.0))
    numbers = dict(zip(_NUMBERS, (chi_square, df, p, rmsea, rows), strict=True))
    return pd.DataFrame(numbers, index=pd.Index(calibration.item_names, name="item")).assign(note=notes)
