"""Where a covariance is taken: the maximum of a fit, or parameters that were given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from psyirt.data.pattern_source import PatternSource
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.base import Array, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import ParameterLayout

# an asymptote within .001 of 0 or 1 sits on its boundary, where curvature says nothing about uncertainty
BOUNDARY_LOGIT = 6.9


@dataclass(frozen=True, eq=False)
class FitPoint:
    """The maximum a covariance is taken at.

    Attributes
    ----------
    patterns, model, layout, priors, population, grid
        What was fitted to what.
    x : ndarray, shape (size,)
        The free vector.
    """

    patterns: PatternSource
    model: ResponseModel
    layout: ParameterLayout
    priors: FreePriors
    population: Population
    grid: Grid
    x: Array

    @cached_property
    def values(self) -> Array:
        """Slot values at `x`, shape (J, S)."""
        return self.layout.values(self.x)

    @cached_property
    def table(self) -> Array:
        """Log-probabilities, shape (J, C, Q)."""
        return self.model.log_probabilities(self.values, self.grid.nodes)

    @cached_property
    def log_weights(self) -> Array:
        """Log population weights of the nodes, shape (Q,)."""
        return self.population.log_weights(self.grid)

    @cached_property
    def latent_scores(self) -> tuple[Array, Array]:
        """First and second derivatives of the log weights in the M free latent moments, (M, Q) and (M, M, Q)."""
        return self.population.moment_scores(self.grid, self.layout.free_moments)

    @property
    def prior_information(self) -> Array:
        """Minus the second derivative of each parameter's log-prior, 0 where it has none, shape (size,)."""
        return -self.priors.curvature(self.x)

    def natural_slopes(self) -> Array:
        """d natural / d estimation scale of each free parameter, shape (size,): c (1 - c) for asymptotes, else 1."""
        out = np.ones(self.layout.size)
        for slot in ("c", "d"):
            at = self.layout.positions(slot)
            out[at] = expit(self.x[at]) * expit(-self.x[at])
        return out

    def at_boundary(self) -> dict[int, str]:
        """Asymptotes so close to 0 or 1 that observed information gives them no standard error."""
        found = {}
        for slot in ("c", "d"):
            for at in self.layout.positions(slot):
                if abs(self.x[at]) > BOUNDARY_LOGIT:
                    edge = "0" if self.x[at] < 0 else "1"
                    found[int(at)] = f"{slot} is at its boundary {edge}: standard error not available"
        return found
