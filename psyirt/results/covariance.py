"""Covariance of the estimates: from observed information, the cross-product, or both (sandwich)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import expit

from psyirt.data.patterns import Patterns
from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.base import Array, ResponseModel
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import ParameterLayout
from psyirt.observed_information import information_blocks, information_matrices

CovarianceKind = Literal["louis", "crossprod", "sandwich", "item-blocks"]
KINDS: tuple[str, ...] = ("louis", "crossprod", "sandwich", "item-blocks")
# above this many parameters a full matrix is neither formed nor inverted
FULL_LIMIT = 5000
# an asymptote within .001 of 0 or 1 sits on its boundary, where curvature says nothing about uncertainty
_BOUNDARY_LOGIT = 6.9


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance matrix of the free parameters, natural scale.

    Attributes
    ----------
    kind : str
        How it was computed.
    variances : ndarray, shape (size,)
        Its diagonal; NaN where not available.
    matrix : ndarray, shape (size, size), or None
        The full matrix, NaN rows where not available; None for "item-blocks".
    problems : mapping of position to str
        Parameters without a standard error, and why.
    item_blocks : ndarray, shape (J, S, S)
        Covariance among each item's slots, 0 for fixed ones, NaN where not available.
    """

    kind: str
    variances: Array
    matrix: Array | None
    item_blocks: Array
    problems: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Close the arrays to changes: a covariance is kept and shown again."""
        for array in (self.variances, self.matrix, self.item_blocks):
            if array is not None:
                array.setflags(write=False)


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

    patterns: Patterns
    model: ResponseModel
    layout: ParameterLayout
    priors: FreePriors
    population: NormalPopulation
    grid: Grid
    x: Array

    @property
    def values(self) -> Array:
        """Slot values at `x`, shape (J, S)."""
        return self.layout.values(self.x)

    def natural_slopes(self) -> Array:
        """d natural / d estimation scale of each free parameter: c (1 - c) for asymptotes, else 1."""
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
                if abs(self.x[at]) > _BOUNDARY_LOGIT:
                    edge = "0" if self.x[at] < 0 else "1"
                    found[int(at)] = f"{slot} is at its boundary {edge}: standard error not available"
        return found


@one_blas_thread()
def covariance(point: FitPoint, kind: str = "louis") -> Covariance:
    """Covariance of the estimates at a fit's maximum.

    Parameters
    ----------
    point : FitPoint
        The maximum.
    kind : {"louis", "crossprod", "sandwich", "item-blocks"}
        Inverse observed information (Louis 1982); inverse cross-product of scores; observed^-1 crossprod
        observed^-1 (White 1982); or observed information item by item, whose standard errors are too small because
        the other items are taken as known. Prior curvature is part of the information in every kind.

    Returns
    -------
    Covariance

    Raises
    ------
    InputError
        If `kind` is unknown, or a full matrix was asked for above 5,000 parameters.
    """
    require_kind(kind)
    if kind == "item-blocks":
        return _item_blocks(point)
    size = point.layout.size
    if size > FULL_LIMIT:
        raise InputError(
            f"a full covariance of {size} parameters", f"kind={kind!r}", "Use kind='item-blocks' above 5,000 parameters"
        )
    matrices = information_matrices(
        point.patterns, point.model, point.layout, point.values, point.population, point.grid
    )
    prior = np.diag(-point.priors.curvature(point.x))
    problems = point.at_boundary()
    keep = np.setdiff1d(np.arange(size), list(problems))
    observed, crossprod = matrices.observed + prior, matrices.crossprod + prior
    full = np.full((size, size), np.nan)
    information = crossprod if kind == "crossprod" else observed
    inverse, weak = _invert(information[np.ix_(keep, keep)])
    for at in weak:
        problems[int(keep[at])] = "the information matrix is not positive definite here: standard error not available"
    if inverse is None:
        where = ", ".join(" of ".join(point.layout.names[keep[at]]) for at in weak[:3])
        for at in np.setdiff1d(keep, keep[weak]):
            problems[int(at)] = f"standard error not available: information not positive definite at {where}"
    else:
        if kind == "sandwich":
            inverse = inverse @ matrices.crossprod[np.ix_(keep, keep)] @ inverse
        full[np.ix_(keep, keep)] = inverse
    slopes = point.natural_slopes()
    full *= slopes[:, None] * slopes
    return Covariance(kind, np.diag(full).copy(), full, _blocks_of(full, point.layout), problems)


def require_kind(kind: str) -> None:
    """Refuse a kind of covariance that there is not."""
    if kind not in KINDS:
        raise InputError(f"no covariance is called {kind!r}", "", f"Known: {', '.join(KINDS)}")


def _invert(information: Array) -> tuple[Array | None, NDArray[np.intp]]:
    """Inverse of a symmetric matrix, or None and the parameters that carry its non-positive directions.

    The matrix is scaled to a unit diagonal first, so that the test does not depend on units.
    """
    if not len(information):
        return information, np.array([], dtype=int)
    diagonal = np.diag(information)
    if np.any(diagonal <= 0) or not np.all(np.isfinite(information)):
        return None, np.flatnonzero(~(diagonal > 0) | ~np.isfinite(information).all(axis=1))
    root = np.sqrt(diagonal)
    scaled = information / np.outer(root, root)
    try:
        factor = linalg.cho_factor(scaled)
        return linalg.cho_solve(factor, np.eye(len(scaled))) / np.outer(root, root), np.array([], dtype=int)
    except linalg.LinAlgError:
        roots, vectors = linalg.eigh(scaled)
    # Cholesky also fails on a matrix that is only numerically singular: its smallest roots are rounding
    carriers = np.abs(vectors[:, roots <= max(np.finfo(float).eps * len(roots) * roots[-1], roots[0])]).max(axis=1)
    return None, np.flatnonzero(carriers > 0.1 * carriers.max())


def _blocks_of(full: Array, layout: ParameterLayout) -> Array:
    """Each item's block of a full matrix, shape (J, S, S), 0 where a slot is fixed."""
    at = np.maximum(layout.index, 0)
    blocks = full[at[:, :, None], at[:, None, :]]
    both = layout.is_free[:, :, None] & layout.is_free[:, None, :]
    return np.where(both, blocks, 0.0)


def _item_blocks(point: FitPoint) -> Covariance:
    """Covariance from each item's own information; the latent variance and shared slots are taken as known."""
    layout = point.layout
    information = information_blocks(point.patterns, point.model, point.values, point.population, point.grid)
    problems = point.at_boundary()
    bend = -point.priors.curvature(point.x)
    variances = np.full(layout.size, np.nan)
    blocks = np.zeros_like(information)
    slopes = point.natural_slopes()
    for j, at in enumerate(layout.index):
        own = layout.is_free[j] & ~layout.shared[np.maximum(at, 0)]
        use = np.array([s for s in np.flatnonzero(own) if int(at[s]) not in problems], dtype=int)
        blocks[j][np.ix_(layout.is_free[j], layout.is_free[j])] = np.nan
        if not len(use):
            continue
        inverse, _ = _invert(information[j][np.ix_(use, use)] + np.diag(bend[at[use]]))
        if inverse is None:
            for k in use:
                problems[int(at[k])] = "the item's information is not positive definite: standard error not available"
        else:
            inverse = inverse * np.outer(slopes[at[use]], slopes[at[use]])
            blocks[j][np.ix_(use, use)] = inverse
            variances[at[use]] = np.diag(inverse)
    for position in np.flatnonzero(layout.shared):
        variances[position] = np.nan
        problems[int(position)] = "shared by several items: no standard error from item blocks"
    if layout.frees_variance:
        problems[layout.size - 1] = "the latent variance has no standard error from item blocks"
    return Covariance("item-blocks", variances, None, blocks, problems)
