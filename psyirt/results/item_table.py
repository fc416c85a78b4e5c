"""The table of items: estimates, standard errors and what to know about each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psyirt.models.base import Array
from psyirt.models.slope_metric import RUNAWAY_SLOPE
from psyirt.results.covariance import Covariance

if TYPE_CHECKING:
    from psyirt.results.calibration import Calibration

# a parameter whose posterior is hardly narrower than its prior was not learnt from the data
_PRIOR_DOMINATES = 0.9


def item_table(calibration: Calibration, covariance: Covariance | None) -> pd.DataFrame:
    """Build ``Calibration.items``.

    Parameters
    ----------
    calibration : Calibration
        The fit.
    covariance : Covariance or None
        Standard errors, or None where there are no data or nothing was estimated.

    Returns
    -------
    DataFrame
        Index item; see ``Calibration.items``.
    """
    parameters = calibration.item_parameters
    slopes = calibration.layout.slots[:-3]
    columns: dict[str, Array] = {name: parameters.slopes[:, k] for k, name in enumerate(slopes)}
    if parameters.dimensions == 1:
        columns["b"] = parameters.difficulties
    columns |= {"c": parameters.lower, "d": parameters.upper, "intercept": parameters.intercepts}
    if covariance is not None:
        variances = np.diagonal(covariance.item_blocks, axis1=1, axis2=2)
        free = calibration.layout.is_free
        errors = np.sqrt(np.where(free, variances, np.nan))
        by_slot = {name: errors[:, k] for k, name in enumerate(calibration.layout.slots)}
        if parameters.dimensions == 1:
            by_slot["b"] = _difficulty_errors(calibration, covariance)
    else:
        by_slot = {}
    nothing = np.full(len(parameters), np.nan)
    columns |= {f"se_{name}": by_slot.get(name, nothing) for name in list(columns)}
    frame = pd.DataFrame(columns, index=pd.Index(parameters.item_names, name="item"))
    frame["model"] = [kind.name for kind in calibration.item_types]
    frame["n"] = _answered(calibration)
    frame["note"] = ["; ".join(parts) for parts in item_notes(calibration, covariance)]
    return frame


def _difficulty_errors(calibration: Calibration, covariance: Covariance) -> Array:
    """Delta method for b = -intercept / a; NaN where the item estimates neither or the slope is 0."""
    slope, intercept = calibration.item_parameters.slopes[:, 0], calibration.item_parameters.intercepts
    with np.errstate(divide="ignore", invalid="ignore"):
        gradient = np.stack([intercept / slope**2, -1.0 / slope], axis=1)
        variance = np.einsum("js,jst,jt->j", gradient, covariance.item_blocks[:, :2, :2], gradient)
    free = calibration.layout.is_free[:, :2].any(1)
    return np.sqrt(np.where(free, variance, np.nan))


def _answered(calibration: Calibration) -> Array:
    """Weighted number of responses per item, NaN without data."""
    if calibration.patterns is None:
        return np.full(len(calibration.item_names), np.nan)
    return calibration.patterns.answer_counts()[0]


def item_notes(calibration: Calibration, covariance: Covariance | None) -> list[list[str]]:
    """What to know about each item, each thing once.

    Parameters
    ----------
    calibration, covariance
        As in :func:`item_table`.

    Returns
    -------
    list of list of str
        A list for each item, empty where there is nothing to say; details of the item stand in brackets at the end.
    """
    notes: list[list[str]] = [[] for _ in calibration.item_names]
    layout = calibration.layout
    for j, slope in enumerate(np.abs(calibration.item_parameters.slopes).max(1)):
        if slope > RUNAWAY_SLOPE:
            notes[j].append("slope runs away: the data separate right from wrong; a prior on a would bound it")
    if covariance is not None:
        dominated = _prior_dominated(calibration, covariance)
        for j, at in enumerate(layout.index):
            for position in at[at >= 0]:
                notes[j] += [covariance.problems[p] for p in (int(position),) if p in covariance.problems]
                notes[j] += [dominated[p] for p in (int(position),) if p in dominated]
    # several parameters of an item may share a problem
    return [list(dict.fromkeys(parts)) for parts in notes]


def _prior_dominated(calibration: Calibration, covariance: Covariance) -> dict[int, str]:
    """Parameters whose posterior sd exceeds .9 of their prior's sd, both on the prior's own scale."""
    found = {}
    natural = calibration.params.to_numpy()
    for prior, places in calibration.priors.placed:
        for at in places:
            error = np.sqrt(covariance.variances[at])
            if prior.scale == "logit":
                error = error / (natural[at] * (1.0 - natural[at]))
            ratio = error / prior.sd
            if ratio > _PRIOR_DOMINATES:
                slot = calibration.layout.names[at][0]
                found[int(at)] = f"{slot} is dominated by its prior (posterior sd / prior sd = {ratio:.2f})"
    return found
