"""The one seam between models and kernels.

(parameters, grid) -> a table of log-probabilities (items, categories, nodes);
(responses, table) -> posteriors, log-likelihoods, expected counts. Every layer above may import it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import Patterns
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.data.stored_patterns import StoredPatterns
from psyirt.foundation.threads import in_order, slices
from psyirt.grouped_likelihood import grouped_expectation, weighted_total
from psyirt.kernels.expectation import expected_counts, posterior_rows
from psyirt.kernels.sparse_expectation import most_information, sparse_counts, sparse_posteriors
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters

Array = NDArray[np.float64]

# below this many patterns the tables of combinations cost more than they save
_FEWEST_GROUPED = 64
# doubles in the widest vector register; log of no weight (a large finite one would outweigh an impossible response)
_REGISTER, _NO_WEIGHT = 8, -np.inf
# subjects x nodes held at once when posteriors are walked through
_BLOCK_ROWS = 4096
# from so many nodes on it pays to find each subject's own first (measured)
_MANY_NODES = 200
# patterns kept answer by answer: the sums of at most so many parts, of at least so many patterns, within so many bytes
MOST_PARTS, _FEWEST_PER_PART, _PART_BYTES = 8, 2048, 1 << 27


@dataclass(frozen=True, eq=False)
class Expectation:
    """What an E-step leaves: a sum over subjects, so that parts can be added.

    Attributes
    ----------
    log_likelihood : float
        Weighted sum over patterns of the marginal log-likelihood.
    counts : ndarray, shape (J, C, Q)
        Expected number of subjects at a node answering an item in a category.
    node_counts : ndarray, shape (Q,)
        Expected number of subjects at a node.
    """

    log_likelihood: float
    counts: Array
    node_counts: Array

    def __add__(self, other: Expectation) -> Expectation:
        """What the E-step over the subjects of both leaves, from the same table and nodes.

        An engine that spreads subjects over several processes adds their parts, always in the same order, and carries
        out the M-step on the sum.
        """
        if not isinstance(other, Expectation) or other.counts.shape != self.counts.shape:
            return NotImplemented
        return Expectation(
            self.log_likelihood + other.log_likelihood,
            self.counts + other.counts,
            self.node_counts + other.node_counts,
        )


@dataclass(frozen=True, eq=False)
class PosteriorBlock:
    """Posterior weights of consecutive patterns.

    Attributes
    ----------
    rows : slice
        Which patterns.
    log_likelihood : ndarray, shape (rows,)
        Marginal log-likelihood of each.
    weights : ndarray, shape (rows, Q)
        Posterior probability of each node.
    """

    rows: slice
    log_likelihood: Array
    weights: Array


def log_probability_table(parameters: ItemParameters, grid: Grid) -> Array:
    """Log-probabilities of every category of every item at every node, shape (J, C, Q)."""
    return parameters.model.log_probabilities(parameters.values, grid.nodes)


def expectation(patterns: PatternSource, table: Array, log_weights: Array) -> Expectation:
    """The E-step of Bock & Aitkin (1981, eqs. 13-15): expected counts under the posterior.

    Parameters
    ----------
    patterns : PatternSource
        R response patterns over J items.
    table : ndarray, shape (J, C, Q)
        Log-probabilities.
    log_weights : ndarray, shape (Q,)
        Log population weights.

    Returns
    -------
    Expectation
        Sums in a fixed order: the same bits in every process.
    """
    if isinstance(patterns, SparsePatterns):
        return _sparse_expectation(patterns, table, log_weights)
    assert isinstance(patterns, Patterns | StoredPatterns)
    padded, weights = _pad(table, log_weights)
    nodes = len(log_weights)
    if patterns.rows < _FEWEST_GROUPED or table.shape[1] != 2:
        counts, node_counts = np.zeros(padded.shape), np.zeros(weights.shape)
        log_likelihood = np.empty(patterns.rows)
        expected_counts(patterns.codes, patterns.weights, padded, weights, log_likelihood, counts, node_counts)
        total = weighted_total(patterns.weights, log_likelihood)
    else:
        stride = _coarse_stride(nodes)
        blocks = patterns.packed_blocks(bool(stride))
        total, counts, node_counts = grouped_expectation(blocks, patterns.weights, padded, weights, nodes, stride)
    return Expectation(total, counts[..., :nodes].copy(), node_counts[:nodes])


def has_many_nodes(nodes: int) -> bool:
    """Whether it pays to find each subject's own nodes first."""
    return nodes >= _MANY_NODES


def _coarse_stride(nodes: int) -> int:
    """Every how many of many nodes stands a coarse one, so that there are 61 to 121 of them; 0 where nodes are few."""
    if not has_many_nodes(nodes):
        return 0
    return next((k for k in range((nodes - 1) // 60, (nodes - 1) // 121, -1) if (nodes - 1) % k == 0), 0)


def _pad(table: Array, log_weights: Array) -> tuple[Array, Array]:
    """Add nodes of no weight until their number fills whole vector registers: the loops run twice as fast."""
    nodes = len(log_weights)
    width = -(-nodes // _REGISTER) * _REGISTER
    padded = np.zeros((*table.shape[:2], width))
    padded[..., :nodes] = table
    weights = np.full(width, _NO_WEIGHT)
    weights[:nodes] = log_weights
    return padded, weights


def _sparse_expectation(patterns: SparsePatterns, table: Array, log_weights: Array) -> Expectation:
    """The E-step answer by answer: parts of the patterns, as many as the data alone say, added in their order."""
    nodes = len(log_weights)
    padded, weights = _pad(table, log_weights)
    flat = padded.reshape(-1, len(weights))
    stride = _coarse_stride(nodes)
    coarse = np.ascontiguousarray(flat[:, :nodes:stride]) if stride else np.empty((len(flat), 0))
    log_likelihood = np.empty(patterns.rows)

    def part(rows: slice) -> tuple[Array, Array]:
        counts, node_counts = np.zeros(flat.shape), np.zeros(weights.shape)
        sparse_counts(
            patterns.starts[rows.start : rows.stop + 1], patterns.entries, patterns.weights[rows], flat, coarse,
            weights, stride, log_likelihood[rows], counts, node_counts,
        )  # fmt: skip
        return counts, node_counts

    parts = min(MOST_PARTS, patterns.rows // _FEWEST_PER_PART, _PART_BYTES // flat.nbytes)
    done = in_order(part, slices(patterns.rows, -(-patterns.rows // max(parts, 1)) or 1))
    counts, node_counts = done[0] if done else (np.zeros(flat.shape), np.zeros(weights.shape))
    for more_counts, more_node_counts in done[1:]:
        counts += more_counts
        node_counts += more_node_counts
    total = weighted_total(patterns.weights, log_likelihood)
    return Expectation(total, counts.reshape(padded.shape)[..., :nodes].copy(), node_counts[:nodes].copy())


def largest_information(patterns: SparsePatterns, information: Array) -> float:
    """The largest sum that the items answered by any pattern have at any node.

    Parameters
    ----------
    patterns : SparsePatterns
        R patterns over J items.
    information : ndarray, shape (J, Q)
        Of each item at each node.
    """
    return float(most_information(patterns.starts, patterns.entries, np.ascontiguousarray(information)))


def posteriors(
    patterns: PatternSource, table: Array, log_weights: Array, most_rows: int | None = None
) -> Iterator[PosteriorBlock]:
    """Posterior weights of the nodes, a block of patterns at a time.

    Parameters
    ----------
    patterns, table, log_weights
        As in :func:`expectation`.
    most_rows : int, optional
        Patterns in a block at most; there are never more than 4,096.

    Yields
    ------
    PosteriorBlock
    """
    contiguous = np.ascontiguousarray(table)
    for rows in slices(patterns.rows, min(_BLOCK_ROWS, most_rows or _BLOCK_ROWS)):
        log_likelihood = np.empty(rows.stop - rows.start)
        weights = np.empty((len(log_likelihood), len(log_weights)))
        if isinstance(patterns, SparsePatterns):
            flat = contiguous.reshape(-1, len(log_weights))
            starts = patterns.starts[rows.start : rows.stop + 1]
            sparse_posteriors(starts, patterns.entries, flat, log_weights, log_likelihood, weights)
        else:
            part = np.ascontiguousarray(patterns.codes_of(rows))
            posterior_rows(part, contiguous, log_weights, log_likelihood, weights)
        yield PosteriorBlock(rows, log_likelihood, weights)
