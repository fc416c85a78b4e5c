"""The one seam between models and kernels.

(parameters, grid) -> a table of log-probabilities (items, categories, nodes);
(responses, table) -> posteriors, log-likelihoods, expected counts. Every layer above may import it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns
from psyirt.grouped_likelihood import grouped_expectation
from psyirt.kernels.expectation import expected_counts, posterior_rows
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


def expectation(patterns: Patterns, table: Array, log_weights: Array) -> Expectation:
    """The E-step of Bock & Aitkin (1981, eqs. 13-15): expected counts under the posterior.

    Parameters
    ----------
    patterns : Patterns
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
    padded, weights = _pad(table, log_weights)
    nodes = len(log_weights)
    if len(patterns.codes) < _FEWEST_GROUPED or table.shape[1] != 2:
        counts, node_counts = np.zeros(padded.shape), np.zeros(weights.shape)
        log_likelihood = np.empty(len(patterns.codes))
        expected_counts(patterns.codes, patterns.weights, padded, weights, log_likelihood, counts, node_counts)
    else:
        stride = _coarse_stride(nodes)
        given = (patterns.thinly_packed if stride else patterns.packed, patterns.weights, padded, weights)
        log_likelihood, counts, node_counts = grouped_expectation(*given, nodes, stride)
    # numpy's sum rather than BLAS: the same bits whatever the number of threads
    total = float(np.sum(patterns.weights * log_likelihood))
    return Expectation(total, counts[..., :nodes].copy(), node_counts[:nodes])


def _coarse_stride(nodes: int) -> int:
    """Every how many of many nodes stands a coarse one, so that there are 61 to 121 of them; 0 where nodes are few."""
    if nodes < _MANY_NODES:
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


def posteriors(codes: NDArray[np.int8], table: Array, log_weights: Array) -> Iterator[PosteriorBlock]:
    """Posterior weights of the nodes, a block of rows at a time.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        Response patterns; negative = missing.
    table, log_weights
        As in :func:`expectation`.

    Yields
    ------
    PosteriorBlock
    """
    contiguous = np.ascontiguousarray(table)
    for start in range(0, len(codes), _BLOCK_ROWS):
        part = np.ascontiguousarray(codes[start : start + _BLOCK_ROWS])
        log_likelihood, weights = np.empty(len(part)), np.empty((len(part), len(log_weights)))
        posterior_rows(part, contiguous, log_weights, log_likelihood, weights)
        yield PosteriorBlock(slice(start, start + len(part)), log_likelihood, weights)
