"""Item-fit statistics against those of stored fits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from psyirt.diagnostics import item_fit, s_x2_cells
from psyirt.results.calibration import Calibration
from validation.mirt.stored import StoredFit, numbers

# mirt's smallest p (1 - p) in infit and outfit
_FLOOR = 10.0**-2.5

# quantity -> largest difference that counts as agreement. X2 and G2 only where no two subjects have the same estimate:
# mirt parts equal ones by the order of rows and the last digits of their sums
ITEM_FIT_BOUNDS = {
    "S-X2 p": 1e-3,
    "S-X2 RMSEA": 1e-3,
    "S-X2, cells of 5": 1e-3,
    "S-X2 cells, expected before pooling": 1e-3,
    "infit and outfit (EAP), floored as in mirt": 1e-3,
    "their z": 1e-3,
    "infit and outfit (WLE), floored as in mirt": 1e-3,
    "infit and outfit (ML, no asymptotes), floored as in mirt": 1e-3,
    "infit and outfit (EAP), no floor": 0.06,
    "X2 (EAP, untied)": 1e-3,
    "X2 df (untied)": 0.0,
    "G2 (EAP, untied)": 1e-3,
    "G2 df (untied)": 0.0,
}


def item_fit_differences(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    """(quantity, largest difference) of one fit."""
    theirs = stored.item_fit
    if theirs is None:
        return
    ours = item_fit(fit).frame
    yield "S-X2 p", largest(ours["p"], theirs["S_X2"]["p.S_X2"])
    yield "S-X2 RMSEA", largest(ours["rmsea"], theirs["S_X2"]["RMSEA.S_X2"])
    cells = item_fit(fit, min_expected=5).frame
    yield "S-X2, cells of 5", largest(cells["statistic"], theirs["S_X2_mincell5"]["S_X2"])
    for table in theirs["S_X2_tables"]:
        expected = np.array([numbers(row) for row in table["E_org"]])
        mine = s_x2_cells(fit, table["item"], pooled=False)[["expected_wrong", "expected_correct"]].to_numpy()
        kept = expected.sum(axis=1) > 0.0  # mirt keeps the scores nobody reached, as zeros
        yield "S-X2 cells, expected before pooling", largest(mine.ravel(), expected[kept].ravel())
    yield from _mean_squares(fit, stored)
    if stored.data_set.startswith(("sat12", "sim")) and stored.model not in ("rasch", "1pl"):
        grouped = theirs["X2_G2_EAP"]
        for name in ("X2", "G2"):
            table = item_fit(fit, name).frame
            # mirt has a value where there are no degrees of freedom
            there = numbers(grouped[f"df.{name}"]) > 0
            yield f"{name} (EAP, untied)", largest(table["statistic"][there], numbers(grouped[name])[there])
            yield f"{name} df (untied)", largest(table["df"], grouped[f"df.{name}"])


def _mean_squares(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    assert stored.item_fit is not None
    for scoring in ("EAP", "WLE", "ML"):
        # a pattern that guessing explains best has its ML estimate at minus infinity; mirt stops at a lower peak
        if scoring == "ML" and stored.model.startswith("3pl"):
            continue
        where = " (ML, no asymptotes)" if scoring == "ML" else f" ({scoring})"
        theirs = stored.item_fit[f"infit_{scoring}"]
        for name in ("infit", "outfit"):
            floored = item_fit(fit, name, scoring=scoring, min_variance=_FLOOR).frame
            yield f"infit and outfit{where}, floored as in mirt", largest(floored["statistic"], theirs[name])
            yield "their z", largest(floored["z"], theirs[f"z.{name}"])
            if scoring == "EAP":
                plain = item_fit(fit, name).frame
                yield "infit and outfit (EAP), no floor", largest(plain["statistic"], theirs[name])


def largest(ours: object, theirs: object) -> float:
    """Largest difference; infinite where only one side is not a number."""
    mine, their = np.asarray(ours, dtype=float), numbers(theirs)  # type: ignore[arg-type]
    if mine.shape != their.shape or not np.array_equal(np.isnan(mine), np.isnan(their)):
        return float("inf")
    return float(np.nanmax(np.abs(mine - their), initial=0.0))
