"""Calibration: item parameters, the population they refer to, and how well they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from psyirt.data.any_responses import AnyResponses
from psyirt.errors import NotAvailableError
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import Expectation, expectation
from psyirt.models.base import Array
from psyirt.models.item_types import ItemType
from psyirt.models.parameters import ItemParameters
from psyirt.results.estimates import Estimates
from psyirt.results.item_table import item_table
from psyirt.results.summary import shown_items, summary_text
from psyirt.results.weighting import SAMPLING
from psyirt.score_likelihood import ScoreExpectation, pack_scores, score_expectation
from psyirt.scoring.abilities import estimate_abilities


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Calibration(Estimates):
    """Item parameters on an ability scale; frozen, costly parts computed when first asked for.

    Made by ``psyirt.fit_mml`` or ``psyirt.fix``; reads like a statsmodels result. Parameters, standard errors and
    intervals are those of :class:`psyirt.results.estimates.Estimates`, whose attributes it has too.

    Attributes
    ----------
    item_parameters : ItemParameters
        J fitted items, natural scale.
    item_types : tuple of ItemType
        Each item's type.
    status : {"converged", "stopped at the limit", "no finite estimate", "fixed"}
        How the estimates came about.
    responses : Responses or None
        The fitted items' responses; None for parameters fixed without data.
    trace : tuple
        One entry per iteration: iteration, objective, gradient, change, kind.
    set_aside : mapping of item to reason
        Items that were given but could not be calibrated.
    notes : tuple of str
        What a reader of the result should know.
    """

    item_parameters: ItemParameters
    item_types: tuple[ItemType, ...]
    status: str
    responses: AnyResponses | None = None
    trace: tuple[Any, ...] = ()
    set_aside: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    # what was fitted ---------------------------------------------------------------------------------------
    @property
    def item_names(self) -> tuple[str, ...]:
        """Names of the fitted items."""
        return self.item_parameters.item_names

    @property
    def model_name(self) -> str:
        """The item types' names, joined by '+' where items differ."""
        return " + ".join(dict.fromkeys(kind.name for kind in self.item_types))

    @property
    def converged(self) -> bool:
        """Whether the convergence criteria were met (False also where nothing was estimated)."""
        return self.status == "converged"

    @property
    def iterations(self) -> int:
        """Iterations taken (a rejected acceleration costs a second E-step within one)."""
        return len(self.trace)

    @cached_property
    def nobs(self) -> float:
        """Sum of the subjects' weights: their number where no weights were given."""
        return self._data("nobs").total

    # fit -----------------------------------------------------------------------------------------------------
    @cached_property
    def table(self) -> Array:
        """Log-probabilities, shape (items, categories, nodes)."""
        with one_blas_thread():
            return self.model.log_probabilities(self.item_parameters.values, self.grid.nodes)

    @cached_property
    def log_weights(self) -> Array:
        """Log population weights of the nodes, shape (nodes,)."""
        return self.population.log_weights(self.grid)

    @cached_property
    def expectation(self) -> Expectation:
        """The E-step at the estimates: log-likelihood and expected counts."""
        return expectation(self._data("expected counts"), self.table, self.log_weights)

    @cached_property
    def _sums(self) -> Expectation | ScoreExpectation:
        """The E-step at the estimates, on sum scores where they are enough."""
        patterns = self._data("the log-likelihood")
        linear = self.model.linear_logits(self.item_parameters.values)
        if linear is None or not patterns.is_complete:
            return self.expectation
        # the table of a very long test would not fit into memory
        nodes = self.grid.nodes[:, 0]
        with one_blas_thread():
            return score_expectation(pack_scores(patterns), *linear, nodes, self.log_weights)

    @cached_property
    def loglik(self) -> float:
        """Marginal log-likelihood at the estimates (priors not included)."""
        return self._sums.log_likelihood

    @property
    def pooled_moments(self) -> tuple[float, float]:
        """Mean of ability under the subjects' pooled posteriors, and its second moment about the population mean.

        A test of convergence that costs nothing: at a maximum they are the population's own on the nodes (0 and 1; 0
        and the estimated variance for Rasch), wherever all slopes and intercepts, or the intercepts and the variance,
        are free and without priors. With priors they need not be.
        """
        share = self._sums.node_counts / self._sums.node_counts.sum()
        away = self.grid.nodes[:, 0] - self.population.mean
        return float(share @ self.grid.nodes[:, 0]), float(share @ away**2)

    @property
    def llf(self) -> float:
        """The log-likelihood, under statsmodels' name."""
        return self.loglik

    @property
    def log_prior(self) -> float:
        """Sum of the log-prior densities at the estimates, 0 without priors."""
        return self.priors.log_density(self.x)

    @property
    def aic(self) -> float:
        """-2 log-likelihood + 2 k (Akaike 1974); NaN with sampling weights or a histogram of ability."""
        return self._criterion(2.0)

    @property
    def bic(self) -> float:
        """-2 log-likelihood + k log n, n = subjects (Schwarz 1978); NaN as `aic`."""
        return self._criterion(math.log(self.nobs))

    @property
    def sabic(self) -> float:
        """-2 log-likelihood + k log((n + 2) / 24) (Sclove 1987); NaN as `aic`."""
        return self._criterion(math.log((self.nobs + 2.0) / 24.0))

    def _criterion(self, price: float) -> float:
        """-2 log-likelihood + a price for each parameter; where there is none the notes say why."""
        void = self.weights_kind == SAMPLING or not self.population.is_parametric
        return math.nan if void else -2.0 * self.loglik + price * self.n_parameters

    # views ---------------------------------------------------------------------------------------------------
    @property
    def items(self) -> pd.DataFrame:
        """Index item; columns a, b, c, d, intercept, their standard errors, model, n, note.

        Standard errors of b come from the delta method; NaN where a parameter is fixed or its standard error is not
        available (the note says which). In several dimensions a1, a2, ... take the place of a, and b is left out.
        A copy: changing it does not change the calibration.
        """
        return self._items.copy()

    @cached_property
    def _items(self) -> pd.DataFrame:
        with one_blas_thread():
            return item_table(self, self.default_cov if self.patterns is not None and self.n_parameters else None)

    def abilities(self, method: str = "EAP") -> pd.DataFrame:
        """Abilities of the fitted subjects.

        Parameters
        ----------
        method : {"EAP", "MAP", "ML", "WLE"}
            See :func:`psyirt.scoring.abilities.estimate_abilities`.

        Returns
        -------
        DataFrame
            Index subject; columns theta, se.

        Raises
        ------
        InputError
            If the method is unknown.
        NotAvailableError
            If there are no responses.
        """
        if self.responses is None:
            raise NotAvailableError(
                "no responses to score",
                "parameters were fixed without data",
                "Use psyirt.score(calibration, responses)",
            )
        return estimate_abilities(self.item_parameters, self.population, self.grid, self.responses, method)

    def summary(self) -> str:
        """Fit, convergence, items and notes as text."""
        return summary_text(self)

    def __repr__(self) -> str:
        """The summary."""
        return self.summary()

    def _repr_html_(self) -> str:
        """The items as a table, for notebooks."""
        head = summary_text(self, with_items=False).replace("&", "&amp;").replace("<", "&lt;")
        return f"<pre>{head}</pre>{shown_items(self).round(3).to_html()}"
