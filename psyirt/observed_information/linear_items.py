"""Louis's information where logits are linear in ability and no answer is missing: matrices of items, not of nodes.

The complete-data score of item j's slot is (y_j - P_j(theta)) theta^d, d = 1 for the slope and 0 for the intercept: a
part linear in theta with the answer as its factor, and a function of theta that all subjects share. Its posterior
covariance with another's is therefore

    y_j y_k Var(theta) [both slopes] + y_j Cov(theta, G_k) [j a slope] + y_k Cov(theta, G_j) [k a slope] + Cov(G_j, G_k)

with G = -P theta^d. All four depend on a subject through the sum score s = sum_j a_j y_j alone, so that the last three
are summed over a few hundred scores; the first is one product of the answers with themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import rows_at_once
from psyirt.foundation.threads import slices
from psyirt.kernels.answer_spread import SPREAD_POINTS, answer_scores, spread_answers
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout
from psyirt.observed_information.point import FitPoint

# distance between the scores that stand for the subjects where the nodes end at -6 and 6 (exact to 1e-11 of the
# diagonal), and how many there are at least
_SPACING, _FEWEST_POINTS = 0.25, 128
# points beyond the lowest and highest score that the interpolation reaches for
_MARGIN = SPREAD_POINTS // 2
# doubles of a block of answers or of a block of points
_BLOCK_NUMBERS = 1_000_000


@dataclass(frozen=True, eq=False)
class _Columns:
    """The free slots, one column each; the free latent moments follow them.

    Attributes
    ----------
    items, slots : ndarray of int, shape (K,)
        Slot 0 is a slope, slot 1 an intercept.
    shared : ndarray, shape (Q, K + M)
        G at the nodes: the part of the score that does not depend on the answers.
    """

    items: NDArray[np.intp]
    slots: NDArray[np.intp]
    shared: Array

    @cached_property
    def slopes(self) -> NDArray[np.intp]:
        """Columns that are slopes."""
        return np.flatnonzero(self.slots == 0)

    @cached_property
    def sloped_items(self) -> NDArray[np.intp]:
        """Their items."""
        return self.items[self.slopes]


@dataclass(frozen=True, eq=False)
class _Spread:
    """The subjects on a few scores.

    Attributes
    ----------
    weights : ndarray, shape (M,)
        How many subjects each score stands for.
    answers : ndarray, shape (M, J)
        How many right answers each stands for; no columns where no slope is free.
    variances : ndarray, shape (R,)
        Posterior variance of each pattern.
    """

    weights: Array
    answers: Array
    variances: Array


def has_linear_items(point: FitPoint) -> bool:
    """Whether no answer is missing, logits are linear in ability, and only slopes and intercepts are free."""
    only = not point.layout.is_free[:, 2:].any()
    return only and point.patterns.is_complete and point.model.linear_logits(point.values) is not None


def linear_information(point: FitPoint) -> Array:
    """Minus the second derivatives of the marginal log-likelihood, shape (size, size).

    Parameters
    ----------
    point : FitPoint
        One that :func:`has_linear_items`.
    """
    theta = point.grid.nodes[:, 0]
    columns = _columns(point, theta)
    # every answer wrong: what is left of a pattern's log-likelihood is s * theta
    base = point.table[:, 0].sum(axis=0) + point.log_weights
    points, spread = _spread(point, theta, base, bool(len(columns.slopes)))
    missing, node_counts = _shared_part(columns, theta, base, points, spread)
    if len(columns.slopes):
        missing[np.ix_(columns.slopes, columns.slopes)] += _answers_part(point, columns, spread)
    observed = np.negative(missing, out=missing)
    _add_complete(point, columns, theta, node_counts, observed)
    return _fold(observed, columns, point.layout)


def _columns(point: FitPoint, theta: Array) -> _Columns:
    items, slots = np.nonzero(point.layout.is_free[:, :2])
    shared = -np.exp(point.table[items, 1]).T
    shared[:, slots == 0] *= theta[:, None]
    shared = np.concatenate([shared, point.latent_scores[0].T], axis=1)
    return _Columns(items, slots, shared)


def _posteriors(points: Array, theta: Array, base: Array) -> Array:
    """Posterior weights of the nodes at given scores, shape (M, Q)."""
    logs = points[:, None] * theta + base
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _variances(points: Array, theta: Array, base: Array) -> Array:
    """Posterior variances at given scores, shape (M,)."""
    out = np.empty(len(points))
    step = max(1, _BLOCK_NUMBERS // len(theta))
    for rows in (slice(start, start + step) for start in range(0, len(points), step)):
        posterior = _posteriors(points[rows], theta, base)
        off = theta - (posterior @ theta)[:, None]
        out[rows] = np.einsum("mq,mq->m", posterior, off * off)
    return out


def _spread(point: FitPoint, theta: Array, base: Array, with_answers: bool) -> tuple[Array, _Spread]:
    """Equally spaced scores and the subjects on them; the subjects' own scores where those are fewer."""
    patterns, weights, slopes = point.patterns, point.patterns.weights, np.ascontiguousarray(point.values[:, 0])
    scores, blocks = np.empty(patterns.rows), slices(patterns.rows, rows_at_once(patterns.items))
    for rows in blocks:
        answer_scores(patterns.codes_of(rows), slopes, scores[rows])
    items = patterns.items if with_answers else 0
    low, high = float(scores.min()), float(scores.max())
    widest = _SPACING * 6.0 / float(np.abs(theta).max())
    spacing = min(widest, max(high - low, 1e-6) / _FEWEST_POINTS)
    start = spacing * (np.floor(low / spacing) - _MARGIN)
    count = int(np.ceil((high - start) / spacing)) + _MARGIN + 1
    if count >= len(scores):
        answered = patterns.codes_of(slice(0, patterns.rows))[:, :items]
        return scores, _Spread(weights, answered * weights[:, None], _variances(scores, theta, base))
    points = start + spacing * np.arange(count)
    at_scores, point_weights, answers = np.empty(patterns.rows), np.zeros(count), np.zeros((count, items))
    variances = _variances(points, theta, base)
    for rows in blocks:
        given = (patterns.codes_of(rows)[:, :items], np.ascontiguousarray(weights[rows]), scores[rows])
        spread_answers(*given, start, spacing, variances, at_scores[rows], point_weights, answers)
    return points, _Spread(point_weights, answers, at_scores)


def _shared_part(columns: _Columns, theta: Array, base: Array, points: Array, spread: _Spread) -> tuple[Array, Array]:
    """Missing information but for its product of answers, and the expected number of subjects at each node."""
    shared, size = columns.shared, columns.shared.shape[1]
    missing, node_counts = np.zeros((size, size)), np.zeros(len(theta))
    step = max(1, _BLOCK_NUMBERS // max(size, len(theta)))
    for rows in (slice(start, start + step) for start in range(0, len(points), step)):
        posterior = _posteriors(points[rows], theta, base)
        weights = spread.weights[rows]
        node_counts += weights @ posterior
        means = posterior @ shared
        missing -= means.T @ (means * weights[:, None])
        if len(columns.slopes):
            off = theta - (posterior @ theta)[:, None]
            cross = spread.answers[rows][:, columns.sloped_items].T @ ((posterior * off) @ shared)
            missing[columns.slopes] += cross
            missing[:, columns.slopes] += cross.T
    missing += shared.T @ (shared * node_counts[:, None])
    return missing, node_counts


def _answers_part(point: FitPoint, columns: _Columns, spread: _Spread) -> Array:
    """Sum over subjects of weight y_j y_k Var(theta), shape (slopes, slopes)."""
    patterns, items = point.patterns, columns.sloped_items
    # interpolated variances of nothing may lie a rounding error below 0
    roots = np.sqrt(np.maximum(point.patterns.weights * spread.variances, 0.0))
    out = np.zeros((len(items), len(items)))
    step = max(1, _BLOCK_NUMBERS // max(1, len(items)))
    for rows in slices(patterns.rows, step):
        answers = patterns.codes_of(rows)[:, items] * roots[rows, None]
        out += answers.T @ answers
    return out


def _add_complete(point: FitPoint, columns: _Columns, theta: Array, node_counts: Array, observed: Array) -> None:
    """Add the complete-data information: n P (1 - P) theta^(d + e) within items, and that of latent moments."""
    weight = np.exp(point.table[:, 0] + point.table[:, 1]) * node_counts
    moments = weight @ np.stack([np.ones_like(theta), theta, theta**2], axis=1)
    degree = 1 - columns.slots
    at = np.arange(len(degree))
    observed[at, at] += moments[columns.items, 2 * degree]
    # a slope is followed by its own intercept where both are free
    pair = np.flatnonzero(columns.items[1:] == columns.items[:-1])
    observed[pair, pair + 1] += moments[columns.items[pair], 1]
    observed[pair + 1, pair] += moments[columns.items[pair], 1]
    observed[len(degree) :, len(degree) :] -= point.latent_scores[1] @ node_counts


def _fold(observed: Array, columns: _Columns, layout: ParameterLayout) -> Array:
    """Sum the columns of shared parameters."""
    at = layout.index[columns.items, columns.slots]
    at = np.append(at, np.arange(layout.item_size, layout.size))
    if not layout.has_shared:
        return 0.5 * (observed + observed.T)
    rows, out = np.zeros((layout.size, len(at))), np.zeros((layout.size, layout.size))
    np.add.at(rows, at, observed)
    np.add.at(out, at, rows.T)
    return 0.5 * (out + out.T)
