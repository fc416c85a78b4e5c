"""Derivatives of first and second moments in the free parameters, as a sparse matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.whole_model.item_moments import ExpectedItems, Moments
from psyirt.results.calibration import Calibration

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]


def moment_slopes(calibration: Calibration, expected: ExpectedItems, moments: Moments) -> csr_array:
    """Derivatives of E(z_j) and Cov(z_j, z_k), shape (moments, free parameters).

    A pair depends on the parameters of its two items, and on free moments of ability: E(z_j) changes by the mean of
    dP_j, and Cov(z_j, z_k) by that of dP_j (P_k - mu_k) + dP_k (P_j - mu_j). Asymptotes are taken on their natural
    scale, where derivatives do not vanish at a boundary.
    """
    from scipy.sparse import coo_array

    layout, split = calibration.layout, len(moments.items)
    rows, columns, values = [], [], []
    pairs = split + np.arange(len(moments.first))
    changes = _weighted_changes(calibration, expected.weights)
    for index, change in zip(layout.index.T, changes, strict=True):
        if (index < 0).all():
            continue
        crossed = change @ expected.away
        places = (
            (np.arange(split), moments.items, change.sum(axis=1)[moments.items]),
            (pairs, moments.first, crossed[moments.first, moments.second]),
            (pairs, moments.second, crossed[moments.second, moments.first]),
        )
        for row, item, value in places:
            free = index[item] >= 0
            rows.append(row[free])
            columns.append(index[item][free])
            values.append(value[free])
    for position, column in enumerate(_of_ability(calibration, expected, moments), layout.item_size):
        rows.append(np.arange(len(moments)))
        columns.append(np.full(len(moments), position))
        values.append(column)
    empty: list[Array] = [np.zeros(0)]
    place = np.concatenate(empty + rows).astype(np.intp), np.concatenate(empty + columns).astype(np.intp)
    # duplicates are summed: both items of a pair may share a parameter
    return coo_array((np.concatenate(empty + values), place), shape=(len(moments), layout.size)).tocsr()


def _weighted_changes(calibration: Calibration, weights: Array) -> list[Array]:
    """For each slot the derivatives of P times the node's weight, shape (J, Q); natural scale."""
    values = calibration.item_parameters.values
    scores = calibration.model.scores(values, calibration.grid.nodes)[:, 1]
    weighted = np.exp(calibration.table[:, 1]) * weights
    out = []
    for at, slot in enumerate(calibration.layout.slots):
        change = scores[:, :, at] * weighted
        if slot in ("c", "d"):
            logit = values[:, at : at + 1]
            free = np.isfinite(logit)
            # 1 / (c (1 - c)) of the logit
            change *= np.where(free, 2.0 + 2.0 * np.cosh(np.where(free, logit, 0.0)), 0.0)
        out.append(change)
    return out


def _of_ability(calibration: Calibration, expected: ExpectedItems, moments: Moments) -> list[Array]:
    """Derivatives in the free moments of ability, each of shape (moments,)."""
    scores, _ = calibration.population.moment_scores(calibration.grid, calibration.layout.free_moments)
    out = []
    for score in scores:
        weights = expected.weights * score
        products = (expected.away.T * weights) @ expected.away
        out.append(np.concatenate([(weights @ expected.away)[moments.items], products[moments.first, moments.second]]))
    return out
