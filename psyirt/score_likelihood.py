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
from psyirt.data.stored_patterns import StoredPatterns
from psyirt.foundation.threads import ITEMS_AT_ONCE, in_order, slices
from psyirt.kernels.score_expectation import (
    POINTS,
    all_wrong,
    byte_sums,
    byte_totals,
    interpolated_moments,
    item_totals,
    mixed_rows,
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
# posteriors that are looked at first, and what the widest of all may be wider than the widest of these
_PROBES, _ALLOWANCE = 24, 1.02
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

    def __add__(self, other: ScoreExpectation) -> ScoreExpectation:
        """What the E-step over the subjects of both leaves; see ``Expectation.__add__``."""
        if not isinstance(other, ScoreExpectation) or not np.array_equal(other.nodes, self.nodes):
            return NotImplemented
        return ScoreExpectation(
            self.log_likelihood + other.log_likelihood,
            self.right + other.right,
            self.moments + other.moments,
            self.nodes,
            self.node_counts + other.node_counts,
        )

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
    bits : ndarray of uint8, shape (R, ceil(J / 8)), or StoredPatterns
        Item j is bit j % 8 of byte j // 8; or patterns that are read as such, a block at a time.
    weights : ndarray, shape (R,)
        Pattern weights.
    right : ndarray, shape (J,)
        Weighted number of correct answers.
    """

    bits: NDArray[np.uint8] | StoredPatterns
    weights: Array
    right: Array

    @property
    def rows(self) -> int:
        """R."""
        return len(self.weights)

    @property
    def groups(self) -> int:
        """ceil(J / 8)."""
        return -(-len(self.right) // 8)

    def bits_of(self, rows: slice) -> NDArray[np.uint8]:
        """Consecutive patterns' bytes."""
        return self.bits.bits_of(rows) if isinstance(self.bits, StoredPatterns) else self.bits[rows]

    def weights_of(self, rows: slice) -> Array:
        """Consecutive patterns' weights."""
        return np.ascontiguousarray(self.weights[rows])


def pack_scores(patterns: PatternSource) -> ScoreData:
    """Complete patterns, eight answers to a byte."""
    right = np.empty(patterns.items)
    bits: NDArray[np.uint8] | StoredPatterns
    if isinstance(patterns, StoredPatterns):
        bits = patterns
    else:
        bits = np.empty((patterns.rows, -(-patterns.items // 8)), dtype=np.uint8)
        pack_bits(patterns.codes, bits)
    data = ScoreData(bits, patterns.weights, right)
    totals = np.zeros((data.groups, 256))
    for rows in slices(data.rows, _CHUNK):
        byte_totals(data.bits_of(rows), data.weights_of(rows), totals)
    item_totals(totals, right)
    return data


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
    table = np.empty((data.groups, 256))
    byte_sums(slopes, table)
    scored = _Scores.of(data, table)
    chunks = slices(data.rows, _CHUNK)
    base = log_weights + _all_wrong(slopes, intercepts, nodes)
    points, at_points = _stations(scored, nodes, base)
    totals = np.zeros(table.shape)
    if len(points) < data.rows:
        spread = partial(_spread, scored, points, at_points.means)
        point_weights = np.zeros(len(points))
        for part_weights, part_totals in in_order(spread, chunks):
            point_weights += part_weights
            totals += part_totals
    else:
        point_weights = data.weights
        byte_totals(data.bits_of(slice(0, data.rows)), point_weights * at_points.means, totals)
    moments, mixed = np.empty(len(slopes)), np.empty(len(nodes))
    item_totals(totals, moments)
    mixed_rows(point_weights, at_points.weights, mixed)
    return ScoreExpectation(
        float(np.sum(point_weights * at_points.log_normaliser) + np.sum(data.right * intercepts)),
        data.right,
        moments,
        nodes,
        mixed,
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


@dataclass(frozen=True, eq=False)
class _Scores:
    """The patterns' sum scores: kept, or made again whenever they are asked for where the patterns are read in blocks.

    `low` and `high` are the lowest and the highest.
    """

    data: ScoreData
    table: Array
    low: float
    high: float
    kept: Array | None

    @classmethod
    def of(cls, data: ScoreData, table: Array) -> _Scores:
        chunks = slices(data.rows, _CHUNK)
        if isinstance(data.bits, StoredPatterns):
            ends = in_order(lambda rows: _ends(_made(data, table, rows)), chunks)
            return cls(data, table, min(low for low, _ in ends), max(high for _, high in ends), None)
        kept = np.empty(data.rows)
        in_order(lambda rows: scores_of(data.bits_of(rows), table, kept[rows]), chunks)
        return cls(data, table, *_ends(kept), kept)

    def __len__(self) -> int:
        return self.data.rows

    def of_rows(self, rows: slice) -> Array:
        """Some patterns' scores."""
        return _made(self.data, self.table, rows) if self.kept is None else self.kept[rows]


def _made(data: ScoreData, table: Array, rows: slice) -> Array:
    """Some patterns' scores from their bytes."""
    scores = np.empty(rows.stop - rows.start)
    scores_of(data.bits_of(rows), table, scores)
    return scores


def _ends(scores: Array) -> tuple[float, float]:
    """The lowest and the highest."""
    return float(scores.min()), float(scores.max())


def _stations(scores: _Scores, nodes: Array, base: Array) -> tuple[Array, _Posteriors]:
    """Where posteriors are computed: scores close enough to interpolate between, or all where those are fewer."""
    low, high = scores.low, scores.high
    swap = np.pi / (float(nodes[-1] - nodes[0]) / (len(nodes) - 1)) / _SWAP
    spacing = min(_SPACING, max(high - low, 1e-6) / _FEWEST_POINTS, swap)
    # a few posteriors tell how wide they are, mostly; where one between them is wider, all are computed again
    beyond = (_MARGIN + 1) * spacing
    widest = float(_posteriors(np.linspace(low - beyond, high + beyond, _PROBES), nodes, base).widths.max())
    spacing = min(spacing, _PER_WIDTH / (_ALLOWANCE * widest)) if widest > 0.0 else spacing
    points = _points(low, high, spacing)
    while len(points) < len(scores):
        found = _posteriors(points, nodes, base)
        widest = float(found.widths.max())
        # halved steps at least, so that it ends
        if spacing * widest <= _PER_WIDTH:
            return points, found
        spacing = min(0.5 * spacing, _PER_WIDTH / (_ALLOWANCE * widest))
        points = _points(low, high, spacing)
    everyone = scores.of_rows(slice(0, len(scores)))
    return everyone, _posteriors(everyone, nodes, base)


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


def _spread(scores: _Scores, points: Array, means: Array, rows: slice) -> tuple[Array, Array]:
    """Weights of the points and sums of posterior means by byte, from some of the subjects."""
    data = scores.data
    point_weights, totals = np.zeros(len(points)), np.zeros((data.groups, 256))
    given = (data.bits_of(rows), data.weights_of(rows), scores.of_rows(rows))
    interpolated_moments(*given, points[0], points[1] - points[0], means, point_weights, totals)
    return point_weights, totals
