"""Fits with a Davidian curve as ability density, order by order, and the order that Hannan and Quinn would take.

Beside a normal density the first two angles change the curve by a third power only (its mean and variance are taken
out), so that the normal density is a stationary point of every order and no place to start from. Each order starts from
the likeliest of several curves instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from psyirt.estimation.convergence import Step
from psyirt.estimation.ending import CONVERGED
from psyirt.estimation.problem import Problem
from psyirt.estimation.setup import Setup
from psyirt.latent.davidian import HIGHEST_ORDER, DavidianCurve, angle_names
from psyirt.latent.fitting import fit_curve
from psyirt.models.base import Array

Found = tuple[Problem, Array, tuple[Step, ...], str]

# E-steps that shape the histogram from which starting curves are drawn
_SHAPING = 10
# how far a new angle is turned from the curve of the order below
_TURN = 0.3
# starting curves that are fitted to the histogram, and steps of each
_CURVES, _CURVE_STEPS = 6, 40


def fit_davidian(setup: Setup, order: int | None, fit: Callable[[Setup], Found]) -> tuple[Setup, Found]:
    """Fit curves of growing order, each from the last; keep the one of the given order, or that of lowest criterion.

    Parameters
    ----------
    setup : Setup
        With a curve of order 0, the normal density.
    order : int or None
        None for 0 to 6, of which the lowest -2 log-likelihood + 2 p log(log N) is kept (Hannan & Quinn 1979, as in
        Woods & Lin 2009); p counts free parameters, N subjects.
    fit : callable
        Iterates from a setup.

    Returns
    -------
    tuple of (Setup, what `fit` returned)
        The setup with the curve that was kept, and a note on how it was chosen.
    """
    setups, found = [setup], [fit(setup)]
    histogram = _rough_histogram(found[0][0], found[0][1])
    for k in range(1, (HIGHEST_ORDER if order is None else order) + 1):
        if found[-1][3] != CONVERGED:
            break
        problem, x = found[-1][:2]
        start = _likeliest(_starts(_with_order(problem, k), x, histogram))
        setups.append(replace(setup, problem=start[0], start=start[1]))
        found.append(_canonical(*fit(setups[-1])))
    if order is not None:
        return setups[-1], found[-1]
    criteria = [_criterion(*each[:2]) if each[3] == CONVERGED or not k else math.inf for k, each in enumerate(found)]
    best = int(np.argmin(criteria))
    return replace(setups[best], notes=(*setup.notes, _choice_note(best, criteria))), found[best]


def _with_order(problem: Problem, order: int) -> Problem:
    """The problem with a curve of another order."""
    curve = DavidianCurve((0.0,) * order, problem.known.mean, problem.known.variance)
    return problem.with_shape(curve, angle_names(order))


def _rough_histogram(problem: Problem, x: Array) -> Array:
    """Expected subjects at the nodes after a few EM steps of free weights, the items held, shape (Q,)."""
    node_counts, items = problem.expectation(x).node_counts, x[: problem.layout.item_size]
    for _ in range(_SHAPING):
        node_counts = problem.with_weights(node_counts).expectation(items).node_counts
    return node_counts


def _starts(problem: Problem, x: Array, histogram: Array) -> Iterator[tuple[Problem, Array]]:
    """The last curve with a new angle turned either way, and the curve nearest to a rough histogram of ability."""
    layout = problem.layout
    for turn in (_TURN, -_TURN):
        yield problem, np.append(x, turn)
    order = problem.known.order if isinstance(problem.known, DavidianCurve) else 0
    free = ("mean", "variance", *angle_names(order))
    rng = np.random.default_rng(0)
    best, reached = None, -np.inf
    for _ in range(_CURVES):
        curve = DavidianCurve(tuple(rng.uniform(-1.2, 1.2, order)), problem.known.mean, problem.known.variance)
        curve = fit_curve(histogram, curve, problem.grid, free, _CURVE_STEPS)
        value = float(histogram @ curve.log_weights(problem.grid))
        if value > reached:
            best, reached = curve, value
    if best is not None:
        moments = x[layout.item_size : layout.size - order]
        yield problem, np.concatenate([x[: layout.item_size], moments, best.angles])


def _likeliest(starts: Iterator[tuple[Problem, Array]]) -> tuple[Problem, Array]:
    """The start of highest log-posterior."""
    return max(starts, key=lambda start: start[0].objective(start[1], start[0].expectation(start[1])))


def _canonical(problem: Problem, x: Array, trace: tuple[Step, ...], status: str) -> Found:
    """The same curve with its angles between -pi/2 and pi/2, where they may have turned further."""
    curve = problem.population(x)
    assert isinstance(curve, DavidianCurve)
    return problem, np.append(x[: problem.layout.size - curve.order], curve.canonical().angles), trace, status


def _criterion(problem: Problem, x: Array) -> float:
    """-2 log-likelihood + 2 p log(log N)."""
    return -2.0 * problem.expectation(x).log_likelihood + 2.0 * problem.layout.size * _log_log(problem.patterns.total)


def _log_log(total: float) -> float:
    """log(log N), of at least as many subjects as make it positive."""
    return math.log(math.log(max(total, 3.0)))


def _choice_note(best: int, criteria: list[float]) -> str:
    above = ", ".join(
        f"{order}: {value - criteria[best]:.1f}" if math.isfinite(value) else f"{order}: not converged"
        for order, value in enumerate(criteria)
    )
    return f"order {best} of the Davidian curve has the lowest Hannan-Quinn criterion (by order, above it: {above})"
