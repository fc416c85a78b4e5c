"""The E-step over any table of log-probabilities: missing responses are simply not added."""

from __future__ import annotations

import numpy as np
from numba import njit

from psyirt.kernels._math import exp_row

# first 12 hex digits of the SHA-256 of _math.py: numba's cache notices this file's edits, not that one's
_MATH_SOURCE = "6debbe83e339"

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def expected_counts(codes, weights, table, log_weights, log_likelihood, counts, node_counts):  # type: ignore[no-untyped-def]
    """Marginal log-likelihood of each pattern and the posterior-weighted counts.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        Categories; negative = missing.
    weights : ndarray, shape (R,)
        Pattern weights.
    table : ndarray, shape (J, C, Q)
        Log-probabilities.
    log_weights : ndarray, shape (Q,)
        Log population weights.
    log_likelihood : ndarray, shape (R,)
        Filled: log sum_q exp(log_weights[q] + sum_j table[j, codes[r, j], q]).
    counts : ndarray, shape (J, C, Q)
        Added to: expected number of subjects at a node answering in a category.
    node_counts : ndarray, shape (Q,)
        Added to: expected number of subjects at a node.
    """
    nodes = log_weights.shape[0]
    row, below = np.empty(nodes), np.empty(nodes)
    bits = np.empty(nodes, np.int64)
    scale = bits.view(np.float64)
    for r in range(codes.shape[0]):
        row[:] = log_weights
        for j in range(codes.shape[1]):
            k = codes[r, j]
            if k >= 0:
                line = table[j, k]
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
        for j in range(codes.shape[1]):
            k = codes[r, j]
            if k >= 0:
                line = counts[j, k]
                for q in range(nodes):
                    line[q] += row[q]


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def posterior_rows(codes, table, log_weights, log_likelihood, posterior):  # type: ignore[no-untyped-def]
    """Posterior weights of the nodes, pattern by pattern.

    Parameters
    ----------
    codes, table, log_weights, log_likelihood
        As in :func:`expected_counts`.
    posterior : ndarray, shape (R, Q)
        Filled; each row sums to 1.
    """
    nodes = log_weights.shape[0]
    row, below = np.empty(nodes), np.empty(nodes)
    bits = np.empty(nodes, np.int64)
    scale = bits.view(np.float64)
    for r in range(codes.shape[0]):
        row[:] = log_weights
        for j in range(codes.shape[1]):
            k = codes[r, j]
            if k >= 0:
                line = table[j, k]
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
        for q in range(nodes):
            posterior[r, q] = row[q] / total
