"""Sums behind the correlations of items with scores on the test, in one pass over the answers."""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def item_score_sums(codes, weights, own, sums, low, high):  # type: ignore[no-untyped-def]
    """Weighted moments of each item and the subjects' proportions correct, over those who answered the item.

    Parameters
    ----------
    codes : ndarray of int8, shape (R, J)
        1 right, 0 wrong, negative missing.
    weights : ndarray, shape (R,)
        Pattern weights.
    own : int
        1 if the proportion counts the item itself, 0 if it is that of the other items (then a subject who answered
        nothing else is left out).
    sums : ndarray, shape (5, J)
        Added to: sums of the weight w, w x, w y, w x y and w y y, with x the answer and y the proportion.
    low, high : ndarray, shape (J,)
        Smallest and largest y so far: updated.
    """
    items = codes.shape[1]
    for r in range(codes.shape[0]):
        row = codes[r]
        answers, right = 0, 0
        for j in range(items):
            answers += row[j] >= 0
            right += row[j] > 0
        others = answers - (1 - own)
        if others <= 0:
            continue
        # two proportions are all there are: of those who were wrong on the item, and of those who were right
        when_wrong = right / others
        when_right = (right - (1 - own)) / others
        w = weights[r]
        for j in range(items):
            seen = w if row[j] >= 0 else 0.0
            x = 1.0 if row[j] > 0 else 0.0
            y = when_right if row[j] > 0 else when_wrong
            sums[0, j] += seen
            sums[1, j] += seen * x
            sums[2, j] += seen * y
            sums[3, j] += seen * x * y
            sums[4, j] += seen * y * y
            low[j] = min(low[j], y if row[j] >= 0 else np.inf)
            high[j] = max(high[j], y if row[j] >= 0 else -np.inf)


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def sparse_item_score_sums(starts, entries, weights, own, sums, low, high):  # type: ignore[no-untyped-def]
    """The same from answers kept one by one.

    Parameters
    ----------
    starts : ndarray of int64, shape (R + 1,)
        Pattern r's answers are entries[starts[r]:starts[r + 1]].
    entries : ndarray of int32
        2 * item + answer.
    weights, own, sums, low, high
        As in :func:`item_score_sums`.
    """
    for r in range(weights.shape[0]):
        answers, right = starts[r + 1] - starts[r], 0
        for k in range(starts[r], starts[r + 1]):
            right += entries[k] & 1
        others = answers - (1 - own)
        if others <= 0:
            continue
        when_wrong = right / others
        when_right = (right - (1 - own)) / others
        w = weights[r]
        for k in range(starts[r], starts[r + 1]):
            j, x = entries[k] >> 1, entries[k] & 1
            y = when_right if x else when_wrong
            sums[0, j] += w
            sums[1, j] += w * x
            sums[2, j] += w * y
            sums[3, j] += w * x * y
            sums[4, j] += w * y * y
            low[j] = min(low[j], y)
            high[j] = max(high[j], y)
