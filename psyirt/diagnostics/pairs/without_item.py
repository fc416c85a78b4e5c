"""The same items without one of them, fitted again from the estimates on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import collapse_codes
from psyirt.diagnostics.fitted_data import require_fitted
from psyirt.estimation.ending import CONVERGED, runaway_items, variance_runs_away
from psyirt.estimation.mml import iterate
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.estimation.refit import Refitter
from psyirt.foundation.progress import silent
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import FIXED, MOMENTS, ParameterLayout, make_layout
from psyirt.observed_information.point import FitPoint
from psyirt.results.calibration import Calibration
from psyirt.results.covariance_kinds import covariance

Array = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Remainder:
    """Slopes of the items that are left when one is taken out.

    Attributes
    ----------
    items : ndarray of int, shape (I,)
        Positions of these items in the calibration.
    slopes, errors : ndarray, shape (I,)
        Estimates and standard errors; NaN where there are none.
    problem : str
        Why there are no estimates; empty where there are.
    """

    items: Places
    slopes: Array
    errors: Array
    problem: str = ""


def varying_items(calibration: Calibration) -> Places:
    """Positions of the items that can be fitted: those that vary, or whose intercept is known or has a prior."""
    codes = require_fitted(calibration, "slopes").codes
    varies = (codes == 1).any(axis=0) & (codes == 0).any(axis=0)
    layout = calibration.layout
    intercepts = layout.index[:, layout.slots.index("intercept")]
    held = np.array([at == FIXED or calibration.priors.at(int(at)) is not None for at in intercepts], dtype=bool)
    return np.flatnonzero(varies | (held & (codes >= 0).any(axis=0)))


def slopes_without(calibration: Calibration, kept: Places, out: int) -> Remainder:
    """Fit the items again with one left out.

    Parameters
    ----------
    calibration : Calibration
        With responses; its estimates are where the fit starts.
    kept : ndarray of int
        Positions of the items to fit, `out` among them.
    out : int
        The one to leave out.

    Returns
    -------
    Remainder
    """
    items = kept[kept != out]
    problem, start = _problem(calibration, items)
    nothing = np.full(len(items), np.nan)
    options = calibration.refit.options if isinstance(calibration.refit, Refitter) else MMLOptions()
    x, _, status = iterate(problem, start, options, silent)
    if status != CONVERGED or runaway_items(problem, x) or variance_runs_away(problem, x):
        name = calibration.item_names[out]
        return Remainder(items, nothing, nothing, f"no finite estimates without {name!r}")
    parts = (problem.patterns, problem.model, problem.layout, problem.priors, problem.population(x), problem.grid, x)
    variances = covariance(FitPoint(*parts), "louis").variances
    at = problem.layout.index[:, 0]
    errors = np.where(at == FIXED, np.nan, np.sqrt(variances[at]))
    return Remainder(items, problem.layout.values(x)[:, 0], errors)


def _problem(calibration: Calibration, items: Places) -> tuple[Problem, Array]:
    """The function to maximise for some of the items, and where to start."""
    patterns = require_fitted(calibration, "slopes")
    old = calibration.layout
    names = [calibration.item_names[j] for j in items]
    kinds = [calibration.item_types[j] for j in items]
    moments = tuple(name for name in old.free_moments if name in MOMENTS)
    layout = make_layout(names, kinds, old.slots, free_moments=moments)
    layout = layout.with_shape([name for name in old.free_moments if name not in MOMENTS])
    start = np.empty(layout.size)
    source = _sources(old, layout, items)
    start[:] = calibration.x[source]
    priors = _moved(calibration.priors, source)
    part = collapse_codes(patterns.codes[:, items], patterns.weights)
    problem = Problem(part, calibration.model, layout, priors, calibration.grid, calibration.population)
    return problem, start


def _sources(old: ParameterLayout, new: ParameterLayout, items: Places) -> Places:
    """Where each free parameter of the new layout stands in the old one, shape (new.size,)."""
    source = np.empty(new.size, dtype=np.intp)
    source[new.index[new.is_free]] = old.index[items][new.is_free]
    moments = len(new.free_moments)
    source[new.size - moments :] = np.arange(old.size - moments, old.size)
    return source


def _moved(priors: FreePriors, source: Places) -> FreePriors:
    """The priors of the parameters that are left, at their new places."""
    placed = tuple((prior, np.flatnonzero(np.isin(source, at))) for prior, at in priors.placed)
    return FreePriors(len(source), tuple((prior, at) for prior, at in placed if len(at)))
