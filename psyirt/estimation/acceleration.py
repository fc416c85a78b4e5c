"""Fewer EM iterations: parameter expansion first, then Anderson mixing of the EM map, and L-BFGS where that fails.

None is trusted: the loop keeps a proposal only if the log-posterior did not fall, and otherwise asks for another, the
last of which is the plain EM step from where it stood.
"""

from __future__ import annotations

import numpy as np

from psyirt.estimation.em_point import EMPoint
from psyirt.estimation.item_functions import EStep
from psyirt.estimation.mstep import solve_complete
from psyirt.estimation.nodes import SMALL_VARIANCE, WIDEST_SPACING
from psyirt.estimation.problem import Problem
from psyirt.estimation.quasi_newton import QuasiNewton
from psyirt.latent.population import VARIANCE, smallest_variance
from psyirt.models.base import Array

# parameter expansion at every iteration stalls where a slope runs away; a few steps are what it is good for
_EXPANSION_STEPS = 3
_MEMORY = 6
# iterations after which a variance that goes on falling is tried at its boundary again
_BOUNDARY_PAUSE = 10
# proposals that fell before L-BFGS takes over, and how often its step is shortened, by what, before the EM step is
# taken and mixing tried again (measured: see docs/explanation/estimation.md)
_REJECTIONS, _SHORTENINGS, _SHORTER = 4, 2, 0.25
# an item's step in a slope, intercept or logit is cut to this
_LONGEST_STEP = 10.0


class Accelerator:
    """Proposes the next point from the EM step.

    Parameters
    ----------
    problem : Problem
        Tells whether the latent moments can be absorbed into the items.
    enabled : bool
        If false, the proposal is always the EM step.
    """

    def __init__(self, problem: Problem, enabled: bool = True) -> None:
        self._problem = problem
        self._enabled = enabled
        self._expansions = _EXPANSION_STEPS if _can_expand(problem) else 0
        self._points: list[Array] = []
        self._steps: list[Array] = []
        self._until_boundary = 0
        self._quasi_newton = QuasiNewton()
        self._rejections = 0
        self._at: EMPoint | None = None
        self._climb: Array | None = None
        self._shortenings = 0

    def propose(self, at: EMPoint) -> tuple[Array, str]:
        """The next point and how it was made.

        Parameters
        ----------
        at : EMPoint
            Where the iteration stands.

        Returns
        -------
        tuple of (ndarray, str)
            The proposal, and "EM", "expansion", "boundary", "Anderson" or "L-BFGS".
        """
        if not self._enabled:
            return at.mapped, "EM"
        if self._at is not None:
            self._quasi_newton.learn(at.x - self._at.x, self._at.gradient - at.gradient, at.information)
        self._at, self._climb = at, None
        self._until_boundary -= 1
        edge = _on_boundary(self._problem, at.x, at.mapped)
        if edge is not None and self._until_boundary <= 0:
            self._until_boundary = _BOUNDARY_PAUSE
            return edge, "boundary"
        if self._rejections >= _REJECTIONS:
            self._climb, self._shortenings = self._uphill(at), _SHORTENINGS
            return at.x + self._climb, "L-BFGS"
        if self._expansions:
            self._expansions -= 1
            return _expand(self._problem, at.mapped, at.expected), "expansion"
        return self._mixed(at)

    def retreat(self) -> tuple[Array, str]:
        """What to try after the last proposal lowered the log-posterior: a shorter step, or the EM step."""
        assert self._at is not None
        if self._climb is not None and self._shortenings:
            self._shortenings -= 1
            self._climb = self._climb * _SHORTER
            return self._at.x + self._climb, "L-BFGS"
        self._expansions = 0
        self._points.clear()
        self._steps.clear()
        self._rejections += 1
        if self._climb is not None:
            self._quasi_newton.forget()
            self._rejections = 0
        return self._at.mapped, "EM"

    def _mixed(self, at: EMPoint) -> tuple[Array, str]:
        """Anderson mixing of the last images (Anderson 1965), differences in complete-data standard errors."""
        self._points.append(at.mapped)
        self._steps.append((at.mapped - at.x) * np.sqrt(at.information))
        del self._points[: -_MEMORY - 1], self._steps[: -_MEMORY - 1]
        if len(self._points) < 2:
            return at.mapped, "EM"
        residuals = np.diff(np.array(self._steps), axis=0).T
        images = np.diff(np.array(self._points), axis=0).T
        weights, *_ = np.linalg.lstsq(residuals, self._steps[-1], rcond=1e-10)
        return at.mapped - images @ weights, "Anderson"

    def _uphill(self, at: EMPoint) -> Array:
        """An L-BFGS step that rises, the complete-data information as first guess of minus the second derivatives."""
        problem = self._problem

        def solve(right: Array) -> Array:
            step = right / at.information
            size = problem.layout.item_size
            step[:size] = solve_complete(problem, at.x, at.items, right)[:size]
            return step

        step = _cut(problem, self._quasi_newton.direction(at.gradient, solve))
        if not step @ at.gradient > 0.0:
            self._quasi_newton.forget()
            step = _cut(problem, solve(at.gradient))
        return step


def _cut(problem: Problem, step: Array) -> Array:
    """Each item's step cut to the longest allowed, a shared parameter's with the item that is cut most."""
    layout = problem.layout
    longest = np.where(layout.is_free, np.abs(step[layout.index]), 0.0).max(axis=1, initial=0.0)
    share = np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))
    each = np.ones(layout.size)
    np.minimum.at(
        each, layout.index[layout.is_free], np.broadcast_to(share[:, None], layout.index.shape)[layout.is_free]
    )
    return step * each


def _can_expand(problem: Problem) -> bool:
    """Whether every slope and intercept is free (alone or shared) and none has a prior."""
    layout = problem.layout
    linear = problem.model.dimensions + 1
    if layout.free_moments or problem.model.dimensions != 1 or not layout.is_free[:, :linear].all():
        return False
    return not any(np.isin(layout.index[:, :linear], at).any() for _, at in problem.priors.placed)


def _expand(problem: Problem, x: Array, expected: EStep) -> Array:
    """Absorb the pooled posterior mean and sd of theta into the items (PX-EM, Liu, Rubin & Wu 1998)."""
    theta = problem.grid.nodes[:, 0]
    share = expected.node_counts / expected.node_counts.sum()
    mean = float(share @ theta)
    ratio = float(np.sqrt(share @ (theta - mean) ** 2 / problem.known.variance))
    values = problem.layout.values(x)
    values[:, 1] += values[:, 0] * (mean - ratio * problem.known.mean)
    values[:, 0] *= ratio
    return problem.layout.free(values)


def _on_boundary(problem: Problem, x: Array, mapped: Array) -> Array | None:
    """The EM step with a small and falling variance put where it seems to go, 0 as far as the nodes can tell.

    EM approaches a boundary ever more slowly. Nodes too coarse for the variance could not tell whether it is one.
    """
    layout, floor = problem.layout, smallest_variance(problem.grid)
    if VARIANCE not in layout.free_moments:
        return None
    at = layout.item_size + layout.free_moments.index(VARIANCE)
    small, falling = floor < mapped[at] < SMALL_VARIANCE, mapped[at] < x[at]
    if not (small and falling and problem.grid.spacing <= WIDEST_SPACING * np.sqrt(mapped[at])):
        return None
    edge = mapped.copy()
    edge[at] = floor
    return edge
