"""Neighbouring score groups merged until their expected counts are large enough for a chi-square statistic."""

from __future__ import annotations

import numpy as np
from numba import njit

# weights that sum to one subject may miss 1 by rounding
_ONE = 1.0 + 1e-9


@njit(cache=True, error_model="numpy", nogil=True)
def _merge(observed, expected, into, before, after, row, target):  # type: ignore[no-untyped-def]
    """Add `row` to the neighbouring row `target` and take it out of the chain."""
    for c in range(2):
        observed[target, c] += observed[row, c]
        expected[target, c] += expected[row, c]
    into[row] = target
    if before[row] >= 0:
        after[before[row]] = after[row]
    if after[row] >= 0:
        before[after[row]] = before[row]


@njit(cache=True, error_model="numpy", nogil=True)
def _pool_item(observed, expected, least, into):  # type: ignore[no-untyped-def]
    """Merge the rows of one item in place; `into[r]` is r for a row that stays, -1 for one without subjects."""
    rows = len(observed)
    before, after = np.full(rows, -1), np.full(rows, -1)
    first, last = -1, -1
    for r in range(rows):
        if observed[r, 0] + observed[r, 1] <= 0.0:
            into[r] = -1
            continue
        into[r] = r
        before[r] = last
        if last >= 0:
            after[last] = r
        else:
            first = r
        last = r
    r = first
    while r >= 0:
        following = after[r]
        if observed[r, 0] + observed[r, 1] <= _ONE:
            target = following if following >= 0 else before[r]
            if target >= 0:
                _merge(observed, expected, into, before, after, r, target)
                first = following if r == first else first
        r = following
    r = first
    while r >= 0:
        if min(expected[r, 0], expected[r, 1]) >= least or (before[r] < 0 and after[r] < 0):
            r = after[r]
            continue
        low, high = before[r], after[r]
        if low < 0:
            target = high
        elif high < 0:
            target = low
        else:
            # a tie goes to the lower score
            target = high if observed[high, 0] + observed[high, 1] < observed[low, 0] + observed[low, 1] else low
        _merge(observed, expected, into, before, after, r, target)
        r = target


@njit(cache=True, error_model="numpy", nogil=True)
def pool_cells(observed, expected, least):  # type: ignore[no-untyped-def]
    """Which pooled row each score group of each item belongs to.

    In this order: groups without subjects are left out; from the lowest score up, a group of one subject joins the
    next (the highest joins the one below); then, while an expected count is below `least`, the lowest such group
    joins its neighbour - the lowest group the one above, the highest the one below, any other the neighbour with
    fewer subjects, the lower score where both have as many.

    Parameters
    ----------
    observed, expected : ndarray of float64, shape (J, K, 2)
        Counts in K score groups, lowest score first; two columns, e.g. wrong and correct.
    least : float
        Smallest expected count allowed in a cell.

    Returns
    -------
    ndarray of int64, shape (J, K)
        0, 1, ... from the lowest pooled row up; -1 for groups without subjects.
    """
    items, groups = observed.shape[:2]
    out = np.full((items, groups), -1)
    for j in range(items):
        into = np.empty(groups, np.int64)
        _pool_item(observed[j].copy(), expected[j].copy(), least, into)
        label = -1
        # a group's final row lies anywhere in its run of scores, so follow each chain, then number the runs
        previous = -1
        for r in range(groups):
            if into[r] < 0:
                continue
            root = r
            while into[root] != root:
                root = into[root]
            if root != previous:
                label += 1
                previous = root
            out[j, r] = label
    return out
