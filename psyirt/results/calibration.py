"""Calibration: item parameters, the population they refer to, and how well they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm

from psyirt.data.patterns import Patterns
from psyirt.data.responses import Responses
from psyirt.errors import InputError, NotAvailableError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.likelihood import Expectation, expectation
from psyirt.models.base import Array, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.item_types import ItemType
from psyirt.models.layout import VARIANCE, ParameterLayout
from psyirt.models.parameters import ItemParameters
from psyirt.results.covariance import FULL_LIMIT, Covariance, FitPoint, covariance
from psyirt.results.item_table import item_table
from psyirt.results.summary import shown_items, summary_text
from psyirt.scoring.abilities import estimate_abilities

# multiplications a processor core does in well under a second
_QUICK = 2.5e9


@dataclass(frozen=True, eq=False)
class Calibration:
    """Item parameters on an ability scale; frozen, costly parts computed when first asked for.

    Made by ``psyirt.fit_mml`` or ``psyirt.fix``; reads like a statsmodels result.

    Attributes
    ----------
    item_parameters : ItemParameters
        J fitted items, natural scale.
    item_types : tuple of ItemType
        Each item's type.
    population : NormalPopulation
        The ability density the scale refers to.
    grid : Grid
        Quadrature nodes.
    status : {"converged", "stopped at the limit", "fixed"}
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
    population: NormalPopulation
    grid: Grid
    status: str
    model: ResponseModel
    layout: ParameterLayout
    x: Array
    priors: FreePriors
    responses: Responses | None = None
    patterns: Patterns | None = None
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

    @property
    def n_parameters(self) -> int:
        """Free parameters, the latent variance included where it is free."""
        return self.layout.size

    @cached_property
    def nobs(self) -> float:
        """Sum of the subjects' weights: their number where no weights were given."""
        return self._data("nobs").total

    # fit -----------------------------------------------------------------------------------------------------
    @cached_property
    def table(self) -> Array:
        """Log-probabilities, shape (items, categories, nodes)."""
        return self.model.log_probabilities(self.item_parameters.values, self.grid.nodes)

    @cached_property
    def log_weights(self) -> Array:
        """Log population weights of the nodes, shape (nodes,)."""
        return self.population.log_weights(self.grid)

    @cached_property
    def expectation(self) -> Expectation:
        """The E-step at the estimates: log-likelihood and expected counts."""
        return expectation(self._data("expected counts"), self.table, self.log_weights)

    @property
    def loglik(self) -> float:
        """Marginal log-likelihood at the estimates (priors not included)."""
        return self.expectation.log_likelihood

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
        """-2 log-likelihood + 2 k (Akaike 1974)."""
        return -2.0 * self.loglik + 2.0 * self.n_parameters

    @property
    def bic(self) -> float:
        """-2 log-likelihood + k log n, n = subjects (Schwarz 1978)."""
        return -2.0 * self.loglik + self.n_parameters * math.log(self.nobs)

    @property
    def sabic(self) -> float:
        """-2 log-likelihood + k log((n + 2) / 24) (Sclove 1987)."""
        return -2.0 * self.loglik + self.n_parameters * math.log((self.nobs + 2.0) / 24.0)

    # uncertainty ---------------------------------------------------------------------------------------------
    def cov(self, kind: str = "louis") -> Covariance:
        """Covariance of the free parameters, natural scale; computed once per kind.

        Parameters
        ----------
        kind : {"louis", "crossprod", "sandwich", "item-blocks"}
            See :func:`psyirt.results.covariance.covariance`.

        Raises
        ------
        NotAvailableError
            If there are no responses (parameters were fixed without data).
        """
        cache: dict[str, Covariance] = self._covariances
        if kind not in cache:
            point = FitPoint(
                self._data("standard errors"),
                self.model,
                self.layout,
                self.priors,
                self.population,
                self.grid,
                self.x,
            )
            cache[kind] = covariance(point, kind)
        return cache[kind]

    @cached_property
    def _covariances(self) -> dict[str, Covariance]:
        return {}

    @property
    def default_cov(self) -> Covariance:
        """Louis's covariance, or item blocks above 5,000 parameters."""
        return self.cov("louis" if self.n_parameters <= FULL_LIMIT else "item-blocks")

    @property
    def has_quick_errors(self) -> bool:
        """Whether standard errors are at hand or cost well under a second: what printing asks before it starts."""
        if self.patterns is None or not self.n_parameters:
            return False
        full = self.n_parameters <= FULL_LIMIT
        cost = len(self.patterns.codes) * self.grid.count * (self.n_parameters**2 if full else self.n_parameters)
        return ("louis" if full else "item-blocks") in self._covariances or cost < _QUICK

    @property
    def params(self) -> pd.Series:
        """Free parameters on the natural scale, index (parameter, item)."""
        natural = self.x.copy()
        for slot in ("c", "d"):
            at = self.layout.positions(slot)
            natural[at] = expit(self.x[at])
        return pd.Series(natural, index=self._parameter_index, name="estimate")

    @property
    def _parameter_index(self) -> pd.MultiIndex:
        return pd.MultiIndex.from_tuples(list(self.layout.names), names=["parameter", "item"])

    @property
    def bse(self) -> pd.Series:
        """Standard errors of `params` (NaN where not available: `default_cov.problems` says why)."""
        return pd.Series(np.sqrt(self.default_cov.variances), index=self._parameter_index, name="se")

    def cov_params(self, kind: str = "louis") -> pd.DataFrame:
        """Covariance matrix of `params`."""
        matrix = self.cov(kind).matrix
        if matrix is None:
            raise NotAvailableError("no full covariance", f"kind={kind!r}", "Use cov(kind).item_blocks")
        return pd.DataFrame(matrix, index=self._parameter_index, columns=self._parameter_index)

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Wald intervals of `params` at level 1 - alpha, columns lower and upper; near 0 or 1 they may leave [0, 1]."""
        if not 0 < alpha < 1:
            raise InputError(f"alpha is {alpha}", "conf_int", "Give a number between 0 and 1, e.g. 0.05")
        half = norm.ppf(1.0 - alpha / 2.0) * self.bse
        return pd.DataFrame({"lower": self.params - half, "upper": self.params + half})

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

    @property
    def latent_variance_se(self) -> float:
        """Standard error of a free latent variance (NaN where fixed)."""
        return float(self.bse[(VARIANCE, "")]) if self.layout.frees_variance else float("nan")

    def _data(self, what: str) -> Patterns:
        if self.patterns is None:
            raise NotAvailableError(
                f"no responses, so no {what}", "parameters were fixed without data", "Give responses to psyirt.fix"
            )
        return self.patterns
