"""Products of the subjects' scores where answers are kept one by one: a subject's own parameters alone take part."""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "arcp", "nsz"}

# posterior weights below it add nothing to a sum of doubles
_NO_WEIGHT = 1e-20


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def score_products(starts, entries, weights, posterior, scores, places, latent, centred, out):  # type: ignore[no-untyped-def]
    """Add each pattern's posterior covariance of the complete-data score, or the product of its mean with itself.

    Parameters
    ----------
    starts : ndarray of int64, shape (R + 1,)
        Pattern r's answers are entries[starts[r]:starts[r + 1]].
    entries : ndarray of int32
        C * item + category.
    weights : ndarray, shape (R,)
        Pattern weights.
    posterior : ndarray, shape (R, Q)
        Posterior weights of the nodes.
    scores : ndarray, shape (J * C, S, Q)
        Derivatives of the log-probabilities in the slots.
    places : ndarray of int, shape (J, S)
        Position of each slot in the free vector; negative where it is fixed.
    latent : ndarray, shape (M, Q)
        Derivatives of the log weights in the latent moments, which stand last.
    centred : bool
        Covariances if true, products of means if false.
    out : ndarray, shape (size, size)
        Added to.
    """
    items, slots = places.shape
    categories = scores.shape[0] // items
    nodes, moments, size = posterior.shape[1], latent.shape[0], out.shape[0]
    most = 0
    for r in range(weights.shape[0]):
        most = max(most, starts[r + 1] - starts[r])
    lines, at = np.empty((most * slots + moments, nodes)), np.empty(most * slots + moments, np.int64)
    for r in range(weights.shape[0]):
        low, high = 0, nodes
        while low < high - 1 and posterior[r, low] < _NO_WEIGHT:
            low += 1
        while high > low + 1 and posterior[r, high - 1] < _NO_WEIGHT:
            high -= 1
        share = posterior[r, low:high]
        count = 0
        for k in range(starts[r], starts[r + 1]):
            e = entries[k]
            for s in range(slots):
                if places[e // categories, s] >= 0:
                    lines[count, : high - low] = scores[e, s, low:high]
                    at[count] = places[e // categories, s]
                    count += 1
        for m in range(moments):
            lines[count, : high - low] = latent[m, low:high]
            at[count] = size - moments + m
            count += 1
        for a in range(count):
            line = lines[a]
            mean = 0.0
            for q in range(high - low):
                mean += share[q] * line[q]
            if centred:
                for q in range(high - low):
                    line[q] = (line[q] - mean) * np.sqrt(share[q] * weights[r])
            else:
                line[0] = mean * np.sqrt(weights[r])
        length = high - low if centred else 1
        for a in range(count):
            first = lines[a]
            for b in range(a + 1):
                second = lines[b]
                product = 0.0
                for q in range(length):
                    product += first[q] * second[q]
                out[at[a], at[b]] += product
                if a != b:
                    out[at[b], at[a]] += product


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def score_squares(starts, entries, weights, posterior, scores, out):  # type: ignore[no-untyped-def]
    """Add, item by item, the product of each pattern's posterior mean score of the item's slots with itself.

    Parameters
    ----------
    starts, entries, weights, posterior, scores
        As in :func:`score_products`.
    out : ndarray, shape (J, S, S)
        Added to.
    """
    slots = scores.shape[1]
    categories = scores.shape[0] // out.shape[0]
    mean = np.empty(slots)
    for r in range(weights.shape[0]):
        share = posterior[r]
        for k in range(starts[r], starts[r + 1]):
            e = entries[k]
            for s in range(slots):
                line = scores[e, s]
                total = 0.0
                for q in range(share.shape[0]):
                    total += share[q] * line[q]
                mean[s] = total
            for s in range(slots):
                for t in range(slots):
                    out[e // categories, s, t] += weights[r] * mean[s] * mean[t]
