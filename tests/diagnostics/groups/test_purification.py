"""Purification: it settles, goes in circles, or stops where no score would be left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
import pytest

from psyirt.diagnostics.groups.purification import MAX_ROUNDS, Findings, Mask, purified


def scripted(*flagged: set[int], items: int = 8) -> Iterator[Findings]:
    """Flags round by round; larger positions have larger effects."""
    for each in flagged:
        yield np.isin(np.arange(items), list(each)), np.arange(items, dtype=float)


def run(*flagged: set[int], items: int = 8) -> tuple[set[int], tuple[str, ...]]:
    """Items left out, and the notes."""
    rounds = scripted(*flagged, items=items)
    anchors, notes = purified(lambda mask: next(rounds), items)
    return set(np.flatnonzero(~anchors).tolist()), notes


def test_settles() -> None:
    """An item flagged only because of another comes back."""
    out, notes = run({1, 2}, {2}, {2})
    assert out == {2}
    assert notes == ("purified in 3 rounds: matched on 7 of 8 items",)


def test_nothing_flagged() -> None:
    """One round is enough."""
    assert run(set()) == (set(), ("purified in 1 round: matched on 8 of 8 items",))


def test_circle() -> None:
    """Without the check two items would swap places for ever; both leave."""
    out, notes = run({1}, {2}, {1})
    assert out == {1, 2}
    assert notes[0] == "purification goes in a circle of 2 rounds: every item flagged in it is left out"


def test_more_than_half_flagged() -> None:
    """One large effect makes the others look bad: the largest half leaves, and the rest is judged again."""
    assert run({1, 3, 4, 5, 6, 7}, {7}, {7})[0] == {7}
    out, notes = run({0, 1, 2, 5, 6}, {0, 1, 2, 5, 6})
    assert out == {1, 2, 5, 6}
    assert notes[1].startswith("more than half of the items are flagged")


def test_too_few_left() -> None:
    """Two items are no score."""
    out, notes = run({0, 1}, items=4)
    assert out == set()
    assert notes == ("not purified further: fewer than 3 items would be left to match on",)


def test_limit() -> None:
    """Rounds that neither settle nor repeat end, and are told."""
    rounds = scripted(*[set(pair) for pair in islice(combinations(range(12), 2), MAX_ROUNDS)], items=12)

    def never(mask: Mask) -> Findings:
        return next(rounds)

    _, notes = purified(never, 12)
    assert notes == (f"purification stopped after {MAX_ROUNDS} rounds: which items are flagged may depend on it",)
    with pytest.raises(StopIteration):
        next(rounds)
