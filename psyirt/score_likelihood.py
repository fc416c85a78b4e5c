"""The seam of ``likelihood.py`` for complete answers to items whose logit is linear in ability: sum scores suffice.

What it leaves is less than expected counts, and enough: the M-step of such items needs only how many answered right,
their posterior means, and how many subjects stand at each node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.foundation.threads import ITEMS_AT_ONCE, in_order, slices
from psyirt.kernels.score_expectation import (
    POINTS,
    all_wrong,
    byte_sums,
    byte_totals,
    interpolated_moments,
    item_totals,
    pack_bits,
    score_posteriors,
    scores_of,
)

Array = NDArray[np.float64]

# Distance between the scores at which posteriors are computed: at most _SPACING, at most _PER_WIDTH / the widest
# posterior's standard deviation (a wide posterior changes faster with the score), and at least so many points. Counts
# are then exact to 1e-10 of the sample size, mostly to 1e-12 (tested).
_SPACING, _PER_WIDTH, _FEWEST_POINTS = 0.25, 0.11, 128
# between nodes far apart posterior weights swap over a score difference of pi / distance: what that may be in spacings
_SWAP = 33.0
# points beyond the lowest and highest score that the interpolation reaches for
_MARGIN = POINTS // 2
# subjects whose partial sums are added up at once; fixed, so that the sums do not depend on anything else
_CHUNK = 1 << 16
# share of the subjects that is too small to matter to any sum of doubles
_NOBODY = 1e-17


@dataclass(frozen=True, eq=False)
class ScoreExpectation:
    """What an E-step on sum scores leaves: a sum over subjects, so that parts can be added.

    Attributes
    ----------
    log_likelihood : float
        Weighted sum over patterns of the marginal log-likelihood.
    right : ndarray, shape (J,)
        Weighted number of correct answers.
    moments : ndarray, shape (J,)
        Posterior means of those who gave them, summed.
    nodes, node_counts : ndarray, shape (Q,)
        Abilities, and the expected number of subjects at each.
    """

    log_likelihood: float
    right: Array
    moments: Array
    nodes: Array
    node_counts: Array

    @cached_property
    def sums(self) -> tuple[Array, Array, Array, Array]:
        """What the M-step reads: nodes where anybody is, right, moments, node counts there."""
        # a long test's subjects stand on few of its many nodes
        some = np.abs(self.node_counts) > _NOBODY * np.sum(self.node_counts)
        return self.nodes[some], self.right, self.moments, self.node_counts[some]


@dataclass(frozen=True, eq=False)
class ScoreData:
    """Complete response patterns as sum scores need them.

    Attributes
    ----------
    bits : ndarray of uint8, shape (R, ceil(J / 8))
        Item j is bit j % 8 of byte j // 8.
    weights : ndarray, shape (R,)
        Pattern weights.
    right : ndarray, shape (J,)
        Weighted number of correct answers.
    """

    bits: NDArray[np.uint8]
    weights: Array
    right: Array


def pack_scores(patterns: PatternSource) -> ScoreData:
    """Complete patterns, eight answers to a byte."""
    rows, items = patterns.rows, patterns.items
    bits = np.empty((rows, -(-items // 8)), dtype=np.uint8)
    pack_bits(patterns.codes, bits)
    totals, right = np.zeros((bits.shape[1], 256)), np.empty(items)
    byte_totals(bits, patterns.weights, totals)
    item_totals(totals, right)
    return ScoreData(bits, patterns.weights, right)


def score_expectation(
    data: ScoreData, slopes: Array, intercepts: Array, nodes: Array, log_weights: Array
) -> ScoreExpectation:
    """The E-step of Bock & Aitkin (1981, eqs. 13-15) for items with log P(1)/P(0) = slope * theta + intercept.

    Parameters
    ----------
    data : ScoreData
        R complete response patterns over J items.
    slopes, intercepts : ndarray, shape (J,)
        Of the logits.
    nodes, log_weights : ndarray, shape (Q,)
        Abilities and log population weights.

    Returns
    -------
    ScoreExpectation
        Sums in a fixed order: the same bits in every process.
    """
    table = np.empty((data.bits.shape[1], 256))
    byte_sums(slopes, table)
    scores = np.empty(len(data.bits))
    chunks = slices(len(scores), _CHUNK)
    in_order(lambda rows: scores_of(data.bits[rows], table, scores[rows]), chunks)
    base = log_weights + _all_wrong(slopes, intercepts, nodes)
    points, at_points = _stations(scores, nodes, base)
    totals = np.zeros(table.shape)
    if points is not scores:
        spread = partial(_spread, data, scores, points, at_points.means)
        point_weights = np.zeros(len(points))
        for part_weights, part_totals in in_order(spread, chunks):
            point_weights += part_weights
            totals += part_totals
    else:
        point_weights = data.weights
        byte_totals(data.bits, point_weights * at_points.means, totals)
    moments = np.empty(len(slopes))
    item_totals(totals, moments)
    return ScoreExpectation(
        float(np.sum(point_weights * at_points.log_normaliser) + np.sum(data.right * intercepts)),
        data.right,
        moments,
        nodes,
        np.einsum("m,mq->q", point_weights, at_points.weights),
    )


@dataclass(frozen=True, eq=False)
class _Posteriors:
    """Posteriors at M scores: log normalisers, means, standard deviations (M,) and weights of the nodes (M, Q)."""

    log_normaliser: Array
    means: Array
    widths: Array
    weights: Array


def _posteriors(scores: Array, nodes: Array, base: Array) -> _Posteriors:
    """Posteriors at given scores."""
    count = len(scores)
    found = _Posteriors(np.empty(count), np.empty(count), np.empty(count), np.empty((count, len(nodes))))
    score_posteriors(scores, nodes, base, found.log_normaliser, found.means, found.widths, found.weights)
    return found


def _stations(scores: Array, nodes: Array, base: Array) -> tuple[Array, _Posteriors]:
    """Where posteriors are computed: scores close enough to interpolate between, or `scores` where those are fewer."""
    low, high = float(scores.min()), float(scores.max())
    swap = np.pi / float(np.diff(nodes).max()) / _SWAP
    spacing = min(_SPACING, max(high - low, 1e-6) / _FEWEST_POINTS, swap)
    points = _points(low, high, spacing)
    if len(points) < len(scores):
        found = _posteriors(points, nodes, base)
        widest = float(found.widths.max())
        if spacing * widest <= _PER_WIDTH:
            return points, found
        points = _points(low, high, _PER_WIDTH / widest)
    if len(points) < len(scores):
        return points, _posteriors(points, nodes, base)
    return scores, _posteriors(scores, nodes, base)


def _points(low: float, high: float, spacing: float) -> Array:
    """Equally spaced scores that reach past the lowest and the highest, as far as the interpolation does."""
    start = spacing * (np.floor(low / spacing) - _MARGIN)
    count = int(np.ceil((high - start) / spacing)) + _MARGIN + 1
    return np.asarray(start + spacing * np.arange(count))


def _all_wrong(slopes: Array, intercepts: Array, nodes: Array) -> Array:
    """Log-probability that every answer is wrong, shape (Q,)."""

    def part(items: slice) -> Array:
        out = np.empty(len(nodes))
        all_wrong(slopes[items], intercepts[items], nodes, out)
        return out

    return np.sum(in_order(part, slices(len(slopes), ITEMS_AT_ONCE)), axis=0)


def _spread(data: ScoreData, scores: Array, points: Array, means: Array, rows: slice) -> tuple[Array, Array]:
    """Weights of the points and sums of posterior means by byte, from some of the subjects."""
    point_weights, totals = np.zeros(len(points)), np.zeros((data.bits.shape[1], 256))
    spacing = points[1] - points[0]
    interpolated_moments(
        data.bits[rows], data.weights[rows], scores[rows], points[0], spacing, means, point_weights, totals
    )
    return point_weights, totals
