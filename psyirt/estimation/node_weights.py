"""Node weights of highest likelihood at given item parameters: the nonparametric mixture problem (Laird 1978).

The log-likelihood is concave in the weights, so there is one maximum, and how far it can be is known at every point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from psyirt.likelihood import PosteriorBlock

Array = NDArray[np.float64]

_SHORTEST = 1e-6
_RIDGE = 1e-12
# how much heavier an equation weighs than the data in least squares
_HEAVY = 1e3


@dataclass(frozen=True, eq=False)
class Mixture:
    """Likelihood of each pattern at each node, over its likelihood under a density of reference.

    Attributes
    ----------
    ratios : ndarray, shape (R, Q)
        The likelihoods.
    counts : ndarray, shape (R,)
        How often each pattern occurs.
    held : ndarray, shape (H, Q)
        Functions of ability whose means under the weights are given; none where only the sum of the weights is.
    means : ndarray, shape (H,)
        Those means.
    """

    ratios: Array
    counts: Array
    held: Array
    means: Array

    @classmethod
    def of(
        cls, blocks: Iterable[PosteriorBlock], reference: Array, counts: Array, held: Array, means: Array
    ) -> Mixture:
        """From posteriors under a `reference` density with weight on every node."""
        ratios = np.concatenate([block.weights / reference for block in blocks])
        return cls(ratios, counts, held, means)

    def log_likelihood(self, weights: Array) -> float:
        """Above that of the density of reference; -inf where a pattern has no probability."""
        with np.errstate(divide="ignore"):
            return float(self.counts @ np.log(self.mixed(weights)))

    def gradient(self, weights: Array) -> Array:
        """Average over subjects of likelihood at a node / marginal likelihood, shape (Q,)."""
        total: Array = (self.counts / self.mixed(weights)) @ self.ratios
        return total / self.counts.sum()

    def mixed(self, weights: Array) -> Array:
        """Marginal likelihood of each pattern under `weights` over that under the density of reference, shape (R,)."""
        total: Array = self.ratios @ weights
        return total

    def gap(self, weights: Array, gradient: Array) -> float:
        """How much higher the log-likelihood of any other weights can be, at most.

        log(u) <= u - 1, so that no weights w' gain more than N (w'g - 1). Multiples of what is held may be taken from
        g, since their means are the same under all weights; the multiples that make g - 1 smallest are found by least
        squares.
        """
        excess = gradient - 1.0
        off = self.held - self.means[:, None]
        if len(off):
            rooted = np.sqrt(weights)
            multiples, *_ = np.linalg.lstsq((off * rooted).T, excess * rooted, rcond=None)
            excess = excess - multiples @ off
        return float(self.counts.sum() * max(excess.max(), 0.0))


def climb(mixture: Mixture, start: Array, gap: float, most_steps: int) -> tuple[Array, int, float]:
    """The weights of highest likelihood, by the constrained Newton method of Wang (2007).

    Parameters
    ----------
    mixture : Mixture
        The problem.
    start : ndarray, shape (Q,)
        Weights that have what is held, above 0 wherever any may be.
    gap : float
        Log-likelihood units that may be left to gain.
    most_steps : int
        Steps at most.

    Returns
    -------
    tuple of (ndarray, int, float)
        Weights, steps taken, and the bound on what is left to gain.
    """
    weights = start
    for steps in range(most_steps + 1):
        gradient = mixture.gradient(weights)
        left = mixture.gap(weights, gradient)
        if left <= gap or steps == most_steps:
            break
        if not len(mixture.held):
            weights = weights * gradient  # a step of EM
        moved = _halved_until_better(mixture, weights, _newton(mixture, weights))
        if moved is weights and len(mixture.held):
            break
        weights = moved
    return weights / weights.sum(), steps, left


def _newton(mixture: Mixture, weights: Array) -> Array:
    """Maximum of the log-likelihood's quadratic approximation over weights >= 0 that sum to 1 and have what is held.

    sum_r n_r log(u_r) is, to second order at u = 1, minus half of sum_r n_r (u_r - 2)^2 up to a constant: least
    squares in the weights (Wang 2007, eq. 5). Heavy extra rows make the equations hold.
    """
    # imported where it is used: other fits do not need what takes half a second to load
    from scipy.optimize import nnls

    scaled = mixture.ratios / mixture.mixed(weights)[:, None]
    weighted = mixture.counts[:, None] * scaled
    squares = weighted.T @ scaled
    # the ridge holds nodes where they are that cannot be told apart, and makes the factor exist
    ridge = _RIDGE * float(np.trace(squares))
    squares[np.diag_indices_from(squares)] += ridge
    linear = 2.0 * weighted.sum(0) + ridge * weights
    triangle = cholesky(squares)
    target = solve_triangular(triangle, linear, trans="T")
    equations = np.vstack([np.ones(len(weights)), mixture.held])
    sides = np.append(1.0, mixture.means)
    heavy = _HEAVY * float(np.sqrt(mixture.counts.sum()))
    try:
        found, _ = nnls(
            np.vstack([triangle, heavy * equations]), np.append(target, heavy * sides), maxiter=100 * len(weights)
        )
    except RuntimeError:  # no solution within maxiter: stay, and let the EM steps climb
        return weights
    return _exactly(found, squares, linear, equations, sides)


def _exactly(found: Array, squares: Array, linear: Array, equations: Array, sides: Array) -> Array:
    """The same maximum with the equations met to rounding, on the nodes that have weight."""
    on = np.flatnonzero(found > 0.0)
    if len(sides) == 1:
        return found / found.sum()
    scale = float(np.trace(squares)) / len(squares)
    while len(on) >= len(sides):
        rows = scale * equations[:, on]
        system = np.block([[squares[np.ix_(on, on)], rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        right = np.append(linear[on], scale * sides)
        solution = np.linalg.lstsq(system, right, rcond=None)[0][: len(on)]
        if (solution >= 0.0).all():
            out = np.zeros_like(found)
            out[on] = solution
            return out
        on = on[solution > 0.0]
    return found / found.sum()


def _halved_until_better(mixture: Mixture, weights: Array, target: Array) -> Array:
    """As far towards `target` as raises the log-likelihood by a quarter of what its slope promises."""
    direction, base = target - weights, mixture.log_likelihood(weights)
    promise = 0.25 * mixture.counts.sum() * float(mixture.gradient(weights) @ direction)
    step = 1.0
    while step > _SHORTEST:
        reached = mixture.log_likelihood(weights + step * direction)
        if reached >= base + step * promise and promise > 0:
            return weights + step * direction
        step *= 0.5
    return weights
