"""The findings of a check, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from psyirt.data.columns import listed
from psyirt.foundation.words import counted
from psyirt.results.table import StatisticTable

if TYPE_CHECKING:
    from psyirt.diagnostics.overview.check_up import CheckUp

_NAMED = 5
# Lord (1980) and many after him: items below this hardly measure what the others do
_LOW_ITEM_REST = 0.1
# Browne & Cudeck (1993): close fit up to .05, poor from .08 on
_CLOSE, _POOR = 0.05, 0.08


def sentences(checked: CheckUp) -> tuple[str, ...]:
    """What a reader should look at.

    Parameters
    ----------
    checked : CheckUp
        The results.

    Returns
    -------
    tuple of str
        The whole first, then its parts; each a sentence without a full stop.
    """
    found = [
        _fit(checked),
        _reliability(checked),
        _dimensions(checked),
        _whole(checked),
        _tested(checked.item_fit, "items does not fit its curve", "items do not fit their curves"),
        _pairs(checked.pairs),
        _tested(checked.persons, "subjects answers unlike the model", "subjects answer unlike the model"),
        _weak(checked),
        _negative(checked),
    ]
    return tuple(sentence for sentence in found if sentence)


def _fit(checked: CheckUp) -> str:
    calibration = checked.calibration
    aside = f"; {counted(len(calibration.set_aside), 'item')} set aside" if calibration.set_aside else ""
    size = f"{counted(len(calibration.item_names), 'item')} to {counted(calibration.nobs, 'subject')}"
    how = f"{calibration.status}, log-likelihood {calibration.loglik:.2f}"
    doubt = "" if calibration.converged else "; do not rely on what follows, which takes its estimates for granted"
    return f"the {calibration.model_name} fit of {size} ended: {how}{aside}{doubt}"


def _reliability(checked: CheckUp) -> str:
    known = checked.reliability["reliability"].dropna()
    return "reliability: " + ", ".join(f"{name} {value:.2f}" for name, value in known.items()) if len(known) else ""


def _dimensions(checked: CheckUp) -> str:
    if checked.dimensions is None:
        return ""
    verdict = checked.dimensions.verdict.rstrip(".")
    return verdict[0].lower() + verdict[1:]


def _whole(checked: CheckUp) -> str:
    fit = checked.model_fit
    if math.isnan(fit.rmsea):
        return f"M2 is not available: {fit.notes[0] if fit.notes else 'no degrees of freedom'}"
    word = "close" if fit.rmsea_high <= _CLOSE else "poor" if fit.rmsea_low > _POOR else "neither close nor poor"
    return (
        f"the whole model: M2 {fit.M2:.1f} on {fit.df:g} df (p {_p(fit.p)}), RMSEA {fit.rmsea:.3f} "
        f"({fit.rmsea_low:.3f} to {fit.rmsea_high:.3f}: {word}), SRMSR {fit.srmsr:.3f}, CFI {fit.cfi:.3f}"
    )


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 else "below .001"


def _tested(table: StatisticTable, one: str, many: str) -> str:
    """How many rows of a table are flagged, the worst named, and how many were not tested."""
    flagged = table.flagged.sort_values("p")
    names = f": {listed([str(name) for name in flagged.index], _NAMED)}" if len(flagged) else ""
    tested = len(table) - len(table.untested)
    beside = f", {len(table.untested)} not testable" if len(table.untested) else ""
    what = one if len(flagged) == 1 else many
    return f"{len(flagged)} of {tested} {what} ({table.name}, {table.flagged_when}{beside}){names}"


def _pairs(table: StatisticTable) -> str:
    flagged = table.flagged
    worst = flagged.loc[flagged["cramers_v"].abs().sort_values(ascending=False).index]
    named = worst["cramers_v"].head(_NAMED).reset_index().itertuples(index=False)
    names = [f"{row.item_1} with {row.item_2} (V {row.cramers_v:+.2f})" for row in named]
    more = ", ..." if len(worst) > _NAMED else ""
    told = f", largest effects first: {', '.join(names)}{more}" if names else ""
    untested = f", {len(table.untested)} not testable" if len(table.untested) else ""
    pairs = "pairs depends" if len(flagged) == 1 else "pairs depend"
    how = f"{table.name}, {table.flagged_when}{untested}"
    tested = len(table) - len(table.untested)
    return f"{len(flagged)} of {tested} {pairs} on each other beyond the ability ({how}){told}"


def _weak(checked: CheckUp) -> str:
    rest = checked.classical.items["item_rest"]
    weak = rest[rest < _LOW_ITEM_REST].sort_values()
    if not len(weak):
        return ""
    names = [f"{name} ({value:.2f})" for name, value in weak.items()]
    return (
        f"{counted(len(weak), 'item')} with an item-rest correlation below {_LOW_ITEM_REST:g}: {listed(names, _NAMED)}"
    )


def _negative(checked: CheckUp) -> str:
    slopes = checked.calibration.item_parameters.slopes[:, 0]
    falling = [name for name, a in zip(checked.calibration.item_names, slopes.tolist(), strict=True) if a < 0.0]
    if not falling:
        return ""
    return f"{counted(len(falling), 'slope')} below 0, look at the key: {listed(falling, _NAMED)}"
