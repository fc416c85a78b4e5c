"""Whether one fit is a special case of another, and how many of its restrictions lie at the edge of the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.latent.population import VARIANCE, NormalPopulation
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]
_ALONE = -1


@dataclass(frozen=True)
class Nesting:
    """How a restricted fit lies in a general one.

    Attributes
    ----------
    df : int
        Restrictions: parameters of the general fit minus those of the restricted one; 0 for the same model.
    at_edge : int
        How many of them put a parameter at the edge of its range (c = 0, d = 1).
    """

    df: int
    at_edge: int


@dataclass(frozen=True, eq=False)
class _Form:
    """A fit in terms of ability N(0, 1), so that a free variance is a shared slope.

    Attributes
    ----------
    group : ndarray of int, shape (J, S)
        The parameter a slot takes part in, -1 where it is fixed.
    factor : ndarray, shape (J, S)
        What that parameter is multiplied by, or the fixed value.
    """

    group: NDArray[np.intp]
    factor: Array


def nesting(restricted: Calibration, general: Calibration) -> Nesting | None:
    """How one fit lies in another of the same items; None where it does not, or where that cannot be told.

    Parameters
    ----------
    restricted, general : Calibration
        Fits of the same responses with ability of one dimension and a normal density.

    Returns
    -------
    Nesting or None
    """
    df = general.n_parameters - restricted.n_parameters
    inner, outer = _form(restricted), _form(general)
    if df < 0 or inner is None or outer is None or inner.group.shape != outer.group.shape:
        return None
    at_edge = 0
    for slot in range(inner.group.shape[1]):
        edges = _edges(inner, outer, slot)
        if edges is None:
            return None
        at_edge += edges
    return Nesting(df, at_edge)


def _form(calibration: Calibration) -> _Form | None:
    """The canonical form; None for other densities, a free mean, or a free variance without a fixed slope."""
    layout, population = calibration.layout, calibration.population
    if type(population) is not NormalPopulation or population.mean != 0.0 or "mean" in layout.free_moments:
        return None
    if calibration.item_parameters.dimensions != 1:
        return None
    group = layout.index.copy()
    factor = np.where(layout.is_free, 1.0, layout.fixed)
    fixed = ~layout.is_free[:, 0]
    if VARIANCE in layout.free_moments:
        if not fixed.any():
            return None
        group[fixed, 0] = layout.size
    else:
        factor[fixed, 0] *= population.sd
    return _Form(group, factor)


def _edges(inner: _Form, outer: _Form, slot: int) -> int | None:
    """How many of the general fit's parameters of a slot the restricted one puts at an edge; None if it is no case."""
    fixed = outer.group[:, slot] == _ALONE
    if np.any(inner.group[fixed, slot] != _ALONE) or not _same(inner.factor[fixed, slot], outer.factor[fixed, slot]):
        return None
    edges = 0
    for parameter in np.unique(outer.group[~fixed, slot]):
        members = outer.group[:, slot] == parameter
        groups, factors = inner.group[members, slot], inner.factor[members, slot]
        if len(np.unique(groups)) > 1:
            return None
        # logits of asymptotes are shared as they are, slopes by their factor
        scaled = factors / outer.factor[members, slot] if slot == 0 else factors
        if not _same(scaled, np.full_like(scaled, scaled[0])):
            return None
        edges += int(groups[0] == _ALONE and np.isinf(factors[0]))
    return edges


def _same(one: Array, other: Array) -> bool:
    """Equal, infinite logits included."""
    return bool(np.all(np.isclose(one, other, rtol=1e-9, atol=1e-12)))
