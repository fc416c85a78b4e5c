"""Second moments of the complete-data score under the posterior, from the answers' products at each node.

The score of item j's slot is a sum over categories of an indicator of the answer times a function of theta. Its
product with another's, expected under the posteriors and summed over subjects, is therefore a sum over nodes of the
weighted number of subjects with both answers times two such functions: one product of the indicators with themselves
for each node, and no matrix of all slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns
from psyirt.kernels.pair_products import add_pair_products
from psyirt.likelihood import posteriors
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout
from psyirt.observed_information.point import FitPoint

# doubles of the posteriors and indicators of the patterns that are looked at together
_BLOCK_NUMBERS = 8_000_000
# posterior weights below it add nothing to a sum of doubles
_NO_WEIGHT = 1e-20


@dataclass(frozen=True, eq=False)
class _Functions:
    """What multiplies indicators at the nodes.

    Attributes
    ----------
    shared : ndarray, shape (Q, S * J + M)
        The part of the score that all subjects share: the first category's where no answer is missing, and the latent
        moments'.
    own : ndarray, shape (Q, K, S, J)
        What an answer in one of K categories adds.
    categories : range
        Which K categories.
    """

    shared: Array
    own: Array
    categories: range


def score_second_moments(point: FitPoint) -> Array:
    """Sum over subjects of E[s s'], s the complete-data score under the posterior; shape (size, size).

    Parameters
    ----------
    point : FitPoint
        Where; any point, not only a maximum.

    Returns
    -------
    ndarray, shape (size, size)
        On the estimation scale, each subject as often as its weight says.
    """
    layout, slots = point.layout, np.flatnonzero(point.layout.is_free.any(axis=0))
    functions = _functions(point, slots)
    nodes, _, width, items = functions.own.shape
    products, common = np.zeros((width, items, width, items)), np.zeros(functions.shared.shape)
    totals = np.zeros(nodes)
    for indicators, weights in _blocks(point, functions.categories):
        for q in range(nodes):
            some = np.flatnonzero(weights[:, q] > _NO_WEIGHT)
            if not len(some):
                continue
            # sorted by ability, so that nearly all between the first and the last stand here
            rows = slice(some[0], some[-1] + 1)
            here, own = weights[rows, q], functions.own[q]
            totals[q] += here.sum()
            sums = here @ indicators[rows]
            common[q, : width * items] += np.einsum("kj,ksj->sj", sums.reshape(-1, items), own).ravel()
            weighted = indicators[rows] * np.sqrt(here)[:, None]
            add_pair_products(weighted.T @ weighted, own, products)
    for s in range(width):
        for t in range(s):
            products[s, :, t] = products[t, :, s].T
    moments = np.zeros((functions.shared.shape[1],) * 2)
    moments[: width * items, : width * items] = products.reshape(width * items, width * items)
    half = functions.shared.T @ (0.5 * totals[:, None] * functions.shared + common)
    moments += half + half.T
    return _fold(moments, layout, slots)


def _functions(point: FitPoint, slots: NDArray[np.intp]) -> _Functions:
    """The parts of the scores, as the answers call for them."""
    # (Q, C, S, J)
    scores = np.moveaxis(point.model.scores(point.values, point.grid.nodes)[..., slots], (2, 1, 3), (0, 1, 2))
    complete = point.patterns.is_complete
    first = scores[:, 0] if complete else np.zeros_like(scores[:, 0])
    shared = np.concatenate([first.reshape(len(first), -1), point.latent_scores[0].T], axis=1)
    categories = range(1 if complete else 0, scores.shape[1])
    own = scores[:, categories.start :] - first[:, None]
    return _Functions(shared, np.ascontiguousarray(own), categories)


def _blocks(point: FitPoint, categories: range) -> Iterator[tuple[Array, Array]]:
    """Indicators (rows, K * J) and weighted posteriors (rows, Q) of some patterns, in the order of their abilities."""
    patterns = point.patterns
    step = max(1, _BLOCK_NUMBERS // (point.grid.count + len(categories) * len(point.values)))
    for start in range(0, patterns.rows, step):
        codes = patterns.codes_of(slice(start, start + step))
        posterior = np.concatenate(
            [block.weights for block in posteriors(Patterns.of(codes), point.table, point.log_weights)]
        )
        order = np.argsort(posterior @ point.grid.nodes[:, 0], kind="stable")
        indicators = np.concatenate([codes[order] == k for k in categories], axis=1).astype(float)
        yield indicators, posterior[order] * patterns.weights[start : start + step][order, None]


def _fold(moments: Array, layout: ParameterLayout, slots: NDArray[np.intp]) -> Array:
    """Put columns where their parameters stand, those of a shared one summed."""
    at = np.append(layout.index.T[slots].ravel(), np.arange(layout.item_size, layout.size))
    free = at >= 0
    at, moments = at[free], moments[np.ix_(free, free)]
    rows, out = np.zeros((layout.size, len(at))), np.zeros((layout.size, layout.size))
    if not layout.has_shared:
        out[np.ix_(at, at)] = moments
        return out
    np.add.at(rows, at, moments)
    np.add.at(out, at, rows.T)
    return out
