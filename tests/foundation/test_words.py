"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from psyirt.foundation.words import counted


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (1, ("label",), "1 label"),
        (0, ("label",), "0 labels"),
        (2, ("entry", "entries"), "2 entries"),
        (1, ("label repeats", "labels repeat"), "1 label repeats"),
        (1234567, ("label",), "1234567 labels"),
        (2.0, ("person", "people"), "2 people"),
    ],
)
def test_a_number_and_its_noun_agree(number: float, words: tuple[str, ...], said: str) -> None:
    """ "1 labels" looks as if nobody had read the message, and a count as 1.23e+06 cannot be checked."""
    assert counted(number, *words) == said
