"""Estimates: the free parameters of a fit and how well the data determine them, in statsmodels' words too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri

from psyirt.data.pattern_source import PatternSource
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.arguments import require, require_callable
from psyirt.foundation.progress import Progress, silent
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.base import Array, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import VARIANCE, ParameterLayout
from psyirt.observed_information.cost import louis_cost
from psyirt.observed_information.point import FitPoint
from psyirt.results.bootstrap import REPLICATIONS, Refit, bootstrap_covariance
from psyirt.results.by_item import no_sandwich
from psyirt.results.covariance import Covariance, has_room, require_kind, require_room
from psyirt.results.covariance_kinds import covariance
from psyirt.results.weighting import SAMPLING, WeightsKind, why_no_chi_square

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
    patterns : PatternSource or None
        The responses; None for parameters fixed without data.
    refit : callable or None
        Fits the items to other patterns, from the estimates on; None where nothing was estimated.
    weights_kind : {"frequency", "sampling"}
        What the subjects' weights are.
    """

    model: ResponseModel
    layout: ParameterLayout
    x: Array
    priors: FreePriors
    population: Population
    grid: Grid
    patterns: PatternSource | None = None
    refit: Refit | None = None
    weights_kind: WeightsKind = "frequency"

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

    def cov(
        self,
        kind: str | None = None,
        *,
        groups: ArrayLike | None = None,
        replications: int | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> Covariance:
        """Covariance of the free parameters, natural scale; computed once per kind ("cluster" each time).

        Parameters
        ----------
        kind : {"louis", "oakes", "crossprod", "sandwich", "cluster", "bootstrap", "item-blocks"}, optional
            See :func:`psyirt.results.covariance_kinds.covariance`; "bootstrap" fits samples of subjects, drawn with
            replacement, see :func:`psyirt.results.bootstrap.bootstrap_covariance`. By default "louis", for sampling
            weights "sandwich": of the other kinds only "cluster" and "bootstrap" are valid for these.
        groups : array_like, shape (subjects,), optional
            Each subject's cluster; for "cluster" alone, which needs it.
        replications : int, optional
            How many samples; for "bootstrap" alone, 200 by default.
        seed : int, optional
            What the samples are drawn from; for "bootstrap" alone, which needs it.
        progress : callable, optional
            Receives a ProgressEvent per replication; for "bootstrap" alone.

        Returns
        -------
        Covariance

        Raises
        ------
        InputError
            If `kind` is unknown, an option belongs to another kind or is missing, or a full matrix other than Louis's
            was asked for above 5,000 parameters.
        NotAvailableError
            If there are no responses (parameters were fixed without data), nothing was estimated that a bootstrap
            could repeat, or weights that count nobody are to be drawn from.
        EstimationError
            If hardly any bootstrap replication converged.

        Warns
        -----
        ConvergenceWarning
            If some bootstrap replications did not converge.
        """
        kind = self.default_kind if kind is None else kind
        require_kind(kind)
        _refuse_idle(kind, "cluster", groups=groups)
        _refuse_idle(kind, "bootstrap", replications=replications, seed=seed, progress=progress)
        patterns = self._data("standard errors")
        if kind == "cluster":
            return covariance(self._point(patterns), kind, groups, self.weights_kind)
        if kind == "bootstrap":
            require_callable(progress or silent, "cov")
            return self._bootstrap(patterns, REPLICATIONS if replications is None else replications, seed, progress)
        if kind not in self._covariances:
            self._covariances[kind] = covariance(self._point(patterns), kind, None, self.weights_kind)
        return self._covariances[kind]

    def _point(self, patterns: PatternSource) -> FitPoint:
        return FitPoint(patterns, self.model, self.layout, self.priors, self.population, self.grid, self.x)

    def _bootstrap(
        self, patterns: PatternSource, replications: int, seed: int | None, progress: Progress | None
    ) -> Covariance:
        """The bootstrap's covariance; the same replications are not made twice."""
        require_room(self.n_parameters, "bootstrap")
        if self.refit is None:
            raise NotAvailableError(
                "nothing was estimated, so nothing to repeat", "kind='bootstrap'", "Fit the items with psyirt.fit_mml"
            )
        if seed is None:
            raise InputError("a bootstrap without a seed", "kind='bootstrap'", "Give a whole number, e.g. seed=1")
        key = f"bootstrap {replications!r} {seed!r}"
        if key not in self._covariances:
            self._covariances[key] = bootstrap_covariance(
                patterns, self.layout, self.refit, replications, seed, progress or silent, self.weights_kind
            )
        return self._covariances[key]

    @cached_property
    def _covariances(self) -> dict[str, Covariance]:
        return {}

    @property
    def default_kind(self) -> str:
        """The kind of covariance behind the standard errors that are shown: "sandwich" for sampling weights."""
        return "sandwich" if self.weights_kind == SAMPLING else "louis"

    @property
    def default_cov(self) -> Covariance:
        """Louis's covariance; above 5,000 parameters its item blocks, where subjects are few enough to know them.

        With sampling weights the sandwich, of which there are no item blocks.
        """
        if self.weights_kind == SAMPLING and not has_room(self.n_parameters):
            return no_sandwich(self._point(self._data("standard errors")))
        return self.cov()

    @property
    def has_quick_errors(self) -> bool:
        """Whether standard errors are at hand or cost well under a second: what printing asks before it starts."""
        if self.patterns is None or not self.n_parameters:
            return False
        return (
            self.default_kind in self._covariances
            or louis_cost(self._point(self.patterns), has_room(self.n_parameters)) < _QUICK
        )

    @property
    def bse(self) -> pd.Series:
        """Standard errors of `params` (NaN where not available: `default_cov.problems` says why)."""
        return pd.Series(np.sqrt(self.default_cov.variances), index=self._parameter_index, name="se")

    @property
    def latent_variance_se(self) -> float:
        """Standard error of a free latent variance (NaN where fixed)."""
        return float(self.bse[(VARIANCE, "")]) if self.layout.frees_variance else float("nan")

    def cov_params(self, kind: str | None = None, **options: Any) -> pd.DataFrame:
        """Covariance matrix of `params`.

        Parameters
        ----------
        kind : {"louis", "oakes", "crossprod", "sandwich", "cluster", "bootstrap"}, optional
            See :meth:`cov`.
        **options
            The options of :meth:`cov` that belong to the kind.

        Returns
        -------
        DataFrame, shape (size, size)
            Index and columns (parameter, item); NaN where not available.

        Raises
        ------
        InputError
            As :meth:`cov`.
        NotAvailableError
            If there are no responses, or no full matrix was formed ("item-blocks", "louis" above 5,000 parameters).
        """
        matrix = self.cov(kind, **options).matrix
        if matrix is None:
            given = kind or self.default_kind
            raise NotAvailableError("no full covariance", f"kind={given!r}", "Use cov(kind).item_blocks")
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

    @property
    def why_no_chi_square(self) -> str:
        """Why no statistic of this fit has a chi-square distribution (the weights are no counts); empty if it can."""
        return "" if self.patterns is None else why_no_chi_square(self.patterns, self.weights_kind)

    def _data(self, what: str) -> PatternSource:
        if self.patterns is None:
            raise NotAvailableError(
                f"no responses, so no {what}", "parameters were fixed without data", "Give responses to psyirt.fix"
            )
        return self.patterns


def _refuse_idle(kind: str, owner: str, **options: object) -> None:
    """Refuse options of one kind of covariance that were given with another."""
    for name, value in options.items():
        if value is not None and kind != owner:
            raise InputError(f"{name} with kind={kind!r}", "cov", f"It belongs to kind={owner!r}; leave it out")
