"""The observed and expected counts behind one item's S-X2."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.diagnostics.fitted_data import FittedData, fitted_data
from psyirt.diagnostics.items.rest_posterior import RestPosterior
from psyirt.diagnostics.items.rest_score_test import GROUPS, fit_at, rest_score_cells
from psyirt.diagnostics.items.s_x2 import NAME, MissingRule, check_options, missing_note
from psyirt.diagnostics.items.score_cells import score_cells
from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration


@one_blas_thread()
def s_x2_cells(
    calibration: Calibration,
    item: str,
    *,
    pooled: bool = True,
    min_expected: float = 1.0,
    missing: MissingRule = "rest-score",
    groups: int = GROUPS,
) -> pd.DataFrame:
    """The observed and expected counts behind one item's S-X2.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    item : str
        Its name.
    pooled : bool
        Rows as S-X2 uses them; otherwise one row per sum score that anybody reached. Of responses with gaps there are
        pooled groups alone.
    min_expected, missing, groups
        As in :func:`psyirt.diagnostics.items.s_x2.s_x2`.

    Returns
    -------
    DataFrame
        Index score (the lowest of a pooled row); columns score_to (the highest), subjects, wrong, correct,
        expected_wrong, expected_correct. With missing responses index group, and ability (the group's mean, as the
        other answers say) in place of score_to.

    Raises
    ------
    InputError
        If the item is unknown, an option is not allowed, or responses are missing and `missing` is "not-valid".
    NotAvailableError
        If the calibration has no responses.
    """
    check_options(min_expected, missing, groups)
    if item not in calibration.item_names:
        raise InputError(f"no item {item!r}", "S-X2 cells", "Check the item names")
    data = fitted_data(calibration, NAME)
    at = calibration.item_names.index(item)
    complete = np.all(data.patterns.codes >= 0, axis=1)
    refusal = missing_note(data, complete)
    if refusal and missing in ("rest-score", "bootstrap"):
        return _by_ability(calibration, at, groups, min_expected)
    if refusal and missing == "not-valid":
        raise InputError(refusal, "S-X2 cells", "Give missing='rest-score'")
    return _by_score(data, complete, at, min_expected, pooled)


def _by_ability(calibration: Calibration, at: int, groups: int, min_expected: float) -> pd.DataFrame:
    """Groups by posterior ability."""
    cells = rest_score_cells(RestPosterior(fit_at(calibration)).item(at), groups, min_expected)
    return pd.DataFrame(
        {
            "ability": cells.ability,
            "subjects": cells.observed.sum(axis=1),
            "wrong": cells.observed[:, 0],
            "correct": cells.observed[:, 1],
            "expected_wrong": cells.expected[:, 0],
            "expected_correct": cells.expected[:, 1],
        },
        index=pd.RangeIndex(1, len(cells.ability) + 1, name="group"),
    )


def _by_score(data: FittedData, complete: np.ndarray, at: int, min_expected: float, pooled: bool) -> pd.DataFrame:
    """Sum scores of the complete rows."""
    cells = score_cells(data, complete, min_expected)
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
