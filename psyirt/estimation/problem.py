"""The function marginal maximum likelihood maximises: log-likelihood plus log-prior of the free vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from psyirt.data.pattern_source import PatternSource
from psyirt.estimation import item_functions
from psyirt.estimation.item_functions import EStep
from psyirt.latent.density import Population
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import STANDARD_NORMAL, Grid, smallest_variance
from psyirt.likelihood import expectation
from psyirt.models.base import Array, Derivatives, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import MOMENTS, ParameterLayout
from psyirt.score_likelihood import ScoreData, pack_scores, score_expectation


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, model and priors as functions of the free vector x.

    Attributes
    ----------
    patterns : PatternSource
        The responses.
    model : ResponseModel
        The response function.
    layout : ParameterLayout
        How x fills the table of slot values.
    priors : FreePriors
        Priors by position in x.
    grid : Grid
        Quadrature nodes.
    known : Population
        The ability density, but for the parameters that are free.
    """

    patterns: PatternSource
    model: ResponseModel
    layout: ParameterLayout
    priors: FreePriors
    grid: Grid
    known: Population = STANDARD_NORMAL

    def on(self, grid: Grid) -> Problem:
        """The same problem on other nodes."""
        if grid == self.grid:
            return self
        return self._sharing_data(replace(self, grid=grid))

    def with_shape(self, known: Population, names: Sequence[str]) -> Problem:
        """The same problem with another kind of density, of which these parameters of shape are free."""
        layout = self.layout.with_shape(names)
        priors = replace(self.priors, size=layout.size)
        return self._sharing_data(replace(self, layout=layout, priors=priors, known=known))

    def with_weights(self, weights: Array) -> Problem:
        """The same items with given weights on the nodes, and nothing of the density free, shape (Q,)."""
        layout = self.layout.without_moments()
        priors = replace(self.priors, size=layout.size)
        known = HistogramPopulation(self.grid, weights)
        return self._sharing_data(replace(self, layout=layout, priors=priors, known=known))

    def _sharing_data(self, other: Problem) -> Problem:
        """Another problem with the same responses: what was packed for the E-step stays packed."""
        if "score_data" in vars(self):
            vars(other)["score_data"] = self.score_data
        return other

    def population(self, x: Array) -> Population:
        """The ability density at `x`."""
        if not self.layout.free_moments:
            return self.known
        moments = x[self.layout.item_size :]
        return self.known.moved(dict(zip(self.layout.free_moments, moments.tolist(), strict=True)))

    @property
    def unit(self) -> float:
        """What makes standard errors those of subjects that count once, where weights make them count for less."""
        return float(np.sqrt(max(1.0, self.patterns.subjects / self.patterns.total)))

    def in_domain(self, x: Array) -> bool:
        """Whether the model is defined at `x`: finite, moments that the nodes can carry, c < d."""
        if not np.all(np.isfinite(x)) or not self._carries_moments(x):
            return False
        values = self.layout.values(x)
        return bool(np.all(values[:, -2] < values[:, -1]))

    def _carries_moments(self, x: Array) -> bool:
        """Whether free moments are a mean between the nodes and a variance that they can tell from 0."""
        free = dict(zip(self.layout.free_moments, x[self.layout.item_size :], strict=True))
        inside = self.grid.low <= free.get("mean", self.grid.low) <= self.grid.high
        return inside and free.get("variance", np.inf) >= smallest_variance(self.grid)

    @cached_property
    def score_data(self) -> ScoreData | None:
        """The responses packed for the E-step on sum scores; None where scores are not sufficient."""
        return pack_scores(self.patterns) if self.uses_scores else None

    @cached_property
    def uses_scores(self) -> bool:
        """Whether sum scores are sufficient: complete answers to items whose logit is linear in ability."""
        free_as_finite = np.where(self.layout.is_free, 0.0, self.layout.fixed)
        return self.patterns.is_complete and self.model.linear_logits(free_as_finite) is not None

    def expectation(self, x: Array) -> EStep:
        """The E-step at `x`, on sum scores where they are sufficient."""
        values = self.layout.values(x)
        log_weights = self.population(x).log_weights(self.grid)
        linear = self.model.linear_logits(values)
        if self.score_data is None or linear is None:
            table = self.model.log_probabilities(values, self.grid.nodes)
            return expectation(self.patterns, table, log_weights)
        return score_expectation(self.score_data, *linear, self.grid.nodes[:, 0], log_weights)

    def objective(self, x: Array, expected: EStep) -> float:
        """Log-posterior: the marginal log-likelihood plus the log-prior density."""
        return expected.log_likelihood + self.priors.log_density(x)

    def complete_derivatives(self, x: Array, expected: EStep) -> Derivatives:
        """Gradient and Fisher information of the expected complete-data log-likelihood, item by item."""
        return item_functions.derivatives(self.model, self.layout.values(x), self.grid.nodes, expected)

    def item_objectives(self, x: Array, expected: EStep) -> Array:
        """Expected complete-data log-likelihood of each item, shape (J,)."""
        return item_functions.objectives(self.model, self.layout.values(x), self.grid.nodes, expected)

    def gradient(self, x: Array, expected: EStep, items: Derivatives | None = None) -> Array:
        """Gradient of the log-posterior; by Fisher's identity that of the expected complete-data one."""
        items = items or self.complete_derivatives(x, expected)
        out = np.empty(self.layout.size)
        out[: self.layout.item_size] = self.layout.fold(items.gradient)
        if self.layout.free_moments:
            first, _ = self.population(x).moment_scores(self.grid, self.layout.free_moments)
            out[self.layout.item_size :] = first @ expected.node_counts
        return out + self.priors.gradient(x)

    def complete_information(self, x: Array, expected: EStep, items: Derivatives) -> Array:
        """Diagonal of the complete-data information plus the priors' curvature, shape (size,); positive."""
        out = np.empty(self.layout.size)
        out[: self.layout.item_size] = self.layout.fold(np.diagonal(items.information, axis1=1, axis2=2))
        if self.layout.free_moments:
            out[self.layout.item_size :] = self._latent_information(x, expected.node_counts)
        out -= np.minimum(self.priors.curvature(x), 0.0)
        return np.maximum(out, 1e-12)

    def _latent_information(self, x: Array, node_counts: Array) -> Array:
        """The same of the density's parameters, before priors.

        Far from a maximum the curvature in the density's shape may have the wrong sign; its expectation stands in.
        """
        names = self.layout.free_moments
        if not names:
            return np.empty(0)
        population = self.population(x)
        first, second = population.moment_scores(self.grid, names)
        observed = np.maximum(-np.diagonal(second @ node_counts), 0.0)
        expected = first**2 @ np.exp(population.log_weights(self.grid)) * node_counts.sum()
        shape = np.array([name not in MOMENTS for name in names], dtype=bool)
        return np.where(shape & (observed == 0.0), expected, observed)
