"""The M-step: Fisher-scoring steps on the expected complete-data log-posterior, all items at once.

Items are independent given the expected counts, unless they share a parameter; then the shared parameters are
solved for by their Schur complement, so the cost stays linear in items.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.estimation import item_functions
from psyirt.estimation.compiled_priors import compiled_priors
from psyirt.estimation.item_functions import EStep
from psyirt.estimation.problem import Problem
from psyirt.latent.fitting import fit_density
from psyirt.models.base import Array, Derivatives

_MAX_STEPS = 4
_MAX_HALVINGS = 30
# a step longer than this in a slope, intercept or logit is cut to it; the next iteration goes on from there
_LONGEST_STEP = 2.0
# after one this short Newton's next would be a thousandth of it; Fisher scoring leaves more, and EM would take longer
_SHORTEST_STEP = 1e-3


def maximise(problem: Problem, x: Array, expected: EStep, items: Derivatives) -> Array:
    """A point with a higher expected complete-data log-posterior than `x` (unless x is its maximum).

    Parameters
    ----------
    problem : Problem
        Model, layout, priors.
    x : ndarray, shape (size,)
        The free vector the expectation was taken at.
    expected : Expectation or ScoreExpectation
        Expected counts.
    items : Derivatives
        Derivatives at `x`.

    Returns
    -------
    ndarray, shape (size,)
    """
    layout = problem.layout
    priors = None if layout.has_shared else compiled_priors(problem.priors, layout)
    if not layout.item_size:
        new = x.copy()
    elif priors is None or not item_functions.has_maximiser(problem.model, expected):
        new = _all_items(problem, x, expected, items)
    else:
        new = _each_item(problem, x, expected, priors)
    if layout.free_moments:
        new[layout.item_size :] = fit_density(
            expected.node_counts, problem.population(x), problem.grid, layout.free_moments
        )
    return new


def _each_item(problem: Problem, x: Array, expected: EStep, priors: Array) -> Array:
    """Items that share nothing: Newton's method inside a kernel, the twin of :func:`_all_items` item by item."""
    layout, new = problem.layout, x.copy()
    values, steps = layout.values(x), item_functions.Steps(_MAX_STEPS, _LONGEST_STEP, _SHORTEST_STEP)
    item_functions.maximise(problem.model, values, layout.is_free, priors, steps, problem.grid.nodes, expected)
    new[: layout.item_size] = layout.free(values)
    return new


def _all_items(problem: Problem, x: Array, expected: EStep, items: Derivatives) -> Array:
    """Newton steps on all items at once, halved where an item's objective falls."""
    new = x.copy()
    group = _groups(problem)
    value = _item_objectives(problem, new, expected, group)
    first_length = 0.0
    for k in range(_MAX_STEPS):
        if k:
            items = problem.complete_derivatives(new, expected)
        step = _newton_step(problem, new, items)
        new, value, length = _line_search(problem, new, step, value, expected, group)
        first_length = first_length or length
        if length <= 1e-2 * first_length or length == 0.0:
            break
    return new


def _groups(problem: Problem) -> NDArray[np.intp]:
    """Shape (J,): items that must take a step together because they share a parameter carry one number."""
    layout = problem.layout
    group = np.arange(1, len(layout.item_names) + 1, dtype=np.intp)
    if layout.has_shared:
        touches = layout.is_shared.any(axis=1)
        group[touches] = 0
    return group


def _item_objectives(problem: Problem, x: Array, expected: EStep, group: NDArray[np.intp]) -> Array:
    """Expected complete-data log-posterior of each group of items, shape (J + 1,)."""
    layout = problem.layout
    each = problem.item_objectives(x, expected)
    out = np.asarray(np.bincount(group, weights=each, minlength=len(layout.item_names) + 1), dtype=float)
    if problem.priors:
        owner = np.zeros(layout.size, dtype=np.intp)
        owner[layout.index[layout.is_free]] = np.broadcast_to(group[:, None], layout.index.shape)[layout.is_free]
        out += np.bincount(owner, weights=problem.priors.each_log_density(x), minlength=len(out))
    return out


def _newton_step(problem: Problem, x: Array, items: Derivatives) -> Array:
    """Solve information * step = gradient for the item parameters; shape (size,), 0 for latent moments."""
    right = problem.priors.gradient(x)
    right[: problem.layout.item_size] += problem.layout.fold(items.gradient)
    return solve_complete(problem, x, items, right)


def solve_complete(problem: Problem, x: Array, items: Derivatives, right: Array) -> Array:
    """The inverse complete-data information of the item parameters times a vector.

    Parameters
    ----------
    problem, x, items
        The derivatives at `x`; priors count where they bend down.
    right : ndarray, shape (size,)
        The vector.

    Returns
    -------
    ndarray, shape (size,)
        0 for latent moments.
    """
    layout = problem.layout
    prior_bend = np.maximum(-problem.priors.curvature(x), 0.0)
    own = layout.is_free & ~layout.is_shared
    at = np.where(own, layout.index, 0)
    gradient = np.where(own, right[at], 0.0)
    both = own[:, :, None] & own[:, None, :]
    bend = np.where(both, items.information, 0.0)
    slots = np.arange(layout.index.shape[1])
    diagonal = bend[:, slots, slots] + np.where(own, prior_bend[at], 1.0)
    # a tiny ridge keeps an item whose information vanished (a far, flat curve) from making the solve singular
    bend[:, slots, slots] = diagonal + 1e-9 * (1.0 + diagonal)
    step = np.zeros(layout.size)
    if not layout.has_shared:
        step[layout.index[own]] = np.linalg.solve(bend, gradient[..., None])[..., 0][own]
        return step
    places = np.flatnonzero(layout.shared)
    select = (layout.index[:, :, None] == places).astype(float)
    cross = items.information @ select
    across = np.where(own[:, :, None], cross, 0.0)
    solved = np.linalg.solve(bend, np.concatenate([gradient[..., None], across], axis=2))
    schur = np.einsum("jsm,jsn->mn", select, cross) - np.einsum("jsm,jsn->mn", across, solved[:, :, 1:])
    schur += np.diag(prior_bend[places])
    rest = right[places] - np.einsum("jsm,js->m", across, solved[:, :, 0])
    common = np.linalg.solve(schur, rest)
    step[layout.index[own]] = (solved[:, :, 0] - solved[:, :, 1:] @ common)[own]
    step[places] = common
    return step


def _line_search(
    problem: Problem, x: Array, step: Array, value: Array, expected: EStep, group: NDArray[np.intp]
) -> tuple[Array, Array, float]:
    """Halve each group's step until its objective does not fall; groups that never rise stay where they are."""
    layout = problem.layout
    owner = np.zeros(layout.size, dtype=np.intp)
    owner[layout.index[layout.is_free]] = np.broadcast_to(group[:, None], layout.index.shape)[layout.is_free]
    longest = np.zeros(len(value))
    np.maximum.at(longest, owner, np.abs(step))
    scale = np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
    slack = 1e-12 * (1.0 + np.abs(value))
    for _ in range(_MAX_HALVINGS):
        trial = x + scale[owner] * step
        reached = _item_objectives(problem, trial, expected, group)
        worse = ~(reached >= value - slack)
        if not worse.any():
            return trial, reached, float(np.max(np.abs(trial - x), initial=0.0))
        scale[worse] *= 0.5
    scale[worse] = 0.0
    trial = x + scale[owner] * step
    return trial, _item_objectives(problem, trial, expected, group), float(np.max(np.abs(trial - x), initial=0.0))
