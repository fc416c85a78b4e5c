"""Covariance of the estimates: from observed information, the cross-product, or both (sandwich)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.base import Array
from psyirt.observed_information.louis import louis_information
from psyirt.observed_information.oakes import oakes_information
from psyirt.observed_information.point import FitPoint
from psyirt.observed_information.scores import cluster_crossprod, score_crossprod
from psyirt.results.by_item import item_blocks, louis_by_item
from psyirt.results.clusters import cluster_notes, cluster_numbers
from psyirt.results.covariance import Covariance, blocks_of, has_room, require_kind, require_room
from psyirt.results.inversion import invert, not_positive
from psyirt.results.weighting import SAMPLING, WeightsKind

# of a histogram's weights, which are estimated with the items but have no standard errors of their own
KNOWN_DENSITY = (
    "the histogram of ability is taken as known: standard errors are too small; kind='bootstrap' estimates it anew"
)
Places = NDArray[np.intp]

# kinds that take the model as true and each subject as seen as often as its weight says
_MODEL_BASED = ("louis", "oakes", "crossprod", "item-blocks")
_NOT_FOR_SAMPLING = "not valid for sampling weights, which count nobody: use kind='sandwich' or 'cluster'"


@one_blas_thread()
def covariance(
    point: FitPoint, kind: str = "louis", groups: ArrayLike | None = None, weights_kind: WeightsKind = "frequency"
) -> Covariance:
    """Covariance of the estimates at a fit's maximum.

    Parameters
    ----------
    point : FitPoint
        The maximum.
    kind : {"louis", "oakes", "crossprod", "sandwich", "cluster", "item-blocks"}
        Inverse observed information by Louis's (1982) or Oakes's (1999) identity, which agree; inverse cross-product
        of scores; observed^-1 crossprod observed^-1 (White 1982); the same with scores summed within clusters (Liang &
        Zeger 1986), times G / (G - 1); or observed information item by item, whose standard errors are too small
        because the other items are taken as known. Prior curvature is part of the information in every kind. Above
        5,000 parameters "louis" is computed item by item where subjects are few enough, without a full matrix, and is
        otherwise not available, as the notes then say; the other full matrices are refused.
    groups : array_like, shape (subjects,), optional
        Each subject's cluster, for "cluster" alone.
    weights_kind : {"frequency", "sampling"}
        Sampling weights multiply a subject's score before it is squared in "sandwich", as they do in "cluster"; the
        notes of the other kinds say that these are not valid for them.

    Returns
    -------
    Covariance

    Raises
    ------
    InputError
        If `kind` is unknown, groups are wrong, or a full matrix other than Louis's was asked for above 5,000
        parameters.
    """
    require_kind(kind)
    found = _of_kind(point, kind, groups, weights_kind)
    if weights_kind == SAMPLING and kind in _MODEL_BASED:
        found = replace(found, notes=(*found.notes, _NOT_FOR_SAMPLING))
    if not point.population.is_parametric:
        found = replace(found, notes=(*found.notes, KNOWN_DENSITY))
    return found


def _of_kind(point: FitPoint, kind: str, groups: ArrayLike | None, weights_kind: WeightsKind) -> Covariance:
    """The covariance, whatever the weights and the density make of it."""
    if kind == "item-blocks":
        return item_blocks(point)
    if kind == "louis" and not has_room(point.layout.size):
        return louis_by_item(point)
    require_room(point.layout.size, kind)
    problems = point.at_boundary()
    notes: tuple[str, ...] = ()
    middle = None
    if kind == "cluster":
        middle, notes = _clustered(point, groups)
    elif kind in ("crossprod", "sandwich"):
        middle = score_crossprod(point, squared=weights_kind == SAMPLING and kind == "sandwich")
    keep = np.setdiff1d(np.arange(point.layout.size), list(problems))
    inside = np.ix_(keep, keep)
    information = _information(point, kind, middle)
    information[np.diag_indices_from(information)] += point.prior_information
    inverse, weak = invert(information[inside])
    if inverse is None:
        lost, note = not_positive(point.layout, keep, keep[weak])
        return _assemble(point, kind, None, keep, problems | lost, (*notes, note))
    if kind in ("sandwich", "cluster"):
        assert middle is not None
        inverse = inverse @ middle[inside] @ inverse
    return _assemble(point, kind, inverse, keep, problems, notes)


def _information(point: FitPoint, kind: str, middle: Array | None) -> Array:
    """The matrix to be inverted, before priors."""
    if kind == "crossprod":
        assert middle is not None
        return middle
    return oakes_information(point) if kind == "oakes" else louis_information(point)


def _clustered(point: FitPoint, groups: ArrayLike | None) -> tuple[Array, tuple[str, ...]]:
    """Cross-product of the clusters' scores with its small-sample factor, and notes."""
    if groups is None:
        raise InputError("clusters without groups", "kind='cluster'", "Give groups=, one label per subject")
    clusters = cluster_numbers(groups, point.patterns.subjects)
    count = int(clusters.max()) + 1
    middle = cluster_crossprod(point, clusters, point.patterns.subject_weights) * (count / (count - 1.0))
    return middle, cluster_notes(count, point.layout.size)


def _assemble(
    point: FitPoint, kind: str, inner: Array | None, keep: Places, problems: dict[int, str], notes: tuple[str, ...]
) -> Covariance:
    """A covariance on the natural scale from that of the parameters `keep`; NaN elsewhere."""
    size = point.layout.size
    full = np.full((size, size), np.nan)
    if inner is not None:
        slopes = point.natural_slopes()[keep]
        full[np.ix_(keep, keep)] = inner * slopes[:, None] * slopes
    return Covariance(kind, np.diag(full).copy(), full, blocks_of(full, point.layout), problems, notes)
