"""Numbers of subjects with two answers, times what either answer adds to the scores of its item's slots."""

from __future__ import annotations

from numba import njit

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, error_model="numpy", fastmath=_FAST, nogil=True)
def add_pair_products(pairs, own, products):  # type: ignore[no-untyped-def]
    """Add to the second moments of scores what one node adds.

    Parameters
    ----------
    pairs : ndarray, shape (K * J, K * J)
        Expected number of subjects at the node with two answers; answer k to item j is number k * J + j.
    own : ndarray, shape (K, S, J)
        What an answer adds to the score of a slot.
    products : ndarray, shape (S, J, S, J)
        Added to for slots s <= t: products[s, i, t, j] += sum_kl pairs[kJ + i, lJ + j] own[k, s, i] own[l, t, j].
    """
    kinds, slots, items = own.shape
    for c in range(kinds):
        for d in range(kinds):
            for s in range(slots):
                for i in range(items):
                    factor = own[c, s, i]
                    counts = pairs[c * items + i, d * items : (d + 1) * items]
                    for t in range(s, slots):
                        line, other = products[s, i, t], own[d, t]
                        for j in range(items):
                            line[j] += factor * counts[j] * other[j]
