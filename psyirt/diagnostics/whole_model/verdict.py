"""What several criteria prefer, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.data.columns import listed
from psyirt.diagnostics.whole_model.information_criteria import CRITERIA

_LEVEL = 0.05
# a criterion's difference below which it hardly tells models apart (Burnham & Anderson 2002, sec. 2.6)
_HARDLY = 2.0
# log-likelihoods of one model in other words may differ by this, their nodes standing elsewhere on the scale
_EQUAL = 0.025


def verdict(models: pd.DataFrame, tests: pd.DataFrame) -> str:
    """A sentence or two on a table of models and one of tests.

    Parameters
    ----------
    models, tests : DataFrame
        As in ``ModelComparison``.

    Returns
    -------
    str
    """
    twins = _twins(models, tests)
    models, tests = models.drop(index=twins), tests.drop(index=[pair for pair in tests.index if set(pair) & set(twins)])
    prefers: dict[str, list[str]] = {}
    for criterion in CRITERIA:
        if models[criterion].notna().any():
            prefers.setdefault(str(models[criterion].idxmin()), []).append(criterion)
    held = "held_out" in models and bool(models["held_out"].notna().any())
    if held:
        prefers.setdefault(str(models["held_out"].idxmax()), []).append("held-out responses")
    if not prefers:
        said = ["No criterion can be computed."]
    elif len(prefers) == 1:
        said = [f"All criteria prefer {next(iter(prefers))}."]
    else:
        said = ["The criteria disagree: " + "; ".join(_choice(best, found) for best, found in prefers.items()) + "."]
    said += _close(models) + (_held_out(models) if held else [])
    said += [_tested(pair, row) for pair, row in tests.iterrows() if row["df"] > 0]
    return " ".join(said)


def _twins(models: pd.DataFrame, tests: pd.DataFrame) -> list[str]:
    """Fits that are an earlier one in other words: Rasch with a free variance and 1PL."""
    same = [pair for pair, df in tests["df"].items() if df == 0 and isinstance(pair, tuple)]
    loglik = models["loglik"]
    return [other for one, other in same if abs(float(loglik[one]) - float(loglik[other])) < _EQUAL]


def _choice(best: str, criteria: list[str]) -> str:
    plural = len(criteria) > 1 or criteria[0].endswith("s")
    return f"{listed(criteria)} prefer{'' if plural else 's'} {best}"


def _close(models: pd.DataFrame) -> list[str]:
    """Criteria that hardly tell their two best models apart."""
    close = []
    for criterion in CRITERIA:
        first, *rest = np.sort(models[criterion].dropna().to_numpy(float))[:2].tolist() or [np.nan]
        if rest and rest[0] - first < _HARDLY:
            close.append(criterion)
    return [f"By less than {_HARDLY:g} points, which is hardly a difference: {listed(close)}."] if close else []


def _held_out(models: pd.DataFrame) -> list[str]:
    """Whether held-out responses tell the best model from the others."""
    best = str(models["held_out"].idxmax())
    others = models.drop(index=best).dropna(subset=["held_out"])
    near = others[others["held_out_difference"].abs() < 2.0 * others["held_out_se"]]
    if not len(near):
        return []
    return [f"Held-out responses do not tell {best} from {listed(list(near.index))} by two standard errors."]


def _tested(pair: object, row: pd.Series) -> str:
    """The outcome of one likelihood-ratio test."""
    restricted, general = pair if isinstance(pair, tuple) else (pair, "")
    name = f"Likelihood ratio of {restricted} against {general}"
    p = row["p_bootstrap"] if not np.isnan(row["p_bootstrap"]) else row["p"]
    if not np.isnan(p):
        kind = " (bootstrap)" if not np.isnan(row["p_bootstrap"]) else ""
        return f"{name}: p {_p(p)}{kind}, {restricted} is {'rejected' if p <= _LEVEL else 'not rejected'}."
    if np.isnan(row["p_high"]):
        return f"{name}: no p-value, see its note."
    low, high = _p(row["p_low"]), _p(row["p_high"])
    bounds = f"p {low}" if low == high else f"p between {low} and {high}"
    if row["p_high"] < _LEVEL:
        return f"{name}: {bounds}, {restricted} is rejected."
    return f"{name}: {bounds}, {f'{restricted} is not rejected' if row['p_low'] >= _LEVEL else 'undecided'}."


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 5e-5 else "below .0001"
