"""The population's ability density and the nodes it is integrated on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import InputError
from psyirt.foundation.arguments import require

Array = NDArray[np.float64]

# the moments of a density that may be free
MEAN, VARIANCE = "mean", "variance"


# beyond any ability, and near enough for sums of squares
_FARTHEST = 1e6


@dataclass(frozen=True)
class Grid:
    """Equally spaced ability nodes in one dimension.

    Parameters
    ----------
    count : int
        Q, the number of nodes, at least 3.
    low, high : float
        First and last node.
    """

    count: int = 61
    low: float = -6.0
    high: float = 6.0

    def __post_init__(self) -> None:
        """Refuse a grid that cannot carry an integral."""
        require(self.count, Integral, "count", "Grid", "Give a whole number of nodes")
        require(self.low, Real, "low", "Grid", "Give the first node as a number")
        require(self.high, Real, "high", "Grid", "Give the last node as a number")
        if self.count < 3:
            raise InputError(f"{self.count} quadrature nodes", "nodes", "Give at least 3")
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise InputError(f"nodes from {self.low} to {self.high}", "nodes", "The first must lie below the last")
        if max(abs(self.low), abs(self.high)) > _FARTHEST:
            raise InputError(f"nodes from {self.low:g} to {self.high:g}", "nodes", f"Stay within {_FARTHEST:g} of 0")

    @cached_property
    def nodes(self) -> Array:
        """Shape (Q, 1)."""
        return np.linspace(self.low, self.high, self.count)[:, None]

    @property
    def spacing(self) -> float:
        """Distance between neighbouring nodes."""
        return (self.high - self.low) / (self.count - 1)


@dataclass(frozen=True)
class NormalPopulation:
    """theta ~ N(mean, variance), on a grid: the normal density at the nodes, scaled to sum to 1.

    Parameters
    ----------
    mean, variance : float
        Moments of the density; 0 and 1 identify the scale unless the model says otherwise.
    """

    mean: float = 0.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        """Refuse moments no normal density has."""
        require(self.mean, Real, "mean", "latent population", "Give a number")
        require(self.variance, Real, "variance", "latent population", "Give a positive number")
        if not (np.isfinite(self.mean) and 0 < self.variance < np.inf):
            raise InputError(
                f"mean {self.mean}, variance {self.variance}",
                "latent population",
                "Give a number and a positive number",
            )

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.variance))

    def log_weights(self, grid: Grid) -> Array:
        """Log of the node weights, shape (Q,); exp() of it sums to 1."""
        log_density = -0.5 * (grid.nodes[:, 0] - self.mean) ** 2 / self.variance
        shifted = log_density - log_density.max()
        return shifted - np.log(np.exp(shifted).sum())

    def moment_scores(self, grid: Grid, moments: Sequence[str]) -> tuple[Array, Array]:
        """First and second derivatives of the log weights in some of the moments.

        Parameters
        ----------
        grid : Grid
            Q nodes.
        moments : sequence of str
            M of "mean" and "variance"; may be empty.

        Returns
        -------
        tuple of ndarray, of shape (M, Q) and (M, M, Q)
            The weights are renormalised on the grid, so both subtract the grid's own expectations.
        """
        weights = np.exp(self.log_weights(grid))
        away = grid.nodes[:, 0] - self.mean
        # derivatives of -(theta - mean)^2 / (2 variance)
        slopes = {MEAN: away / self.variance, VARIANCE: away**2 / (2.0 * self.variance**2)}
        bends = {
            frozenset((MEAN,)): np.full_like(away, -1.0 / self.variance),
            frozenset((MEAN, VARIANCE)): -away / self.variance**2,
            frozenset((VARIANCE,)): -(away**2) / self.variance**3,
        }
        first = np.array([slopes[name] - weights @ slopes[name] for name in moments]).reshape(-1, grid.count)
        second = np.empty((len(first), *first.shape))
        for i, one in enumerate(moments):
            for j, other in enumerate(moments):
                bend = bends[frozenset((one, other))]
                second[i, j] = bend - weights @ bend - weights @ (first[i] * first[j])
        return first, second


STANDARD_NORMAL = NormalPopulation()


def smallest_variance(grid: Grid) -> float:
    """The variance below which a density on the grid stands on one node: a tenth of the spacing, squared."""
    return (grid.spacing / 10.0) ** 2


def fit_variance(second_moment: float, grid: Grid, mean: float = 0.0) -> float:
    """The variance whose renormalised grid density has the given second moment about `mean`.

    Parameters
    ----------
    second_moment : float
        Pooled posterior second moment, above 0.
    grid : Grid
        The nodes.
    mean : float
        The population mean.

    Returns
    -------
    float
        Found by Newton steps on log variance; the maximum of the expected log-density in the variance, or
        :func:`smallest_variance` where that is larger.
    """
    smallest = smallest_variance(grid)
    log_variance = float(np.log(max(second_moment, smallest)))
    square = (grid.nodes[:, 0] - mean) ** 2
    for _ in range(100):
        population = NormalPopulation(mean, float(np.exp(log_variance)))
        weights = np.exp(population.log_weights(grid))
        moment = float(weights @ square)
        slope = float(weights @ (square - moment) ** 2) / (2.0 * population.variance)
        step = float(np.clip((second_moment - moment) / max(slope, 1e-300), -1.0, 1.0))
        log_variance = max(log_variance + step, float(np.log(smallest)))
        if abs(step) < 1e-13:
            break
    return max(float(np.exp(log_variance)), smallest)


def fit_mean(first_moment: float, population: NormalPopulation, grid: Grid) -> float:
    """The mean whose renormalised grid density, of the given variance, has the given first moment.

    Parameters
    ----------
    first_moment : float
        Pooled posterior mean.
    population : NormalPopulation
        Its variance, and the mean to start from.
    grid : Grid
        The nodes.

    Returns
    -------
    float
        Found by Newton steps; the maximum of the expected log-density in the mean between the first and last node.
    """
    mean, theta = population.mean, grid.nodes[:, 0]
    for _ in range(100):
        weights = np.exp(NormalPopulation(mean, population.variance).log_weights(grid))
        moment = float(weights @ theta)
        spread = float(weights @ (theta - moment) ** 2)
        step = (first_moment - moment) * population.variance / max(spread, 1e-300)
        moved = float(np.clip(mean + np.clip(step, -population.sd, population.sd), grid.low, grid.high))
        done = abs(moved - mean) < 1e-13 * max(1.0, abs(mean))
        mean = moved
        if done:
            break
    return mean


def fit_moments(node_counts: Array, population: NormalPopulation, grid: Grid, moments: Sequence[str]) -> Array:
    """The moments that raise the expected log-density: the mean first, then the variance about it.

    On nodes that are close and reach far the two are the maximum; on any nodes the expected log-density does not fall.

    Parameters
    ----------
    node_counts : ndarray, shape (Q,)
        Expected subjects at each node.
    population : NormalPopulation
        Where it stands; moments that are not named stay.
    grid : Grid
        The nodes.
    moments : sequence of str
        M of "mean" and "variance".

    Returns
    -------
    ndarray, shape (M,)
        In the order of `moments`.
    """
    theta, share = grid.nodes[:, 0], node_counts / node_counts.sum()
    mean, variance = population.mean, population.variance
    if MEAN in moments:
        mean = fit_mean(float(share @ theta), population, grid)
    if VARIANCE in moments:
        variance = fit_variance(float(share @ (theta - mean) ** 2), grid, mean)
    found = {MEAN: mean, VARIANCE: variance}
    return np.array([found[name] for name in moments])
