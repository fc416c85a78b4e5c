"""What every ability density can do: read this before adding one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.latent.population import Grid

Array = NDArray[np.float64]


class Population(Protocol):
    """A density of ability: a frozen value.

    :class:`psyirt.latent.population.NormalPopulation`, :class:`psyirt.latent.davidian.DavidianCurve` and
    :class:`psyirt.latent.histogram.HistogramPopulation` are such.
    """

    @property
    def mean(self) -> float:
        """Mean ability."""

    @property
    def variance(self) -> float:
        """Variance of ability."""

    @property
    def sd(self) -> float:
        """Standard deviation of ability."""

    @property
    def is_smooth(self) -> bool:
        """Whether it has derivatives in theta, as a posterior mode (MAP) needs."""

    @property
    def is_parametric(self) -> bool:
        """Whether all that was estimated of it is among the free parameters, counted and with standard errors."""

    @property
    def text(self) -> str:
        """The density in a few words, as a summary prints it."""

    def log_weights(self, grid: Grid) -> Array:
        """Log of the node weights, shape (Q,); exp() of it sums to 1."""

    def moment_scores(self, grid: Grid, moments: Sequence[str]) -> tuple[Array, Array]:
        """First and second derivatives of the log weights in M named parameters, shapes (M, Q) and (M, M, Q)."""

    def moved(self, values: Mapping[str, float]) -> Self:
        """The same kind of density with some parameters at other values."""

    def share_below(self, theta: ArrayLike) -> Array:
        """Share of the population below theta, 0 to 1, the shape of `theta`; NaN where theta is."""

    def log_density(self, theta: Array) -> Array:
        """Log of the density at abilities of any shape, up to a constant."""

    def log_density_slopes(self, theta: Array) -> tuple[Array, Array]:
        """First and second derivative of :meth:`log_density` in theta."""

    def bends(self) -> tuple[Array, Array]:
        """Where the log-density bends and over which distance, both of shape (K,)."""

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Abilities drawn at random, shape (count,)."""
