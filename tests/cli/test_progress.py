"""Progress is for terminals."""

from __future__ import annotations

import io
import sys

import numba
import pytest

from psyirt.cli.progress import shown_progress
from psyirt.foundation.progress import ProgressEvent, silent


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_when_piped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar in a log file is a page of control characters."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with shown_progress() as progress:
        assert progress is silent
    assert stream.getvalue() == ""


def test_a_terminal_sees_the_task_and_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kinds of task in turn, with and without a total, must both show; unknown totals must not raise."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with shown_progress() as progress:
        progress(ProgressEvent("neutral: guessing", 3, 28, "[item]"))
        progress(ProgressEvent("neutral: pruning", 1, None, "27 items"))
    shown = stream.getvalue()
    assert "neutral: pruning" in shown
    assert "27 items" in shown
    last = shown[shown.rindex("neutral: pruning") :]
    assert "1/?" in last  # not 1/28: the old task's total is not the new one's


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled without a compiler")
def test_a_terminal_is_told_of_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of a first run in which nothing moves look like a program that hangs."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with shown_progress():
        numba.njit(lambda x: x + 1)(1)
    assert "compiling" in stream.getvalue()
    assert "once per installation" in stream.getvalue()
