"""The seam of ``likelihood.py`` for complete answers to items whose logit is linear in ability: sum scores suffice.

What it leaves is less than expected counts, and enough: the M-step of such items needs only how many answered right,
their posterior means, and how many subjects stand at each node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns
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

# largest distance between the scores at which posteriors are computed, for (few, many) items, and how many there are
# at least: counts are then exact to 1e-12 of the sample size. Wide posteriors change faster with the score; few or
# flat items leave those, and a short range of scores in which a finer spacing costs little
_SPACINGS, _MANY_ITEMS, _FEWEST_POINTS = (0.125, 0.25), 64, 128
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


def pack_scores(patterns: Patterns) -> ScoreData:
    """Complete patterns, eight answers to a byte."""
    rows, items = patterns.codes.shape
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
    bits, weights, items = data.bits, data.weights, len(slopes)
    table = np.empty((bits.shape[1], 256))
    byte_sums(slopes, table)
    scores = np.empty(len(bits))
    scores_of(bits, table, scores)
    base = np.empty(len(nodes))
    all_wrong(slopes, intercepts, nodes, base)
    base += log_weights
    low, high = float(scores.min()), float(scores.max())
    spacing = min(_SPACINGS[items >= _MANY_ITEMS], max(high - low, 1e-6) / _FEWEST_POINTS)
    start = spacing * (np.floor(low / spacing) - _MARGIN)
    count = int(np.ceil((high - start) / spacing)) + _MARGIN + 1
    interpolate = count < len(scores)
    points = start + spacing * np.arange(count) if interpolate else scores
    log_normaliser, means = np.empty(len(points)), np.empty(len(points))
    posterior = np.empty((len(points), len(nodes)))
    score_posteriors(points, nodes, base, log_normaliser, means, posterior)
    totals = np.zeros(table.shape)
    if interpolate:
        point_weights = np.zeros(count)
        for rows in (slice(first, first + _CHUNK) for first in range(0, len(bits), _CHUNK)):
            part_weights, part_totals = np.zeros(count), np.zeros(table.shape)
            interpolated_moments(
                bits[rows], weights[rows], scores[rows], start, spacing, means, part_weights, part_totals
            )
            point_weights += part_weights
            totals += part_totals
    else:
        point_weights = weights
        byte_totals(bits, point_weights * means, totals)
    moments = np.empty(items)
    item_totals(totals, moments)
    return ScoreExpectation(
        float(np.sum(point_weights * log_normaliser) + np.sum(data.right * intercepts)),
        data.right,
        moments,
        nodes,
        np.einsum("m,mq->q", point_weights, posterior),
    )
