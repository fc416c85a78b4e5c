"""Purification: items that behave differently leave the score that subjects are matched on, until none is new."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from psyirt.foundation.words import counted

Mask = NDArray[np.bool_]
# which items are flagged, and how large their effects are
Findings = tuple[Mask, NDArray[np.float64]]

# rounds settle in two to four where they settle at all
MAX_ROUNDS = 20
# a score of fewer items says hardly anything
_FEWEST_ANCHORS = 3


def purified(test: Callable[[Mask], Findings], items: int) -> tuple[Mask, tuple[str, ...]]:
    """The items to match on: all but those that are flagged when subjects are matched on them.

    One item with a large effect shifts the scores of a whole group, and makes good items look bad: so of more than half
    of the items only the half with the largest effects leaves in a round, and the others come back once it is gone.

    Parameters
    ----------
    test : callable
        Anchors, shape (items,) -> flags and effect sizes, each of shape (items,).
    items : int
        J.

    Returns
    -------
    tuple of (ndarray of bool, tuple of str)
        The anchors, and what happened. Where rounds go in a circle, every item flagged in it leaves.
    """
    anchors = np.ones(items, dtype=bool)
    seen: list[Mask] = []
    for number in range(1, MAX_ROUNDS + 1):
        seen.append(anchors)
        flags, sizes = test(anchors)
        following = _unflagged(flags, sizes)
        if following.sum() < _FEWEST_ANCHORS:
            note = f"not purified further: fewer than {_FEWEST_ANCHORS} items would be left to match on"
            return anchors, (note,)
        if np.array_equal(following, anchors):
            return anchors, _told(anchors, number, int(flags.sum()))
        again = next((k for k, mask in enumerate(seen) if np.array_equal(mask, following)), None)
        if again is not None:
            circle = f"purification goes in a circle of {counted(len(seen) - again, 'round')}"
            strict: Mask = np.logical_and.reduce(seen[again:])
            if strict.sum() < _FEWEST_ANCHORS:
                return anchors, (f"{circle}: its last one is shown",)
            return strict, (f"{circle}: every item flagged in it is left out", *_told(strict, number, 0))
        anchors = following
    return anchors, (f"purification stopped after {MAX_ROUNDS} rounds: which items are flagged may depend on it",)


def _unflagged(flags: Mask, sizes: NDArray[np.float64]) -> Mask:
    """The items that stay: at least half of them."""
    many = len(flags) // 2
    leaving = np.flatnonzero(flags)
    if len(leaving) > many:
        leaving = leaving[np.argsort(-sizes[leaving], kind="stable")[:many]]
    stays = np.ones(len(flags), dtype=bool)
    stays[leaving] = False
    return stays


def _told(anchors: Mask, rounds: int, flagged: int) -> tuple[str, ...]:
    """How many items are matched on, and whether that is enough."""
    told = f"purified in {counted(rounds, 'round')}: matched on {int(anchors.sum())} of {len(anchors)} items"
    if flagged > len(anchors) // 2:
        return (told, "more than half of the items are flagged: no score is left that both groups could be matched on")
    return (told,)
