"""The E-step over groups of items: one table row per group of answers instead of one per answer.

Items are packed a few to a group; every combination of their answers (missing is one more answer) has a row of summed
log-probabilities, so a subject costs one addition per group. Posterior rows are scattered into tables of the same
shape, which are then reduced to items. Subjects do not depend on each other in the first part, nor groups in the
others: parts may run on several threads, and every number is the same sum in the same order. The general form, and the
one tests compare with, is ``expectation.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import posterior_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}

# subjects whose rows stay in the cache while they pass through all groups
SUBJECTS = 64


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def group_tables(table, size, states, tables):  # type: ignore[no-untyped-def]
    """Summed log-probabilities of every combination of answers in a group.

    Parameters
    ----------
    table : ndarray, shape (J, C, Q)
        Log-probabilities.
    size : int
        Items per group.
    states : int
        Answers per item: C, or C + 1 where the last one stands for missing and adds nothing.
    tables : ndarray, shape (G, states**size, Q)
        Filled; row sum_k state_k * states**k of group g belongs to items g*size + k.
    """
    items, categories, nodes = table.shape
    for g in range(tables.shape[0]):
        tables[g, 0, :] = 0.0
        filled = 1
        for k in range(size):
            j = g * size + k
            # from the last state down, so that the rows of state 0 are overwritten last
            for s in range(states - 1, -1, -1):
                for row in range(filled):
                    source = tables[g, row]
                    target = tables[g, s * filled + row]
                    if j < items and s < categories:
                        line = table[j, s]
                        for q in range(nodes):
                            target[q] = source[q] + line[q]
                    else:
                        for q in range(nodes):
                            target[q] = source[q]
            filled *= states


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def grouped_posteriors(packed, nothing, weights, tables, log_weights, log_likelihood, rows, low, high):  # type: ignore[no-untyped-def]
    """Marginal log-likelihoods and posterior weights.

    Parameters
    ----------
    packed : ndarray of uint8, shape (R, G)
        Each pattern's combination in each group.
    nothing : int
        The combination in which every answer of the group is missing; it is passed over.
    weights : ndarray, shape (R,)
        Pattern weights.
    tables : ndarray, shape (G, combinations, Q)
        From :func:`group_tables`.
    log_weights : ndarray, shape (Q,)
        Log population weights.
    log_likelihood : ndarray, shape (R,)
        Filled.
    rows : ndarray, shape (R, Q)
        Filled from node `low` to before node `high`: posterior times pattern weight.
    low, high : ndarray of int, shape (R,)
        Filled; nodes outside carry nothing.
    """
    nodes = log_weights.shape[0]
    below, bits = np.empty(nodes), np.empty(nodes, np.int64)
    scale = bits.view(np.float64)
    for start in range(0, packed.shape[0], SUBJECTS):
        stop = min(start + SUBJECTS, packed.shape[0])
        for r in range(start, stop):
            row = rows[r]
            for q in range(nodes):
                row[q] = log_weights[q]
        # group by group: a group's few rows stay in the cache while the block's subjects use them
        for g in range(packed.shape[1]):
            table = tables[g]
            for r in range(start, stop):
                if packed[r, g] == nothing:
                    continue
                row, line = rows[r], table[packed[r, g]]
                for q in range(nodes):
                    row[q] += line[q]
        for r in range(start, stop):
            log_likelihood[r], low[r], high[r] = posterior_row(rows[r], weights[r], below, bits, scale)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def scatter_rows(packed, nothing, first_group, rows, low, high, group_counts):  # type: ignore[no-untyped-def]
    """Add posterior rows up by group and combination.

    Parameters
    ----------
    packed : ndarray of uint8, shape (R, G)
        Each pattern's combination in each group.
    nothing : int
        The combination that is passed over.
    first_group : int
        Which group the first of `group_counts` is.
    rows, low, high
        From :func:`grouped_posteriors`.
    group_counts : ndarray, shape (some groups, combinations, Q)
        Added to.
    """
    for start in range(0, packed.shape[0], SUBJECTS):
        stop = min(start + SUBJECTS, packed.shape[0])
        for g in range(group_counts.shape[0]):
            counts = group_counts[g]
            for r in range(start, stop):
                chosen = packed[r, first_group + g]
                if chosen == nothing:
                    continue
                row, line = rows[r, low[r] : high[r]], counts[chosen, low[r] : high[r]]
                for q in range(row.shape[0]):
                    line[q] += row[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def sum_rows(rows, low, high, node_counts):  # type: ignore[no-untyped-def]
    """Add posterior rows up, shape (Q,); parameters as in :func:`scatter_rows`."""
    for r in range(rows.shape[0]):
        row, total = rows[r, low[r] : high[r]], node_counts[low[r] : high[r]]
        for q in range(row.shape[0]):
            total[q] += row[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def spread_counts(group_counts, size, states, counts):  # type: ignore[no-untyped-def]
    """Counts per item and category from counts per combination; `group_counts` is used up.

    Parameters
    ----------
    group_counts : ndarray, shape (G, states**size, Q)
        From :func:`scatter_rows`; overwritten.
    size, states : int
        As in :func:`group_tables`.
    counts : ndarray, shape (J, C, Q)
        Added to.
    """
    items, categories, nodes = counts.shape
    for g in range(group_counts.shape[0]):
        filled = group_counts.shape[1]
        for k in range(size - 1, -1, -1):
            filled //= states
            j = g * size + k
            for s in range(states):
                for row in range(filled):
                    source = group_counts[g, s * filled + row]
                    if j < items and s < categories:
                        line = counts[j, s]
                        for q in range(nodes):
                            line[q] += source[q]
                    if s > 0:
                        target = group_counts[g, row]
                        for q in range(nodes):
                            target[q] += source[q]
