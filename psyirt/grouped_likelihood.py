"""The E-step by groups of items, in parts that several threads may take.

Subjects are placed on the nodes a part of them at a time, and their posteriors are added up a part of the groups at a
time: no two parts write to the same number, so that every sum has its terms in one order on any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.packed_store import PackedPatterns
from psyirt.data.stored_patterns import BLOCK_ROWS
from psyirt.foundation.threads import in_order, slices
from psyirt.kernels.grouped_expectation import (
    group_tables,
    grouped_posteriors,
    scatter_rows,
    spread_counts,
    sum_rows,
)
from psyirt.kernels.windowed_expectation import windowed_posteriors

Array = NDArray[np.float64]

# additions a thread is given at a time (about 2 ms), and subjects at least
_PART, _FEWEST_SUBJECTS = 8_000_000, 256
# doubles of posteriors held at once
_SLAB = 4_000_000


@dataclass(frozen=True, eq=False)
class _Tables:
    """Log-probabilities of combinations of answers, (G, combinations, Q) and (G, combinations, coarse nodes).

    A group has `size` items with `states` answers each; `nothing` is the combination of missing ones.
    """

    size: int
    states: int
    nothing: int
    fine: Array
    coarse: Array
    log_weights: Array
    stride: int


@dataclass(frozen=True, eq=False)
class _Slab:
    """Consecutive subjects: their codes, weights, log-likelihoods, and posteriors between two nodes each."""

    codes: NDArray[np.uint8]
    weights: Array
    log_likelihood: Array
    rows: Array
    low: NDArray[np.intp]
    high: NDArray[np.intp]


def grouped_expectation(
    blocks: Iterable[tuple[slice, PackedPatterns]],
    weights: Array,
    table: Array,
    log_weights: Array,
    nodes: int,
    stride: int,
) -> tuple[float, Array, Array]:
    """Log-likelihood and expected counts of subjects whose answers are packed.

    Parameters
    ----------
    blocks : iterable of (slice, PackedPatterns)
        Consecutive ones of R response patterns over J items, all packed alike; the sums do not depend on where they
        are parted.
    weights : ndarray, shape (R,)
        Pattern weights.
    table : ndarray, shape (J, 2, Q)
        Log-probabilities, on a number of nodes that fills vector registers.
    log_weights : ndarray, shape (Q,)
        Log population weights; -inf at nodes that only fill up.
    nodes : int
        How many do not.
    stride : int
        Every how many of those stands a coarse one, from the first on; 0 to visit all nodes.

    Returns
    -------
    tuple of (float, ndarray, ndarray)
        Weighted log-likelihood, expected counts (J, 2, Q), and expected numbers of subjects at the nodes (Q,).
    """
    counts, node_counts, total = np.zeros(table.shape), np.zeros(len(log_weights)), 0.0
    tables, scattered = None, np.empty(0)
    for block, packed in blocks:
        if tables is None:
            tables = _tables(packed, table, log_weights, nodes, stride)
            scattered = np.zeros_like(tables.fine)
        own, log_likelihood = np.ascontiguousarray(weights[block]), np.empty(block.stop - block.start)
        for rows in slices(len(own), max(_FEWEST_SUBJECTS, _SLAB // len(log_weights))):
            slab = _place(tables, packed.codes[rows], own[rows], log_likelihood[rows])
            _add_up(slab, packed.nothing, scattered, node_counts)
        total = weighted_total(own, log_likelihood, total)
    if tables is not None:
        _spread(tables, scattered, counts)
    return total, counts, node_counts


def weighted_total(weights: Array, values: Array, total: float = 0.0) -> float:
    """`total` plus the weighted sum of values, added block by block, so that whoever has one block adds the same."""
    for rows in slices(len(values), BLOCK_ROWS):
        # numpy's sum rather than BLAS: the same bits whatever the number of threads
        total += float(np.sum(weights[rows] * values[rows]))
    return total


def _tables(packed: PackedPatterns, table: Array, log_weights: Array, nodes: int, stride: int) -> _Tables:
    """The log-probabilities of all combinations of a group's answers."""
    fine = np.empty((packed.codes.shape[1], packed.states**packed.size, len(log_weights)))

    def fill(part: slice) -> None:
        group_tables(table[_items(packed.size, part)], packed.size, packed.states, fine[part])

    in_order(fill, _some_groups(fine))
    coarse = np.ascontiguousarray(fine[..., :nodes:stride]) if stride else fine[..., :0]
    return _Tables(packed.size, packed.states, packed.nothing, fine, coarse, log_weights, stride)


def _spread(tables: _Tables, scattered: Array, counts: Array) -> None:
    """Sums over combinations of answers as sums over answers to single items."""

    def spread(part: slice) -> None:
        spread_counts(scattered[part], tables.size, tables.states, counts[_items(tables.size, part)])

    in_order(spread, _some_groups(scattered))


def _some_groups(tables: Array) -> list[slice]:
    """Groups whose tables a thread works on at a time."""
    return slices(len(tables), _at_once(tables.shape[1] * tables.shape[2]))


def _at_once(additions: int) -> int:
    """How many things of so many additions each a thread takes at a time."""
    return max(1, _PART // max(1, additions))


def _items(size: int, groups: slice) -> slice:
    """The items of some groups of `size` each."""
    return slice(groups.start * size, groups.stop * size)


def _place(tables: _Tables, codes: NDArray[np.uint8], weights: Array, log_likelihood: Array) -> _Slab:
    """Posteriors of some subjects; their log-likelihoods are filled in."""
    subjects, width = len(codes), len(tables.log_weights)
    low, high = np.empty(subjects, np.intp), np.empty(subjects, np.intp)
    slab = _Slab(codes, weights, log_likelihood, np.empty((subjects, width)), low, high)

    def place(part: slice) -> None:
        given = (slab.codes[part], tables.nothing, slab.weights[part], tables.fine)
        found = (slab.log_likelihood[part], slab.rows[part], slab.low[part], slab.high[part])
        if tables.stride:
            windowed_posteriors(*given, tables.coarse, tables.log_weights, tables.stride, *found)
        else:
            grouped_posteriors(*given, tables.log_weights, *found)

    in_order(place, slices(subjects, max(_FEWEST_SUBJECTS, _at_once(codes.shape[1] * width))))
    return slab


def _add_up(slab: _Slab, nothing: int, scattered: Array, node_counts: Array) -> None:
    """Add a slab's posteriors to the tables of all groups, and to the nodes."""

    def add(part: slice | None) -> None:
        if part is None:
            sum_rows(slab.rows, slab.low, slab.high, node_counts)
        else:
            scatter_rows(slab.codes, nothing, part.start, slab.rows, slab.low, slab.high, scattered[part])

    groups = slices(slab.codes.shape[1], _at_once(slab.rows.size))
    if len(groups) > 1:
        in_order(add, [*groups, None])
    else:
        add(groups[0])
        add(None)
