"""The E-step over groups of items: one table row per group of answers instead of one per answer.

Items are packed a few to a group; every combination of their answers (missing is one more answer) has a row of summed
log-probabilities, so a subject costs one addition per group. Posterior rows are scattered into tables of the same
shape, which are then reduced to items. The general form, and the one tests compare with, is ``expectation.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "0d54dfae392f"

_FAST = {"contract", "reassoc", "arcp", "nsz"}


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
def grouped_counts(packed, nothing, weights, tables, log_weights, log_likelihood, group_counts, node_counts):  # type: ignore[no-untyped-def]
    """Marginal log-likelihoods, and posterior weights scattered by group and combination.

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
    group_counts : ndarray, shape (G, combinations, Q)
        Added to.
    node_counts : ndarray, shape (Q,)
        Added to.
    """
    nodes = log_weights.shape[0]
    row, below = np.empty(nodes), np.empty(nodes)
    bits = np.empty(nodes, np.int64)
    scale = bits.view(np.float64)
    for r in range(packed.shape[0]):
        for q in range(nodes):
            row[q] = log_weights[q]
        for g in range(packed.shape[1]):
            if packed[r, g] == nothing:
                continue
            line = tables[g, packed[r, g]]
            for q in range(nodes):
                row[q] += line[q]
        top = row[0]
        for q in range(nodes):
            if row[q] > top:
                top = row[q]
        # of an impossible pattern the highest is minus infinity, and minus that is no number
        shift = top if top > -np.inf else 0.0
        for q in range(nodes):
            below[q] = row[q] - shift
        exp_row(below, row, bits, scale)
        total = 0.0
        for q in range(nodes):
            total += row[q]
        log_likelihood[r] = top + np.log(total)
        share = weights[r] / total
        for q in range(nodes):
            row[q] *= share
            node_counts[q] += row[q]
        for g in range(packed.shape[1]):
            if packed[r, g] == nothing:
                continue
            line = group_counts[g, packed[r, g]]
            for q in range(nodes):
                line[q] += row[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def spread_counts(group_counts, size, states, counts):  # type: ignore[no-untyped-def]
    """Counts per item and category from counts per combination; `group_counts` is used up.

    Parameters
    ----------
    group_counts : ndarray, shape (G, states**size, Q)
        From :func:`grouped_counts`; overwritten.
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
