"""How strongly each item depends on the ability: slope, loading, communality."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.estimation.item_rest import item_rest_correlations
from psyirt.foundation.arguments import require
from psyirt.models.slope_metric import loading
from psyirt.results.calibration import Calibration


def slopes(calibration: Calibration, *, standard_errors: bool = True) -> pd.DataFrame:
    """Slope, loading, communality and item-rest correlation of every item.

    loading = (a / 1.702) / sqrt(1 + (a / 1.702)^2) is the item's correlation with the ability on the normal-ogive
    metric, communality its square (Takane & de Leeuw, 1987; McDonald, 1999).

    Parameters
    ----------
    calibration : Calibration
        A fit or fixed parameters, one ability.
    standard_errors : bool
        Whether to compute the slopes' standard errors (the costly part); without them there is no column se.

    Returns
    -------
    DataFrame
        Index item; columns a, se, loading, communality, item_rest, note. se is NaN where the slope is fixed or has no
        standard error, item_rest where there are no responses or no variance: the note says which.
    """
    require(calibration, Calibration, "the calibration", "slopes", "Fit one with fit_mml, or use fix")
    a = calibration.item_parameters.slopes[:, 0]
    notes: list[list[str]] = [[] for _ in a]
    columns = {"a": a}
    if standard_errors:
        columns["se"] = calibration.items["se_a"].to_numpy(float)
        for j in np.flatnonzero(np.isnan(columns["se"])):
            notes[j].append(_why_no_error(calibration, int(j)))
    loadings = loading(a)
    columns |= {"loading": loadings, "communality": loadings**2, "item_rest": _item_rest(calibration, notes)}
    frame = pd.DataFrame(columns, index=pd.Index(calibration.item_names, name="item"))
    return frame.assign(note=["; ".join(parts) for parts in notes])


def _item_rest(calibration: Calibration, notes: list[list[str]]) -> NDArray[np.float64]:
    """Item-rest correlations of the fitted responses; where there is none, the note says why."""
    if calibration.patterns is None:
        for note in notes:
            note.append("no item-rest correlation: no responses")
        return np.full(len(notes), np.nan)
    rest = item_rest_correlations(calibration.patterns)
    for j in np.flatnonzero(np.isnan(rest)):
        notes[j].append("no item-rest correlation: the item or the score on the others does not vary")
    return rest


def _why_no_error(calibration: Calibration, item: int) -> str:
    """Why a slope has no standard error."""
    if not calibration.layout.is_free[item, 0]:
        return f"the {calibration.item_types[item].name} slope is fixed: no standard error"
    if calibration.patterns is None:
        return "no standard error: no responses"
    return "no standard error: the information at the estimates does not determine it"
