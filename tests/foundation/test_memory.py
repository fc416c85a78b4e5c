"""Amounts of memory."""

from __future__ import annotations

import pytest

from psyirt.errors import EstimationError, InputError
from psyirt.foundation import memory
from psyirt.foundation.memory import available_memory, memory_bytes, refuse_beyond_machine, shown_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2 GB", 2 * 10**9), ("1.5gib", 3 * 2**29), ("64KiB", 65536), (4096, 4096), ("77", 77)],
)
def test_amounts_are_read_as_they_are_written(text: int | str, size: int) -> None:
    """A factor of 1,000 either way is a fit that starts where it should not, or does not where it could."""
    assert memory_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "5 apples", "-3GB", 0, "0MB", True, 1.5, None])
def test_what_is_no_amount_is_refused(text: object) -> None:
    """A misspelt limit must not become no limit."""
    with pytest.raises(InputError, match="memory"):
        memory_bytes(text)  # type: ignore[arg-type]


def test_amounts_are_shown_in_words() -> None:
    """Eleven digits are not read."""
    assert [shown_bytes(size) for size in (1.26e10, 2.5e6, 900)] == ["12.6 GB", "2.5 MB", "0.9 kB"]


def test_too_much_for_the_machine_is_said_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process killed by the system says nothing."""
    there = available_memory()
    assert there is None or there > 10**6
    monkeypatch.setattr(memory, "available_memory", lambda: 10**9)
    refuse_beyond_machine(5e8, "here", "do")
    with pytest.raises(EstimationError, match=r"2 GB of memory, and 1 GB are left"):
        refuse_beyond_machine(2e9, "here", "do")
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    refuse_beyond_machine(2e19, "here", "do")
