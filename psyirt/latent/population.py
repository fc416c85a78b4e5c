"""The population's ability density and the nodes it is integrated on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.latent.grid_weights import of_scaled_weights, scaled_to_one

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

    @property
    def is_smooth(self) -> bool:
        """Whether it has derivatives in theta."""
        return True

    @property
    def is_parametric(self) -> bool:
        """Whether all that is estimated of it is among the free parameters."""
        return True

    @property
    def text(self) -> str:
        """As a summary prints it."""
        return f"N({self.mean:.4g}, {self.variance:.4g})"

    def moved(self, values: Mapping[str, float]) -> NormalPopulation:
        """The density with "mean" or "variance" at other values."""
        return replace(self, **values)

    def log_weights(self, grid: Grid) -> Array:
        """Log of the node weights, shape (Q,); exp() of it sums to 1."""
        return scaled_to_one(self.log_density(grid.nodes[:, 0]))

    def log_density(self, theta: Array) -> Array:
        """Log of the density up to a constant, the shape of `theta`."""
        return -0.5 * (theta - self.mean) ** 2 / self.variance

    def log_density_slopes(self, theta: Array) -> tuple[Array, Array]:
        """First and second derivative of :meth:`log_density` in theta, each the shape of `theta`."""
        return -(theta - self.mean) / self.variance, np.full_like(theta, -1.0 / self.variance)

    def bends(self) -> tuple[Array, Array]:
        """Where the log-density bends and over which distance, each of shape (1,)."""
        return np.array([self.mean]), np.array([self.sd])

    def share_below(self, theta: ArrayLike) -> Array:
        """Share of the population below theta, 0 to 1, the shape of `theta`; NaN where theta is."""
        return np.asarray(ndtr((np.asarray(theta, dtype=float) - self.mean) / self.sd))

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Abilities drawn at random, shape (count,)."""
        return rng.normal(self.mean, self.sd, count)

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
        first = np.array([slopes[name] for name in moments]).reshape(-1, grid.count)
        second = np.empty((len(first), *first.shape))
        for i, one in enumerate(moments):
            for j, other in enumerate(moments):
                second[i, j] = bends[frozenset((one, other))]
        return of_scaled_weights(first, second, weights)


STANDARD_NORMAL = NormalPopulation()


def smallest_variance(grid: Grid) -> float:
    """The variance below which a density on the grid stands on one node: a tenth of the spacing, squared."""
    return (grid.spacing / 10.0) ** 2
