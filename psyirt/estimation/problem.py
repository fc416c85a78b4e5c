"""The function marginal maximum likelihood maximises: log-likelihood plus log-prior of the free vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psyirt.data.patterns import Patterns
from psyirt.estimation import item_functions
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.likelihood import Expectation, expectation
from psyirt.models.base import Array, Derivatives, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import ParameterLayout


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, model and priors as functions of the free vector x.

    Attributes
    ----------
    patterns : Patterns
        The responses.
    model : ResponseModel
        The response function.
    layout : ParameterLayout
        How x fills the table of slot values.
    priors : FreePriors
        Priors by position in x.
    grid : Grid
        Quadrature nodes.
    variance : float
        The latent variance where it is not free.
    """

    patterns: Patterns
    model: ResponseModel
    layout: ParameterLayout
    priors: FreePriors
    grid: Grid
    variance: float = 1.0

    def population(self, x: Array) -> NormalPopulation:
        """The ability density at `x`."""
        return NormalPopulation(0.0, float(x[-1]) if self.layout.frees_variance else self.variance)

    def in_domain(self, x: Array) -> bool:
        """Whether the model is defined at `x`: finite, a positive variance, c < d."""
        if not np.all(np.isfinite(x)) or (self.layout.frees_variance and x[-1] <= 0):
            return False
        values = self.layout.values(x)
        return bool(np.all(values[:, -2] < values[:, -1]))

    def expectation(self, x: Array) -> Expectation:
        """The E-step at `x`."""
        table = self.model.log_probabilities(self.layout.values(x), self.grid.nodes)
        return expectation(self.patterns, table, self.population(x).log_weights(self.grid))

    def objective(self, x: Array, expected: Expectation) -> float:
        """Log-posterior: the marginal log-likelihood plus the log-prior density."""
        return expected.log_likelihood + self.priors.log_density(x)

    def complete_derivatives(self, x: Array, expected: Expectation) -> Derivatives:
        """Gradient and Fisher information of the expected complete-data log-likelihood, item by item."""
        return item_functions.derivatives(self.model, self.layout.values(x), self.grid.nodes, expected.counts)

    def item_objectives(self, x: Array, expected: Expectation) -> Array:
        """Expected complete-data log-likelihood of each item, shape (J,)."""
        return item_functions.objectives(self.model, self.layout.values(x), self.grid.nodes, expected.counts)

    def gradient(self, x: Array, expected: Expectation, items: Derivatives | None = None) -> Array:
        """Gradient of the log-posterior; by Fisher's identity that of the expected complete-data one."""
        items = items or self.complete_derivatives(x, expected)
        out = np.empty(self.layout.size)
        out[: self.layout.item_size] = self.layout.fold(items.gradient)
        if self.layout.frees_variance:
            first, _ = self.population(x).variance_scores(self.grid)
            out[-1] = expected.node_counts @ first
        return out + self.priors.gradient(x)

    def complete_information(self, x: Array, expected: Expectation, items: Derivatives) -> Array:
        """Diagonal of the complete-data information plus the priors' curvature, shape (size,); positive."""
        out = np.empty(self.layout.size)
        out[: self.layout.item_size] = self.layout.fold(np.diagonal(items.information, axis1=1, axis2=2))
        if self.layout.frees_variance:
            _, second = self.population(x).variance_scores(self.grid)
            out[-1] = max(-float(expected.node_counts @ second), 0.0)
        out -= np.minimum(self.priors.curvature(x), 0.0)
        return np.maximum(out, 1e-12)
