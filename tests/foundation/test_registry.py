"""The name tables."""

from __future__ import annotations

import pytest

from psyirt.errors import InputError
from psyirt.foundation.progress import ProgressEvent, silent
from psyirt.foundation.registry import Registry

COLOURS = Registry("colour", {"Red": 1, "Green": 2})


def test_names_are_found_whatever_their_case() -> None:
    """fit_mml(responses, "2pl") is what people type."""
    assert COLOURS["red"] == COLOURS["RED"] == 1
    assert "GREEN" in COLOURS
    assert "blue" not in COLOURS
    assert list(COLOURS) == ["Red", "Green"]
    assert len(COLOURS) == 2


@pytest.mark.parametrize("name", ["gren", "blue", 3, None])
def test_an_unknown_name_is_answered_with_the_known_ones(name: object) -> None:
    """A misspelt option that is ignored, or answered with a bare KeyError, costs an afternoon."""
    with pytest.raises(InputError, match="Known: Red, Green") as caught:
        COLOURS[name]  # type: ignore[index]
    assert ("Did you mean 'Green'" in str(caught.value)) == (name == "gren")


def test_get_keeps_the_promise_of_a_mapping() -> None:
    """`get` with a default must not raise; code that probes a registry relies on it."""
    assert COLOURS.get("green") == 2
    assert COLOURS.get("blue") is None
    assert COLOURS.get("blue", 7) == 7


def test_silence_is_a_progress_receiver() -> None:
    """Fits call their receiver unconditionally; the default one must take an event and do nothing."""
    assert silent(ProgressEvent("EM", 1)) is None
