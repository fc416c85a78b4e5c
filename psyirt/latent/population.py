"""The population's ability density and the nodes it is integrated on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import InputError
from psyirt.foundation.arguments import require

Array = NDArray[np.float64]


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

    def variance_scores(self, grid: Grid) -> tuple[Array, Array]:
        """First and second derivative of the log weights in the variance, each of shape (Q,).

        The weights are renormalised on the grid, so both subtract the grid's own moments.
        """
        weights = np.exp(self.log_weights(grid))
        square = (grid.nodes[:, 0] - self.mean) ** 2
        mean = float(weights @ square)
        spread = float(weights @ (square - mean) ** 2)
        first = (square - mean) / (2.0 * self.variance**2)
        second = -(square - mean) / self.variance**3 - spread / (4.0 * self.variance**4)
        return first, second


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
