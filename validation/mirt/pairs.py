"""Statistics of pairs of items against those of stored fits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from psyirt.diagnostics import local_dependence
from psyirt.results.calibration import Calibration
from validation.mirt.stored import StoredFit, numbers

# quantity -> largest difference that counts as agreement. mirt's fits without an item end at its usual tolerance, short
# of the maximum (plain EM stopped at a change of 1e-4 moves our values towards its own), so JSI agrees less closely
PAIR_BOUNDS = {
    "LD-G2": 1e-3,
    "LD-G2 Cramer's V": 1e-3,
    "Q3": 1e-3,
    "JSI (2PL)": 0.01,
}


def pair_differences(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    """(quantity, largest difference) of one fit."""
    theirs = stored.residuals
    if theirs is None:
        return
    upper = np.triu_indices(len(fit.item_names), 1)
    table = _matrix(theirs["LDG2"])
    ours = local_dependence(fit, "LD-G2").frame
    yield "LD-G2", _largest(ours["g2"], np.abs(table.T[upper]))
    yield "LD-G2 Cramer's V", _largest(ours["cramers_v"], table[upper])
    yield "Q3", _largest(local_dependence(fit, "Q3").frame["statistic"], _matrix(theirs["Q3"])[upper])
    # mirt fits a 1PL without one of its items as a 2PL, and has no JSI of a 3PL with priors
    if stored.model == "2pl" and isinstance(theirs.get("JSI_nofold"), list):
        without = _matrix(theirs["JSI_nofold"])
        both = local_dependence(fit, "JSI").frame
        yield "JSI (2PL)", max(_largest(both["jsi_1"], without.T[upper]), _largest(both["jsi_2"], without[upper]))


def _matrix(rows: list[list[object]]) -> np.ndarray:
    return np.array([numbers(row) for row in rows])


def _largest(ours: object, theirs: np.ndarray) -> float:
    """Largest difference; infinite where only one side is not a number."""
    mine = np.asarray(ours, dtype=float)
    if not np.array_equal(np.isnan(mine), np.isnan(theirs)):
        return float("inf")
    return float(np.nanmax(np.abs(mine - theirs), initial=0.0))
