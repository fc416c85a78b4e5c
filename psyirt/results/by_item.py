"""Covariances item by item, for fits with too many parameters for a full matrix."""

from __future__ import annotations

import numpy as np

from psyirt.models.layout import ParameterLayout
from psyirt.observed_information.blocks import information_blocks
from psyirt.observed_information.few_subjects import InverseBlocks, inverse_blocks
from psyirt.observed_information.point import FitPoint
from psyirt.results.covariance import Covariance
from psyirt.results.inversion import invert, not_positive


def louis_by_item(point: FitPoint) -> Covariance:
    """Blocks of Louis's covariance without the whole; NaN with a note where that cannot be done."""
    layout = point.layout
    problems = point.at_boundary()
    keep = np.setdiff1d(np.arange(layout.size), list(problems)).astype(np.intp)
    found = None
    if not layout.has_shared:
        found = inverse_blocks(point, np.isin(np.arange(layout.size), keep))
    if found is None:
        why = f"{layout.size} parameters are too many for a full matrix, {_and_why(layout)}"
        note = f"standard errors not available: {why}; cov('item-blocks') gives lower bounds, the other items as known"
        return _nothing(point, problems | dict.fromkeys(map(int, keep), "standard error not available"), note)
    if len(found.carriers):
        lost, note = not_positive(layout, keep, found.carriers)
        return _nothing(point, problems | lost, note)
    return _from_blocks(point, found, problems)


def _and_why(layout: ParameterLayout) -> str:
    """Why the way without a full matrix is closed too."""
    if layout.has_shared:
        return "and items share a parameter"
    return "and subjects too many, or too uncertain, to do without one"


def no_sandwich(point: FitPoint) -> Covariance:
    """What sampling weights leave of standard errors where a full matrix would be too large: none."""
    size = point.layout.size
    note = f"standard errors not available: sampling weights need a full matrix, and {size} parameters are too many"
    return _nothing(point, dict.fromkeys(range(size), "standard error not available"), note, "sandwich")


def _nothing(point: FitPoint, problems: dict[int, str], note: str, kind: str = "louis") -> Covariance:
    """No standard errors, and why."""
    free = point.layout.is_free
    blocks = np.where(free[:, :, None] & free[:, None, :], np.nan, 0.0)
    return Covariance(kind, np.full(point.layout.size, np.nan), None, blocks, problems, (note,))


def _from_blocks(point: FitPoint, found: InverseBlocks, problems: dict[int, str]) -> Covariance:
    """Blocks and variances on the natural scale, NaN for parameters at a boundary."""
    layout = point.layout
    slopes = point.natural_slopes()
    slopes[list(problems)] = np.nan
    each = np.where(layout.is_free, slopes[np.maximum(layout.index, 0)], 0.0)
    blocks = found.items * each[:, :, None] * each[:, None, :]
    variances = np.full(layout.size, np.nan)
    variances[layout.index[layout.is_free]] = np.diagonal(blocks, axis1=1, axis2=2)[layout.is_free]
    variances[layout.item_size :] = np.diag(found.latent)
    note = "computed item by item: a full matrix of so many parameters was not formed"
    return Covariance("louis", variances, None, blocks, problems, (note,))


def item_blocks(point: FitPoint) -> Covariance:
    """Covariance from each item's own information; the latent variance and shared slots are taken as known."""
    layout = point.layout
    information = information_blocks(point)
    problems = point.at_boundary()
    bend = point.prior_information
    variances = np.full(layout.size, np.nan)
    blocks = np.zeros_like(information)
    slopes = point.natural_slopes()
    for j, at in enumerate(layout.index):
        own = layout.is_free[j] & ~layout.is_shared[j]
        use = np.array([s for s in np.flatnonzero(own) if int(at[s]) not in problems], dtype=int)
        blocks[j][np.ix_(layout.is_free[j], layout.is_free[j])] = np.nan
        if not len(use):
            continue
        inverse, _ = invert(information[j][np.ix_(use, use)] + np.diag(bend[at[use]]))
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
    for number, moment in enumerate(layout.free_moments):
        problems[layout.item_size + number] = f"the latent {moment} has no standard error from item blocks"
    note = "the other items are taken as known: these standard errors are too small"
    return Covariance("item-blocks", variances, None, blocks, problems, (note,))
