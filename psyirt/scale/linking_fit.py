"""Whether linking items still fit a new group: a score test of each one's slope and intercept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from psyirt.diagnostics.adjustment import decide
from psyirt.diagnostics.fitted_data import require_counts
from psyirt.estimation.problem import Problem
from psyirt.models.base import Array
from psyirt.models.free_priors import FreePriors
from psyirt.models.item_types import FREE
from psyirt.models.layout import ParameterLayout, make_layout
from psyirt.models.parameters import ItemParameters
from psyirt.observed_information.louis import louis_information
from psyirt.observed_information.point import FitPoint
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scale.scale import Scale

_SOURCE = "Rao (1948); Glas (1999, Psychometrika 64), Lagrange multiplier tests"


def linking_fit(
    calibration: Calibration, linking: tuple[str, ...], old: Array, adjust: str, alpha: float
) -> StatisticTable:
    """Score tests of the fixed items of a calibration.

    With s the item's score in (a, intercept) and V its observed information after the free parameters are taken into
    account, d = V^-1 s is how far the two would move in one Newton step. Where the old values were estimated too, with
    covariance C, d has covariance V^-1 + C, and the statistic d' (V^-1 + C)^-1 d is chi-square(2). For C = 0 it is
    s' V^-1 s, the score test.

    Parameters
    ----------
    calibration : Calibration
        With responses; at a maximum.
    linking : tuple of str
        The fixed items, L.
    old : ndarray, shape (L, 2, 2)
        Covariance of the old slope and intercept of each, 0 where they are known exactly.
    adjust, alpha
        See :func:`psyirt.diagnostics.adjustment.decide`.

    Returns
    -------
    StatisticTable
        Index item; beside the usual columns ``change_a``, ``change_intercept``: the item's own estimate minus the
        fixed value, one step.
    """
    require_counts(calibration, "linking_fit")
    problem, x = _with_free_links(calibration, linking)
    layout = problem.layout
    point = FitPoint(problem.patterns, problem.model, layout, problem.priors, calibration.population, problem.grid, x)
    information = louis_information(point) + np.diag(point.prior_information)
    score = problem.gradient(x, problem.expectation(x))
    where = {item: j for j, item in enumerate(layout.item_names)}
    own = [layout.index[where[item], :2] for item in linking]
    free = np.setdiff1d(np.arange(layout.size), np.concatenate(own))
    rows = [_one_item(information, score, at, free, error) for at, error in zip(own, old, strict=True)]
    frame = pd.DataFrame(
        rows, columns=["statistic", "change_a", "change_intercept"], index=pd.Index(linking, name="item")
    )
    statistic = frame["statistic"].to_numpy()
    p = np.where(np.isnan(statistic), np.nan, chdtrc(2.0, np.nan_to_num(statistic)))
    decision = decide(p, adjust, alpha)
    frame.insert(1, "df", 2.0)
    frame = frame.assign(p=p, p_adjusted=decision.p_adjusted, flag=decision.flag)
    unknown = "not available: the information at the fixed values is not positive definite"
    return StatisticTable(
        frame.assign(note=np.where(np.isnan(p), unknown, "")),
        "score test of linking items",
        "the item has the scale's slope and intercept in this group too, all other linking items having theirs",
        _SOURCE,
        decision.adjustment,
        decision.flagged_when,
    )


def _one_item(
    information: Array, score: Array, at: NDArray[np.intp], free: NDArray[np.intp], old: Array
) -> tuple[float, float, float]:
    """Statistic and one step in slope and intercept; NaN where the information is not positive definite."""
    cross = information[np.ix_(free, at)]
    left = information[np.ix_(at, at)] - cross.T @ np.linalg.solve(information[np.ix_(free, free)], cross)
    if not np.all(np.linalg.eigvalsh(left) > 0.0):
        return float("nan"), float("nan"), float("nan")
    step = np.linalg.solve(left, score[at])
    spread = np.linalg.inv(left) + old
    return float(step @ np.linalg.solve(spread, step)), float(step[0]), float(step[1])


def _with_free_links(calibration: Calibration, linking: tuple[str, ...]) -> tuple[Problem, Array]:
    """The calibration's problem with slope and intercept of the linking items free, and its point there."""
    assert calibration.patterns is not None
    links = set(linking)
    kinds = [
        replace(kind, a=FREE, intercept=FREE) if item in links else kind
        for item, kind in zip(calibration.item_names, calibration.item_types, strict=True)
    ]
    old = calibration.layout
    layout = make_layout(old.item_names, kinds, old.slots, free_moments=old.free_moments)
    problem = Problem(
        calibration.patterns,
        calibration.model,
        layout,
        _moved(calibration.priors, old, layout),
        calibration.grid,
        calibration.population,
    )
    x = np.append(layout.free(calibration.item_parameters.values), calibration.x[old.item_size :])
    return problem, x


def _moved(priors: FreePriors, old: ParameterLayout, new: ParameterLayout) -> FreePriors:
    """The priors at the same parameters' places in another layout."""
    where = {name: k for k, name in enumerate(new.names)}
    placed = tuple((prior, np.array([where[old.names[k]] for k in at], dtype=np.intp)) for prior, at in priors.placed)
    return FreePriors(new.size, placed)


def old_errors(scale: Scale | Calibration | ItemParameters, linking: tuple[str, ...]) -> Array:
    """Covariance of slope and intercept of linking items as the scale knows it, shape (L, 2, 2).

    0 where a parameter was fixed, or nothing is known of its error.
    """
    out = np.zeros((len(linking), 2, 2))
    if isinstance(scale, Calibration) and scale.patterns is not None and scale.n_parameters:
        where = {item: j for j, item in enumerate(scale.item_names)}
        out = scale.default_cov.item_blocks[[where[item] for item in linking], :2, :2]
    elif isinstance(scale, Scale):
        errors = scale.items.loc[list(linking), ["se_a", "se_intercept"]].to_numpy(float)
        out[:, [0, 1], [0, 1]] = errors**2
        out[:, 0, 1] = out[:, 1, 0] = _crossed(scale, linking)
    return np.where(np.isfinite(out).all(axis=(1, 2), keepdims=True), out, np.nan_to_num(out) * np.eye(2))


def _crossed(scale: Scale, linking: tuple[str, ...]) -> Array:
    """Covariances between slope and intercept that a scale holds, 0 where it does not, shape (L,)."""
    table = scale.covariance
    if table is None:
        return np.zeros(len(linking))
    where = {name: k for k, name in enumerate(table.index)}
    models, values = scale.items["model"], table.to_numpy()
    found = np.zeros(len(linking))
    for k, item in enumerate(linking):
        # a shared slope goes by its model's name
        slope = where.get(("a", item), where.get(("a", models[item])))
        intercept = where.get(("intercept", item))
        if slope is not None and intercept is not None:
            found[k] = values[slope, intercept]
    return found
