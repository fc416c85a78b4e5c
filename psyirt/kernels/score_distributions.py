"""Distributions of the number-correct score given ability: of all items, and of all items but one."""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def _add_items(distribution, size, correct, wrong, first, last):  # type: ignore[no-untyped-def]
    """Convolve items first..last-1 into rows 0..size of `distribution`, in place; the new size is returned."""
    nodes = distribution.shape[1]
    for j in range(first, last):
        p, w = correct[j], wrong[j]
        above = distribution[size + 1]
        for q in range(nodes):
            above[q] = distribution[size, q] * p[q]
        for s in range(size, 0, -1):
            here, below = distribution[s], distribution[s - 1]
            for q in range(nodes):
                here[q] = here[q] * w[q] + below[q] * p[q]
        for q in range(nodes):
            distribution[0, q] *= w[q]
        size += 1
    return size


@njit(cache=True, error_model="numpy", nogil=True)
def score_distribution(correct, wrong):  # type: ignore[no-untyped-def]
    """Distribution of the sum score at each node (Lord & Wingersky, 1984).

    Parameters
    ----------
    correct, wrong : ndarray of float64, shape (J, Q)
        Probabilities of a correct and of a wrong response.

    Returns
    -------
    ndarray, shape (J + 1, Q)
        P(score = s | node); each column sums to 1.
    """
    items, nodes = correct.shape
    out = np.zeros((items + 1, nodes))
    out[0] = 1.0
    _add_items(out, 0, correct, wrong, 0, items)
    return out


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def rest_score_sums(correct, wrong, functions):  # type: ignore[no-untyped-def]
    """Sums over the nodes of functions of each item, weighted by the score distribution of all other items.

    The score distribution without item j is not divided out of the whole one (that cancels, and one-sided division
    overflows): the items are halved again and again, and what stays outside a half is convolved in. Only positive
    numbers are added and multiplied, so every digit of even the smallest probability holds.

    Parameters
    ----------
    correct, wrong : ndarray of float64, shape (J, Q)
        Probabilities of a correct and of a wrong response.
    functions : ndarray of float64, shape (J, K, Q)
        K functions of the nodes for each item, e.g. node weights times the probability of a correct response.

    Returns
    -------
    ndarray, shape (J, K, J)
        sum_q functions[j, k, q] P(score of the other items = s | q) for s = 0 .. J - 1.
    """
    items, nodes = correct.shape
    out = np.zeros((items, functions.shape[1], items))
    depths = 2
    while 2 ** (depths - 2) < items:
        depths += 1
    # level d holds the score distribution of every item outside the range now worked on at depth d
    levels = np.empty((depths, items + 1, nodes))
    sizes = np.zeros(depths, np.int64)
    levels[0, 0] = 1.0
    # each entry: the range to split, the sibling range to convolve in first, the depth
    stack = np.empty((2 * depths + 2, 5), np.int64)
    stack[0] = np.array([0, items, 0, 0, 1])
    top = 1
    while top > 0:
        top -= 1
        low, high, first, last, depth = stack[top]
        size = sizes[depth - 1]
        outside = levels[depth]
        for s in range(size + 1):
            outside[s] = levels[depth - 1, s]
        size = _add_items(outside, size, correct, wrong, first, last)
        sizes[depth] = size
        if high - low == 1:
            for k in range(functions.shape[1]):
                weight = functions[low, k]
                for s in range(size + 1):
                    total = 0.0
                    row = outside[s]
                    for q in range(nodes):
                        total += weight[q] * row[q]
                    out[low, k, s] = total
        else:
            middle = (low + high) // 2
            stack[top] = np.array([low, middle, middle, high, depth + 1])
            stack[top + 1] = np.array([middle, high, low, middle, depth + 1])
            top += 2
    return out
