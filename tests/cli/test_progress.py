"""Progress is for terminals."""

from __future__ import annotations

import io
import sys

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
