"""The E-step by groups of items, in parts that several threads may take.

Subjects are placed on the nodes a part of them at a time, and their posteriors are added up a part of the groups at a
time: no two parts write to the same number, so that every sum has its terms in one order on any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import PackedPatterns
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
    """Log-probabilities of combinations of answers, (G, combinations, Q) and (G, combinations, coarse nodes)."""

    packed: PackedPatterns
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
    packed: PackedPatterns, weights: Array, table: Array, log_weights: Array, nodes: int, stride: int
) -> tuple[Array, Array, Array]:
    """Log-likelihoods and expected counts of subjects whose answers are packed.

    Parameters
    ----------
    packed : PackedPatterns
        R response patterns over J items in G groups.
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
    tuple of ndarray
        Log-likelihoods (R,), expected counts (J, 2, Q), and expected numbers of subjects at the nodes (Q,).
    """
    groups, width = packed.codes.shape[1], len(log_weights)
    fine = np.empty((groups, packed.states**packed.size, width))
    some_groups = slices(groups, _at_once(fine.shape[1] * width))
    in_order(
        lambda part: group_tables(table[_items(packed, part)], packed.size, packed.states, fine[part]), some_groups
    )
    coarse = np.ascontiguousarray(fine[..., :nodes:stride]) if stride else fine[..., :0]
    tables = _Tables(packed, fine, coarse, log_weights, stride)
    log_likelihood, counts, node_counts = np.empty(len(weights)), np.zeros(table.shape), np.zeros(width)
    scattered = np.zeros_like(fine)
    for rows in slices(len(weights), max(_FEWEST_SUBJECTS, _SLAB // width)):
        slab = _place(tables, packed.codes[rows], weights[rows], log_likelihood[rows])
        _add_up(slab, packed.nothing, scattered, node_counts)

    def spread(part: slice) -> None:
        spread_counts(scattered[part], packed.size, packed.states, counts[_items(packed, part)])

    in_order(spread, some_groups)
    return log_likelihood, counts, node_counts


def _at_once(additions: int) -> int:
    """How many things of so many additions each a thread takes at a time."""
    return max(1, _PART // max(1, additions))


def _items(packed: PackedPatterns, groups: slice) -> slice:
    """The items of some groups."""
    return slice(groups.start * packed.size, groups.stop * packed.size)


def _place(tables: _Tables, codes: NDArray[np.uint8], weights: Array, log_likelihood: Array) -> _Slab:
    """Posteriors of some subjects; their log-likelihoods are filled in."""
    subjects, width = len(codes), len(tables.log_weights)
    low, high = np.empty(subjects, np.intp), np.empty(subjects, np.intp)
    slab = _Slab(codes, weights, log_likelihood, np.empty((subjects, width)), low, high)

    def place(part: slice) -> None:
        given = (slab.codes[part], tables.packed.nothing, slab.weights[part], tables.fine)
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
