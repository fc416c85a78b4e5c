"""A calibration as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from psyirt.data.columns import listed
from psyirt.models.layout import MOMENTS
from psyirt.results.item_table import item_notes, item_table
from psyirt.results.weighting import SAMPLING

if TYPE_CHECKING:
    import pandas as pd

    from psyirt.results.calibration import Calibration

# printing must stay short for banks of thousands of items
_ROWS_SHOWN = 60


def summary_text(calibration: Calibration, with_items: bool = True) -> str:
    """Fit, convergence, items and notes.

    Parameters
    ----------
    calibration : Calibration
        What to describe.
    with_items : bool
        Whether to add the table of items.

    Returns
    -------
    str
    """
    lines = [f"{calibration.model_name} calibration of {len(calibration.item_names)} items"]
    if calibration.patterns is None:
        lines.append("parameters fixed, no responses given")
    else:
        lines += [
            f"subjects         {_subjects(calibration)}",
            f"log-likelihood   {calibration.loglik:.4f}",
            f"parameters       {calibration.n_parameters}",
        ]
        lines.append(_criteria(calibration))
        if calibration.priors:
            lines.append(f"log-prior        {calibration.log_prior:.4f} (not part of the log-likelihood)")
        lines.append(_ending(calibration))
    lines.append(_latent(calibration))
    lines += [f"set aside: {item} ({reason})" for item, reason in calibration.set_aside.items()]
    of_errors = calibration.default_cov.notes if calibration.has_quick_errors else ()
    notes = dict.fromkeys((*calibration.notes, *of_errors, *_notes_on_items(calibration)))
    lines += [f"note: {note}" for note in notes]
    if with_items:
        table = shown_items(calibration)
        lines += ["", table.round(3).to_string(max_rows=_ROWS_SHOWN)]
        if calibration.has_quick_errors:
            found = any(str(name).startswith("se_") for name in table)
            kind = calibration.default_cov.kind
            lines.append(f"standard errors: {kind if found else 'not available, the notes say why'}")
        elif calibration.patterns is not None and calibration.n_parameters:
            lines.append("standard errors: not computed yet (they take a while); .items computes them")
    return "\n".join(lines)


def shown_items(calibration: Calibration) -> pd.DataFrame:
    """The table of items; without standard errors where printing would have to wait for them, and without notes.

    A note that many items share is said once, above the table. Standard errors and counts that no item has are left
    out; whole counts are whole numbers.
    """
    table = calibration.items if calibration.has_quick_errors else item_table(calibration, None)
    may_lack = [name for name in table if name == "n" or str(name).startswith("se_")]
    table = table.drop(columns=["note", *(name for name in may_lack if table[name].isna().all())])
    if "n" in table and (table["n"] % 1 == 0).all():
        table["n"] = table["n"].astype("int64")
    return table


def _subjects(calibration: Calibration) -> str:
    """How many they are; with sampling weights that is not the weights' sum."""
    if calibration.patterns is None or calibration.weights_kind != SAMPLING:
        return _count(calibration.nobs)
    return f"{len(calibration.patterns.index)} (sampling weights, sum {_count(calibration.nobs)})"


def _count(value: float) -> str:
    """A sum of weights, whole if it is: also beyond a million, where "g" would round it."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}"


def _notes_on_items(calibration: Calibration) -> list[str]:
    """The notes on items, each with the items it is about."""
    covariance = calibration.default_cov if calibration.has_quick_errors else None
    about: dict[str, list[str]] = {}
    for item, notes in zip(calibration.item_names, item_notes(calibration, covariance), strict=True):
        for note in notes:
            about.setdefault(note.partition(" (")[0], []).append(item)
    return [f"{listed(items)}: {note}" for note, items in about.items()]


def _ending(calibration: Calibration) -> str:
    """How the iteration ended, in words."""
    if not calibration.trace:
        return f"status           {calibration.status}"
    last = calibration.trace[-1]
    ending = f"{calibration.status} after {calibration.iterations} iterations (gradient {last.gradient:.1e} SE)"
    return f"status           {ending}"


def _criteria(calibration: Calibration) -> str:
    """AIC and its kin, where there are any."""
    if math.isnan(calibration.aic):
        return "AIC, BIC, SABIC not available, the notes say why"
    return f"AIC {calibration.aic:.2f}   BIC {calibration.bic:.2f}   SABIC {calibration.sabic:.2f}"


def _latent(calibration: Calibration) -> str:
    """The ability density, with the standard errors of what is free in it."""
    text = f"ability          {calibration.population.text}"
    for moment in (name for name in calibration.layout.free_moments if name in MOMENTS):
        text += f", {moment} estimated"
        if calibration.has_quick_errors:
            error = float(calibration.bse[(moment, "")])
            text += ", SE not available" if math.isnan(error) else f", SE {error:.4g}"
    return text
