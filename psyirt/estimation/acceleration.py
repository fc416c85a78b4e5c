"""Fewer EM iterations: parameter expansion first, then Anderson mixing of the EM map.

Neither is trusted: the loop keeps a proposal only if the log-posterior did not fall, and otherwise takes the
plain EM step it was made from.
"""

from __future__ import annotations

import numpy as np

from psyirt.estimation.item_functions import EStep
from psyirt.estimation.nodes import SMALL_VARIANCE, WIDEST_SPACING
from psyirt.estimation.problem import Problem
from psyirt.latent.population import VARIANCE, smallest_variance
from psyirt.models.base import Array

# parameter expansion at every iteration stalls where a slope runs away; a few steps are what it is good for
_EXPANSION_STEPS = 3
_MEMORY = 6
# iterations after which a variance that goes on falling is tried at its boundary again
_BOUNDARY_PAUSE = 10


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

    def propose(self, x: Array, mapped: Array, expected: EStep, scale: Array) -> tuple[Array, str]:
        """The next point and how it was made.

        Parameters
        ----------
        x, mapped : ndarray, shape (size,)
            A point and its image under the EM map.
        expected : Expectation or ScoreExpectation
            The expectation at `x`.
        scale : ndarray, shape (size,)
            Complete-data standard errors: the units in which differences are compared.

        Returns
        -------
        tuple of (ndarray, str)
            The proposal, and "EM", "expansion", "boundary" or "Anderson".
        """
        if not self._enabled:
            return mapped, "EM"
        self._until_boundary -= 1
        edge = _on_boundary(self._problem, x, mapped)
        if edge is not None and self._until_boundary <= 0:
            self._until_boundary = _BOUNDARY_PAUSE
            return edge, "boundary"
        if self._expansions:
            self._expansions -= 1
            return _expand(self._problem, mapped, expected), "expansion"
        self._points.append(mapped)
        self._steps.append((mapped - x) / scale)
        del self._points[: -_MEMORY - 1], self._steps[: -_MEMORY - 1]
        if len(self._points) < 2:
            return mapped, "EM"
        residuals = np.diff(np.array(self._steps), axis=0).T
        images = np.diff(np.array(self._points), axis=0).T
        weights, *_ = np.linalg.lstsq(residuals, self._steps[-1], rcond=1e-10)
        return mapped - images @ weights, "Anderson"

    def reject(self) -> None:
        """Forget the past: the last proposal lowered the log-posterior."""
        self._expansions = 0
        self._points.clear()
        self._steps.clear()


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
