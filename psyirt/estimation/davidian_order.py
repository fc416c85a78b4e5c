"""Fits with a Davidian curve as ability density, order by order, and the order that Hannan and Quinn would take.

The likelihood has several maxima in the angles, and beside a normal density the first two angles change the curve by a
third power only (its mean and variance are taken out), so that the normal density is a stationary point of every order
and no place to start from. Each order is therefore started from the one below with a new angle, and from curves fitted
to a rough histogram of ability (which needs no data, so many of them); those that come highest in a few iterations go
on. Nothing guarantees that the highest maximum of all is among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from psyirt.estimation.convergence import Step
from psyirt.estimation.ending import CONVERGED
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.estimation.setup import Setup
from psyirt.latent.davidian import HIGHEST_ORDER, DavidianCurve, angle_names
from psyirt.latent.fitting import fit_curve
from psyirt.latent.population import Grid
from psyirt.models.base import Array
from psyirt.models.layout import MOMENTS

Found = tuple[Problem, Array, tuple[Step, ...], str]
Fit = Callable[[Setup, MMLOptions], Found]

# tolerance and iterations of fits that are compared; the one that is kept goes on with the user's
_TOLERANCE, _ITERATIONS = 1e-3, 150
# E-steps that shape the histogram from which starts are drawn
_SHAPING = 15
# curves per order (1, 2, ...) fitted to the histogram, and at most; steps of each
_CURVES, _MOST_CURVES, _CURVE_STEPS = 6, 20, 30
# how many of the best are tried on the data, for how many iterations, and how many of those go on
_TRIED, _TRIAL, _KEPT = 8, 6, 2
# how far a new angle is turned from the curve of the order below; farthest angle of a random curve
_TURNS, _FARTHEST = (0.3, -0.3, 1.0, -1.0, 1.5), 1.5
# expected log-likelihoods this close belong to one curve
_ALIKE = 0.01


def fit_davidian(setup: Setup, order: int | None, fit: Fit, options: MMLOptions) -> tuple[Setup, Found]:
    """Fit curves of growing order; keep the one of the given order, or that of lowest criterion.

    Parameters
    ----------
    setup : Setup
        With a curve of order 0, the normal density.
    order : int or None
        None for 0 to 6, of which the lowest -2 log-likelihood + 2 p log(log N) is kept (Hannan & Quinn 1979, as in
        Woods & Lin 2009); p counts free parameters, N subjects.
    fit : callable
        Iterates from a setup.
    options : MMLOptions
        Of the fits that may be kept.

    Returns
    -------
    tuple of (Setup, what `fit` returned)
        The setup with the curve that was kept, and a note on how it was chosen.
    """
    found = [fit(setup, options)]
    last = HIGHEST_ORDER if order is None else order
    if last and found[0][3] == CONVERGED:
        rough = replace(options, tolerance=max(options.tolerance, _TOLERANCE), max_iterations=_ITERATIONS)
        for k in range(1, last + 1):
            found.append(_best_of(_starts(setup, found[-1], k), fit, rough))
    best, notes = last, setup.notes
    if order is None:
        criteria = [_criterion(problem, x) for problem, x, *_ in found]
        best = int(np.argmin(criteria))
        notes = (*notes, _choice_note(best, criteria))
    if best == 0 or len(found) == 1:
        return replace(setup, notes=notes), found[0]
    kept = replace(setup, problem=found[best][0], start=found[best][1], notes=notes)
    return kept, _canonical(*fit(kept, options))


def _best_of(starts: Iterator[Setup], fit: Fit, options: MMLOptions) -> Found:
    """A few iterations from each start, all from the ones that came highest, and the best of those."""
    short = replace(options, max_iterations=_TRIAL)
    trials = [(start, fit(start, short)) for start in starts]
    trials.sort(key=lambda trial: -_reached(trial[1]))
    whole = [fit(replace(start, problem=problem, start=x), options) for start, (problem, x, *_) in trials[:_KEPT]]
    return _canonical(*max(whole, key=_reached))


def _reached(found: Found) -> float:
    """Log-posterior at the end of a fit."""
    return found[2][-1].objective


def _starts(setup: Setup, below: Found, order: int) -> Iterator[Setup]:
    """The curve of the order below with a new angle turned little or far, and curves near to a histogram."""
    problem, x, *_ = below
    counts = _rough_counts(problem, x)
    known = DavidianCurve((0.0,) * order, problem.known.mean, problem.known.variance)
    problem = problem.with_shape(known, angle_names(order))
    for turn in _TURNS:
        yield replace(setup, problem=problem, start=np.append(x, turn))
    for curve in _nearest(known, counts, problem.grid):
        yield replace(setup, problem=problem, start=np.append(x[: len(x) - order + 1], curve.angles))


def _rough_counts(problem: Problem, x: Array) -> Array:
    """Expected subjects at the nodes after some EM steps of free weights, the items held, shape (Q,)."""
    counts, items = problem.expectation(x).node_counts, x[: problem.layout.item_size]
    for _ in range(_SHAPING):
        counts = problem.with_weights(counts).expectation(items).node_counts
    return counts


def _nearest(known: DavidianCurve, counts: Array, grid: Grid) -> list[DavidianCurve]:
    """The few best of many curves fitted to a histogram, mean and variance left free, no two of them alike."""
    rng, names = np.random.default_rng(0), angle_names(known.order)
    found: list[tuple[float, DavidianCurve]] = []
    for _ in range(min(_CURVES * known.order, _MOST_CURVES)):
        angles = rng.uniform(-_FARTHEST, _FARTHEST, known.order).tolist()
        start = known.moved(dict(zip(names, angles, strict=True)))
        curve = fit_curve(counts, start, grid, (*MOMENTS, *names), _CURVE_STEPS, _ALIKE)
        value = float(counts @ curve.log_weights(grid))
        if all(abs(value - other) > _ALIKE for other, _ in found):
            found.append((value, curve))
    found.sort(key=lambda each: -each[0])
    return [curve for _, curve in found[:_TRIED]]


def _canonical(problem: Problem, x: Array, trace: tuple[Step, ...], status: str) -> Found:
    """The same curve with its angles between -pi/2 and pi/2, where they may have turned further."""
    curve = problem.population(x)
    assert isinstance(curve, DavidianCurve)
    return problem, np.append(x[: problem.layout.size - curve.order], curve.canonical().angles), trace, status


def _criterion(problem: Problem, x: Array) -> float:
    """-2 log-likelihood + 2 p log(log N)."""
    # of so few subjects that the logarithm is negative nothing could be chosen
    price = math.log(max(math.log(max(problem.patterns.total, 1.0)), 1.0))
    return -2.0 * problem.expectation(x).log_likelihood + 2.0 * problem.layout.size * price


def _choice_note(best: int, criteria: list[float]) -> str:
    above = ", ".join(f"{order}: {value - criteria[best]:.1f}" for order, value in enumerate(criteria))
    return f"order {best} of the Davidian curve has the lowest Hannan-Quinn criterion (by order, above it: {above})"
