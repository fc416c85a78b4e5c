"""The E-step over answers kept one by one: the work is that of the answers there are.

Subjects are taken in blocks whose rows of nodes stay in the cache. A block's answers are sorted by item first, so that
a row of the table is fetched once for all who gave that answer; each subject's answers are still added in the order of
the items. Where nodes are many, every subject is placed on coarse ones before, and only the nodes around it are
visited (see ``windowed_expectation.py``). The general form, and the one tests compare with, is ``expectation.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}

# a node this far (in log-likelihood) below the best coarse one carries nothing a double could hold
_HOPELESS = 40.0
# bytes of the rows of a block: half of a usual second-level cache
_BLOCK_BYTES = 524288


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _by_answer(starts, entries, first, last, places, order):  # type: ignore[no-untyped-def]
    """Sort the answers of subjects first..last: who gave answer e stands in order[places[e]:places[e + 1]]."""
    places[:] = 0
    for k in range(starts[first], starts[last]):
        places[entries[k] + 1] += 1
    for e in range(places.shape[0] - 1):
        places[e + 1] += places[e]
    for r in range(first, last):
        for k in range(starts[r], starts[r + 1]):
            e = entries[k]
            order[places[e]] = r - first
            places[e] += 1
    for e in range(places.shape[0] - 1, 0, -1):
        places[e] = places[e - 1]
    places[0] = 0


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _add_rows(places, order, table, rows):  # type: ignore[no-untyped-def]
    """Add the table rows of a block's answers to its subjects' rows."""
    size = table.shape[1]
    for e in range(table.shape[0]):
        line = table[e]
        for k in range(places[e], places[e + 1]):
            row = rows[order[k]]
            for q in range(size):
                row[q] += line[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _add_windows(places, order, table, low, high, rows):  # type: ignore[no-untyped-def]
    """The same between each subject's nodes `low` and `high`."""
    for e in range(table.shape[0]):
        for k in range(places[e], places[e + 1]):
            r = order[k]
            line, row = table[e, low[r] : high[r]], rows[r, low[r] : high[r]]
            for q in range(line.shape[0]):
                row[q] += line[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _scatter_rows(places, order, rows, counts):  # type: ignore[no-untyped-def]
    """Add the rows of a block's subjects to the counts of their answers."""
    size = counts.shape[1]
    for e in range(counts.shape[0]):
        line = counts[e]
        for k in range(places[e], places[e + 1]):
            row = rows[order[k]]
            for q in range(size):
                line[q] += row[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _scatter_windows(places, order, low, high, rows, counts):  # type: ignore[no-untyped-def]
    """The same between each subject's nodes `low` and `high`."""
    for e in range(counts.shape[0]):
        for k in range(places[e], places[e + 1]):
            r = order[k]
            line, row = counts[e, low[r] : high[r]], rows[r, low[r] : high[r]]
            for q in range(line.shape[0]):
                line[q] += row[q]


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
def _normalise(row, below, bits, scale):  # type: ignore[no-untyped-def]
    """Turn log weights into weights that sum to 1; the log of their former sum."""
    top = row[0]
    for q in range(row.shape[0]):
        top = max(top, row[q])
    # of an impossible pattern the highest is minus infinity, and minus that is no number
    shift = top if top > -np.inf else 0.0
    for q in range(row.shape[0]):
        below[q] = row[q] - shift
    exp_row(below[: row.shape[0]], row, bits, scale)
    total = 0.0
    for q in range(row.shape[0]):
        total += row[q]
    for q in range(row.shape[0]):
        row[q] /= total
    return top + np.log(total)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def sparse_counts(  # type: ignore[no-untyped-def]
    starts, entries, weights, table, coarse_table, log_weights, stride, log_likelihood, counts, node_counts
):
    """Marginal log-likelihoods of consecutive patterns, and posterior weights summed by answer.

    Parameters
    ----------
    starts : ndarray of int64, shape (R + 1,)
        Pattern r's answers are entries[starts[r]:starts[r + 1]].
    entries : ndarray of int32
        C * item + category.
    weights : ndarray, shape (R,)
        Pattern weights.
    table : ndarray, shape (J * C, Q)
        Log-probabilities.
    coarse_table : ndarray, shape (J * C, nodes)
        Every `stride`-th node of `table`, from the first to the last; without columns where stride is 0.
    log_weights : ndarray, shape (Q,)
        Log population weights.
    stride : int
        (Q - 1) / (coarse nodes - 1), nodes of no weight at the end not counted; 0 to visit every node.
    log_likelihood : ndarray, shape (R,)
        Filled.
    counts : ndarray, shape (J * C, Q)
        Added to.
    node_counts : ndarray, shape (Q,)
        Added to.
    """
    size, coarse_size = log_weights.shape[0], coarse_table.shape[1]
    step = max(1, _BLOCK_BYTES // (8 * size))
    rows, coarse = np.empty((step, size)), np.empty((step, coarse_size))
    low, high = np.zeros(step, np.int64), np.full(step, size, np.int64)
    below, bits = np.empty(size), np.empty(size, np.int64)
    scale = bits.view(np.float64)
    places = np.empty(table.shape[0] + 1, np.int64)
    longest = 0
    for first in range(0, weights.shape[0], step):
        longest = max(longest, starts[min(first + step, weights.shape[0])] - starts[first])
    order = np.empty(longest, np.int32)
    for first in range(0, weights.shape[0], step):
        last = min(first + step, weights.shape[0])
        _by_answer(starts, entries, first, last, places, order)
        if stride > 0:
            for r in range(last - first):
                for c in range(coarse_size):
                    coarse[r, c] = log_weights[c * stride]
            _add_rows(places, order, coarse_table, coarse)
            _windows(coarse[: last - first], stride, size, low, high)
        for r in range(last - first):
            for q in range(low[r], high[r]):
                rows[r, q] = log_weights[q]
        if stride > 0:
            _add_windows(places, order, table, low, high, rows)
        else:
            _add_rows(places, order, table, rows)
        for r in range(last - first):
            row = rows[r, low[r] : high[r]]
            log_likelihood[first + r] = _normalise(row, below, bits, scale)
            for q in range(row.shape[0]):
                row[q] *= weights[first + r]
                node_counts[low[r] + q] += row[q]
        if stride > 0:
            _scatter_windows(places, order, low, high, rows, counts)
        else:
            _scatter_rows(places, order, rows, counts)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def sparse_posteriors(starts, entries, table, log_weights, log_likelihood, posterior):  # type: ignore[no-untyped-def]
    """Posterior weights of the nodes, pattern by pattern.

    Parameters
    ----------
    starts, entries, table, log_weights, log_likelihood
        As in :func:`sparse_counts`.
    posterior : ndarray, shape (R, Q)
        Filled; each row sums to 1.
    """
    size = log_weights.shape[0]
    below, bits = np.empty(size), np.empty(size, np.int64)
    scale = bits.view(np.float64)
    for r in range(posterior.shape[0]):
        row = posterior[r]
        for q in range(size):
            row[q] = log_weights[q]
        for k in range(starts[r], starts[r + 1]):
            line = table[entries[k]]
            for q in range(size):
                row[q] += line[q]
        log_likelihood[r] = _normalise(row, below, bits, scale)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def most_information(starts, entries, information):  # type: ignore[no-untyped-def]
    """The largest sum that any subject's items have at any node.

    Parameters
    ----------
    starts, entries
        As in :func:`sparse_counts`, two categories an item.
    information : ndarray, shape (J, Q)
        Of each item at each node.
    """
    size = information.shape[1]
    row = np.empty(size)
    most = 0.0
    for r in range(starts.shape[0] - 1):
        row[:] = 0.0
        for k in range(starts[r], starts[r + 1]):
            line = information[entries[k] // 2]
            for q in range(size):
                row[q] += line[q]
        for q in range(size):
            most = max(most, row[q])
    return most
