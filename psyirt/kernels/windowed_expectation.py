"""The E-step over groups of items where a posterior covers few of many nodes: only those nodes are visited.

Every subject is first placed on coarse nodes, a few of the fine ones; the fine nodes around all coarse ones that are
not hopelessly unlikely are then summed. Subjects and groups are taken in blocks, so that the rows of a block's tables
stay in the cache while its subjects use them. The general form, and the one tests compare with, is ``expectation.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import HOPELESS, posterior_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}

_SUBJECTS, _GROUPS = 256, 32


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _add_rows(packed, nothing, start, stop, tables, low, high, rows):  # type: ignore[no-untyped-def]
    """Add the table rows of subjects start..stop to `rows`, between each one's nodes `low` and `high`."""
    for first in range(0, packed.shape[1], _GROUPS):
        last = min(first + _GROUPS, packed.shape[1])
        for r in range(start, stop):
            begin, end = low[r - start], high[r - start]
            row = rows[r - start, begin:end]
            for g in range(first, last):
                if packed[r, g] == nothing:
                    continue
                line = tables[g, packed[r, g], begin:end]
                for q in range(line.shape[0]):
                    row[q] += line[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _windows(coarse, stride, nodes, low, high):  # type: ignore[no-untyped-def]
    """The fine nodes around all coarse nodes that are not hopeless, one coarse interval wider on either side."""
    for r in range(coarse.shape[0]):
        top = -np.inf
        for c in range(coarse.shape[1]):
            top = max(top, coarse[r, c])
        first, last = 0, coarse.shape[1] - 1
        while first < last and coarse[r, first] < top - HOPELESS:
            first += 1
        while last > first and coarse[r, last] < top - HOPELESS:
            last -= 1
        low[r] = max(0, (first - 1) * stride)
        high[r] = min(nodes, (last + 1) * stride + 1)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def windowed_posteriors(  # type: ignore[no-untyped-def]
    packed, nothing, weights, tables, coarse_tables, log_weights, stride, log_likelihood, rows, low, high
):
    """What ``grouped_expectation.grouped_posteriors`` leaves, from the nodes around a few coarse ones.

    Parameters
    ----------
    packed, nothing, weights, tables, log_weights, log_likelihood, rows, low, high
        As there.
    coarse_tables : ndarray, shape (G, combinations, C)
        Every `stride`-th node of `tables`, from the first to the last.
    stride : int
        (nodes - 1) / (C - 1); nodes after those are padding.
    """
    size, coarse_size = log_weights.shape[0], coarse_tables.shape[2]
    coarse = np.empty((_SUBJECTS, coarse_size))
    below, bits = np.empty(size), np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for start in range(0, packed.shape[0], _SUBJECTS):
        stop = min(start + _SUBJECTS, packed.shape[0])
        begin, end, fine = low[start:stop], high[start:stop], rows[start:stop]
        for r in range(stop - start):
            begin[r], end[r] = 0, coarse_size
            for c in range(coarse_size):
                coarse[r, c] = log_weights[c * stride]
        _add_rows(packed, nothing, start, stop, coarse_tables, begin, end, coarse)
        _windows(coarse[: stop - start], stride, size, begin, end)
        for r in range(stop - start):
            for q in range(begin[r], end[r]):
                fine[r, q] = log_weights[q]
        _add_rows(packed, nothing, start, stop, tables, begin, end, fine)
        for r in range(stop - start):
            row, weight, from_node = fine[r, begin[r] : end[r]], weights[start + r], begin[r]
            log_likelihood[start + r], first, last = posterior_row(row, weight, below, bits, scale)
            begin[r], end[r] = from_node + first, from_node + last
