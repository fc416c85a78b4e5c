"""A fit whose ability density is a histogram: its weights are maximised anew at every point.

The function of the item parameters that is left is the profile log-posterior. Its gradient is that of the log-posterior
at the weights found (they are at their maximum), and an EM step of the items raises it, so that the loop, its
acceleration and its convergence test need to know nothing of the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from psyirt.errors import InputError
from psyirt.estimation.node_weights import Mixture, climb
from psyirt.estimation.problem import Problem
from psyirt.latent.fitting import fit_variance
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.likelihood import posteriors
from psyirt.models.base import Array

# log-likelihood units that the weights may leave to gain, steps to get there
_GAP, _MOST_STEPS = 1e-7, 200
# share of the normal density that is mixed into weights to start from, so that every node may gain weight
_FRESH = 0.01
# least squares in more weights than this takes minutes
_MOST_NODES = 1000


@dataclass(frozen=True, eq=False)
class HistogramProblem(Problem):
    """Data, model and priors as functions of the items' free vector, the weights profiled out.

    Attributes
    ----------
    holds_variance : bool
        Whether the weights have the known variance, as well as the known mean; those identify the scale. A Rasch model
        leaves the variance free.
    """

    holds_variance: bool = True
    _last: dict[str, Array] = field(default_factory=dict, init=False, repr=False)

    def population(self, x: Array) -> HistogramPopulation:
        """The histogram of highest likelihood at `x`; found once for the last point."""
        key = x.tobytes()
        if self._last.get("key") is None or self._last["key"].tobytes() != key:
            self._last["weights"] = self._best_weights(x)
            self._last["key"] = x.copy()
        return HistogramPopulation(self.grid, self._last["weights"])

    def _best_weights(self, x: Array) -> Array:
        """Climb from the last point's weights, or from the normal density."""
        start = _normal_weights(self.grid, self.known.mean, self.known.variance)
        even = np.full(self.grid.count, 1.0 / self.grid.count)
        table = self.model.log_probabilities(self.layout.values(x), self.grid.nodes)
        blocks = posteriors(self.patterns, table, np.log(even))
        mixture = Mixture.of(blocks, even, self.patterns.weights, *self._held())
        if "weights" in self._last:
            start = (1.0 - _FRESH) * self._last["weights"] + _FRESH * start
        return climb(mixture, start, _GAP, _MOST_STEPS)[0]

    def _held(self) -> tuple[Array, Array]:
        """Functions of ability whose means the weights must have, and those means."""
        away = self.grid.nodes[:, 0] - self.known.mean
        if not self.holds_variance:
            return away[None], np.zeros(1)
        return np.array([away, away**2]), np.array([0.0, self.known.variance])


def with_free_weights(problem: Problem) -> HistogramProblem:
    """A problem whose density gives way to a histogram with its mean, and its variance unless that is free."""
    layout = problem.layout.without_moments()
    return HistogramProblem(
        problem.patterns,
        problem.model,
        layout,
        replace(problem.priors, size=layout.size),
        problem.grid,
        problem.known,
        holds_variance=not problem.layout.frees_variance,
    )


def _normal_weights(grid: Grid, mean: float, variance: float) -> Array:
    """Normal density at the nodes with exactly this mean and variance as sums over them.

    Raises
    ------
    InputError
        If no weights on the nodes have these moments, or the nodes are too many.
    """
    if grid.count > _MOST_NODES:
        raise InputError(
            f"{grid.count} free weights",
            "latent='histogram'",
            f"Give at most {_MOST_NODES} nodes (nodes=), or use latent='davidian'",
        )
    reach = min(mean - grid.low, grid.high - mean)
    if reach <= 0.0 or variance >= reach**2:
        raise InputError(
            f"nodes from {grid.low:g} to {grid.high:g} for mean {mean:g} and variance {variance:g}",
            "latent='histogram'",
            "Give nodes that reach further on both sides",
        )
    return np.exp(NormalPopulation(mean, fit_variance(variance, grid, mean)).log_weights(grid))
