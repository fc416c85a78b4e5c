"""A calibration as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psyirt.data.columns import listed
from psyirt.results.item_table import item_notes, item_table

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
            f"subjects         {calibration.nobs:g}",
            f"log-likelihood   {calibration.loglik:.4f}",
            f"parameters       {calibration.n_parameters}",
            f"AIC {calibration.aic:.2f}   BIC {calibration.bic:.2f}   SABIC {calibration.sabic:.2f}",
        ]
        if calibration.priors:
            lines.append(f"log-prior        {calibration.log_prior:.4f} (not part of the log-likelihood)")
        lines.append(_ending(calibration))
    lines.append(_latent(calibration))
    lines += [f"set aside: {item} ({reason})" for item, reason in calibration.set_aside.items()]
    of_errors = calibration.default_cov.notes if calibration.has_quick_errors else ()
    lines += [f"note: {note}" for note in (*calibration.notes, *of_errors, *_notes_on_items(calibration))]
    if with_items:
        lines += ["", shown_items(calibration).round(3).to_string(max_rows=_ROWS_SHOWN)]
        if calibration.has_quick_errors:
            lines.append(f"standard errors: {calibration.default_cov.kind}")
        elif calibration.patterns is not None and calibration.n_parameters:
            lines.append("standard errors: not computed yet (they take a while); .items computes them")
    return "\n".join(lines)


def shown_items(calibration: Calibration) -> pd.DataFrame:
    """The table of items; without standard errors where printing would have to wait for them, and without notes.

    A note that many items share is said once, above the table.
    """
    table = calibration.items if calibration.has_quick_errors else item_table(calibration, None)
    return table.drop(columns="note")


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


def _latent(calibration: Calibration) -> str:
    """The ability density, with the standard error of a free variance."""
    text = f"ability          N({calibration.population.mean:g}, {calibration.population.variance:.4g})"
    if calibration.layout.frees_variance and calibration.has_quick_errors:
        text += f", variance estimated, SE {calibration.latent_variance_se:.4g}"
    return text
