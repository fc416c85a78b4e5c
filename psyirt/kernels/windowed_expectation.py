"""The E-step over groups of items where a posterior covers few of many nodes: only those nodes are visited.

Every subject is first placed on coarse nodes, a few of the fine ones; the fine nodes around all coarse ones that are
not hopelessly unlikely are then summed. Subjects and groups are taken in blocks, so that the rows of a block's tables
stay in the cache while its subjects use them. The general form, and the one tests compare with, is ``expectation.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "0d54dfae392f"

_FAST = {"contract", "reassoc", "arcp", "nsz"}

# a node this far (in log-likelihood) below the best coarse one carries nothing a double could hold
_HOPELESS = 40.0
_SUBJECTS, _GROUPS = 256, 32


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _add_rows(packed, nothing, start, stop, tables, low, high, rows):  # type: ignore[no-untyped-def]
    """Add the table rows of subjects start..stop to `rows`, between each one's nodes `low` and `high`."""
    for first in range(0, packed.shape[1], _GROUPS):
        last = min(first + _GROUPS, packed.shape[1])
        for r in range(start, stop):
            row = rows[r - start]
            begin, end = low[r - start], high[r - start]
            for g in range(first, last):
                if packed[r, g] == nothing:
                    continue
                line = tables[g, packed[r, g]]
                for q in range(begin, end):
                    row[q] += line[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _windows(coarse, stride, nodes, low, high):  # type: ignore[no-untyped-def]
    """The fine nodes around all coarse nodes that are not hopeless, one coarse interval wider on either side."""
    for r in range(coarse.shape[0]):
        top = -np.inf
        for c in range(coarse.shape[1]):
            top = max(top, coarse[r, c])
        first, last = 0, coarse.shape[1] - 1
        while first < last and coarse[r, first] < top - _HOPELESS:
            first += 1
        while last > first and coarse[r, last] < top - _HOPELESS:
            last -= 1
        low[r] = max(0, (first - 1) * stride)
        high[r] = min(nodes, (last + 1) * stride + 1)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def windowed_counts(  # type: ignore[no-untyped-def]
    packed, nothing, weights, tables, coarse_tables, log_weights, stride, log_likelihood, group_counts, node_counts
):
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
        From ``grouped_expectation.group_tables``.
    coarse_tables : ndarray, shape (G, combinations, C)
        Every `stride`-th node of `tables`, from the first to the last.
    log_weights : ndarray, shape (Q,)
        Log population weights.
    stride : int
        (Q - 1) / (C - 1).
    log_likelihood : ndarray, shape (R,)
        Filled.
    group_counts : ndarray, shape (G, combinations, Q)
        Added to.
    node_counts : ndarray, shape (Q,)
        Added to.
    """
    size, coarse_size = log_weights.shape[0], coarse_tables.shape[2]
    coarse, fine = np.empty((_SUBJECTS, coarse_size)), np.empty((_SUBJECTS, size))
    low, high = np.empty(_SUBJECTS, np.int64), np.empty(_SUBJECTS, np.int64)
    below, bits = np.empty(size), np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for start in range(0, packed.shape[0], _SUBJECTS):
        stop = min(start + _SUBJECTS, packed.shape[0])
        for r in range(stop - start):
            low[r], high[r] = 0, coarse_size
            for c in range(coarse_size):
                coarse[r, c] = log_weights[c * stride]
        _add_rows(packed, nothing, start, stop, coarse_tables, low, high, coarse)
        _windows(coarse[: stop - start], stride, size, low, high)
        for r in range(stop - start):
            for q in range(low[r], high[r]):
                fine[r, q] = log_weights[q]
        _add_rows(packed, nothing, start, stop, tables, low, high, fine)
        for r in range(stop - start):
            begin, end = low[r], high[r]
            row = fine[r, begin:end]
            top = row[0]
            for q in range(end - begin):
                top = max(top, row[q])
            # of an impossible pattern the highest is minus infinity, and minus that is no number
            shift = top if top > -np.inf else 0.0
            for q in range(end - begin):
                below[q] = row[q] - shift
            exp_row(below[: end - begin], row, bits, scale)
            total = 0.0
            for q in range(end - begin):
                total += row[q]
            log_likelihood[start + r] = top + np.log(total)
            share = weights[start + r] / total
            for q in range(end - begin):
                row[q] *= share
                node_counts[begin + q] += row[q]
        for first in range(0, packed.shape[1], _GROUPS):
            last = min(first + _GROUPS, packed.shape[1])
            for r in range(start, stop):
                begin, end = low[r - start], high[r - start]
                row = fine[r - start]
                for g in range(first, last):
                    if packed[r, g] == nothing:
                        continue
                    line = group_counts[g, packed[r, g]]
                    for q in range(begin, end):
                        line[q] += row[q]
