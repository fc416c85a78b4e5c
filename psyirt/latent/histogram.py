"""A histogram as ability density: free weights on equally spaced nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.errors import InputError, NotAvailableError
from psyirt.latent.grid_weights import scaled_to_one
from psyirt.latent.population import Grid

Array = NDArray[np.float64]

# kernels multiply by exp(log weight); a node without weight keeps a number that leaves no trace
_FLOOR = 1e-300
# nodes this near (in spacings) to the edge between two bars stand on both
_ON_EDGE = 1e-6


@dataclass(frozen=True, eq=False)
class HistogramPopulation:
    """theta with given weights on the nodes of a grid; between them each weight is spread evenly over its bar.

    On its own nodes the weights are what they are; on other nodes they are the histogram's height there, scaled to sum
    to 1, so that posteriors may be taken on finer or wider nodes.

    Parameters
    ----------
    grid : Grid
        Q nodes.
    weights : ndarray, shape (Q,)
        0 or above, not all 0; scaled to sum to 1.
    """

    grid: Grid
    weights: Array

    def __post_init__(self) -> None:
        """Keep a copy of the weights that nobody can change, and refuse what is no distribution."""
        own = np.array(self.weights, dtype=float)
        if own.shape != (self.grid.count,) or not (np.isfinite(own).all() and (own >= 0).all() and own.sum() > 0):
            raise InputError(
                f"weights of shape {own.shape} for {self.grid.count} nodes, or not all 0 or above",
                "latent histogram",
                "Give a finite weight, 0 or above, for each node",
            )
        own /= own.sum()
        own.setflags(write=False)
        object.__setattr__(self, "weights", own)

    @property
    def nodes(self) -> Array:
        """Shape (Q,)."""
        return self.grid.nodes[:, 0]

    @cached_property
    def mean(self) -> float:
        """Mean of the nodes under the weights."""
        return float(self.weights @ self.nodes)

    @cached_property
    def variance(self) -> float:
        """Variance of the nodes under the weights."""
        return float(self.weights @ (self.nodes - self.mean) ** 2)

    @property
    def sd(self) -> float:
        """Standard deviation of the nodes under the weights."""
        return float(np.sqrt(self.variance))

    @property
    def is_smooth(self) -> bool:
        """A histogram has steps."""
        return False

    @property
    def is_parametric(self) -> bool:
        """The weights are not among the free parameters."""
        return False

    @property
    def text(self) -> str:
        """As a summary prints it."""
        away = (self.nodes - self.mean) / self.sd
        skewness, kurtosis = (float(self.weights @ away**power) for power in (3, 4))
        # a mean that is held at 0 is 0 but for rounding
        mean = round(self.mean, 6) + 0.0
        return (
            f"histogram on {self.grid.count} nodes, mean {mean:.4g}, variance {self.variance:.4g}, "
            f"skewness {skewness:.2f}, excess kurtosis {kurtosis - 3.0:.2f}"
        )

    def moved(self, values: Mapping[str, float]) -> HistogramPopulation:
        """The histogram itself: it has no parameters that could move."""
        if values:
            raise NotAvailableError(f"no parameter {next(iter(values))!r}", "latent histogram", "Its weights are free")
        return self

    def log_weights(self, grid: Grid) -> Array:
        """Log of the node weights, shape (Q,); exp() of it sums to 1."""
        weights = self.weights if grid == self.grid else self._heights(grid.nodes[:, 0])
        if not weights.any():
            raise InputError(
                f"no weight between {grid.low:g} and {grid.high:g}", "latent histogram", "Give nodes that reach it"
            )
        return scaled_to_one(np.log(np.maximum(weights, _FLOOR)))

    def log_density(self, theta: Array) -> Array:
        """Log of the histogram's height, the shape of `theta`."""
        return np.log(np.maximum(self._heights(theta), _FLOOR))

    def _heights(self, theta: Array) -> Array:
        """Weight of the bar that theta stands on, the mean of two on their common edge, 0 outside."""
        place = (theta - self.grid.low) / self.grid.spacing + 0.5
        edge = np.abs(place - np.round(place)) < _ON_EDGE
        bars = np.concatenate([[0.0], self.weights, [0.0]])
        right = np.where(edge, np.round(place), np.floor(place))
        left = np.where(edge, right - 1, right)
        each = [bars[np.clip(side + 1, 0, self.grid.count + 1).astype(int)] for side in (left, right)]
        return np.asarray(0.5 * (each[0] + each[1]))

    def log_density_slopes(self, theta: Array) -> tuple[Array, Array]:
        """There are none: see `is_smooth`."""
        raise NotAvailableError(
            f"a histogram has no slope at {np.size(theta)} points", "latent histogram", "Use EAP, ML or WLE"
        )

    def bends(self) -> tuple[Array, Array]:
        """Every edge of a bar, and the spacing."""
        edges = np.append(self.nodes, self.grid.high + self.grid.spacing) - 0.5 * self.grid.spacing
        return edges, np.full(len(edges), self.grid.spacing)

    def share_below(self, theta: ArrayLike) -> Array:
        """Share of the population below theta, 0 to 1, the shape of `theta`; NaN where theta is."""
        values = np.asarray(theta, dtype=float)
        edges = np.append(self.nodes, self.grid.high + self.grid.spacing) - 0.5 * self.grid.spacing
        return np.asarray(np.interp(values, edges, np.append(0.0, np.cumsum(self.weights))))

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Abilities drawn at random, shape (count,): a bar by its weight, a place in it evenly."""
        bar = rng.choice(self.grid.count, size=count, p=self.weights)
        return self.nodes[bar] + self.grid.spacing * (rng.random(count) - 0.5)

    def moment_scores(self, grid: Grid, moments: Sequence[str]) -> tuple[Array, Array]:
        """Derivatives in no parameter, shapes (0, Q) and (0, 0, Q): the weights are not among the free parameters."""
        if moments:
            raise NotAvailableError(f"no parameter {moments[0]!r}", "latent histogram", "Its weights are free")
        return np.empty((0, grid.count)), np.empty((0, 0, grid.count))
