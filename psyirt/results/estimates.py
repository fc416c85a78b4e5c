"""Estimates: the free parameters of a fit and how well the data determine them, in statsmodels' words too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from psyirt.data.patterns import Patterns
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.base import Array, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import VARIANCE, ParameterLayout
from psyirt.results.covariance import FULL_LIMIT, Covariance, FitPoint, covariance, require_kind

# multiplications a processor core does in well under a second
_QUICK = 2.5e9


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Estimates:
    """A point in the space of free parameters; frozen, covariances computed when first asked for.

    Attributes
    ----------
    model : ResponseModel
        The response function.
    layout : ParameterLayout
        Which parameters are free.
    x : ndarray, shape (size,), read-only
        The free parameters on the estimation scale.
    priors : FreePriors
        Priors by position in `x`.
    population, grid
        Ability density and nodes.
    patterns : Patterns or None
        The responses; None for parameters fixed without data.
    """

    model: ResponseModel
    layout: ParameterLayout
    x: Array
    priors: FreePriors
    population: NormalPopulation
    grid: Grid
    patterns: Patterns | None = None

    def __post_init__(self) -> None:
        """Keep a copy of the point that nobody can change."""
        own = self.x.copy()
        own.setflags(write=False)
        object.__setattr__(self, "x", own)

    @property
    def n_parameters(self) -> int:
        """Free parameters, the latent variance included where it is free."""
        return self.layout.size

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

    def cov(self, kind: str = "louis") -> Covariance:
        """Covariance of the free parameters, natural scale; computed once per kind.

        Parameters
        ----------
        kind : {"louis", "crossprod", "sandwich", "item-blocks"}
            See :func:`psyirt.results.covariance.covariance`.

        Returns
        -------
        Covariance

        Raises
        ------
        InputError
            If `kind` is unknown, or a full matrix was asked for above 5,000 parameters.
        NotAvailableError
            If there are no responses (parameters were fixed without data).
        """
        require_kind(kind)
        if kind not in self._covariances:
            patterns = self._data("standard errors")
            point = FitPoint(patterns, self.model, self.layout, self.priors, self.population, self.grid, self.x)
            self._covariances[kind] = covariance(point, kind)
        return self._covariances[kind]

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
    def bse(self) -> pd.Series:
        """Standard errors of `params` (NaN where not available: `default_cov.problems` says why)."""
        return pd.Series(np.sqrt(self.default_cov.variances), index=self._parameter_index, name="se")

    @property
    def latent_variance_se(self) -> float:
        """Standard error of a free latent variance (NaN where fixed)."""
        return float(self.bse[(VARIANCE, "")]) if self.layout.frees_variance else float("nan")

    def cov_params(self, kind: str = "louis") -> pd.DataFrame:
        """Covariance matrix of `params`.

        Parameters
        ----------
        kind : {"louis", "crossprod", "sandwich"}
            See :meth:`cov`.

        Returns
        -------
        DataFrame, shape (size, size)
            Index and columns (parameter, item); NaN where not available.

        Raises
        ------
        InputError
            As :meth:`cov`.
        NotAvailableError
            If there are no responses, or `kind` is "item-blocks", which has no full matrix.
        """
        matrix = self.cov(kind).matrix
        if matrix is None:
            raise NotAvailableError("no full covariance", f"kind={kind!r}", "Use cov(kind).item_blocks")
        return pd.DataFrame(matrix, index=self._parameter_index, columns=self._parameter_index)

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Wald intervals of `params`.

        Parameters
        ----------
        alpha : float
            1 - the level: 0.05 for 95 % intervals.

        Returns
        -------
        DataFrame
            Index (parameter, item); columns lower and upper, which may leave [0, 1] for asymptotes near 0 or 1; NaN
            where there is no standard error.

        Raises
        ------
        InputError
            If alpha does not lie between 0 and 1.
        NotAvailableError
            If there are no responses.
        """
        require(alpha, Real, "alpha", "conf_int", "Give a number between 0 and 1, e.g. 0.05")
        if not 0 < alpha < 1:
            raise InputError(f"alpha is {alpha}", "conf_int", "Give a number between 0 and 1, e.g. 0.05")
        half = ndtri(1.0 - alpha / 2.0) * self.bse
        return pd.DataFrame({"lower": self.params - half, "upper": self.params + half})

    def _data(self, what: str) -> Patterns:
        if self.patterns is None:
            raise NotAvailableError(
                f"no responses, so no {what}", "parameters were fixed without data", "Give responses to psyirt.fix"
            )
        return self.patterns
