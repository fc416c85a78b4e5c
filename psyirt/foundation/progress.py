"""How long work reports on itself: a callable receives one event per step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class ProgressEvent:
    """One step of a long task.

    Attributes
    ----------
    task : str
        What is being done, in a word or two; events of one task share it.
    step : int
        Steps done so far (0 when the task begins).
    total : int or None
        Steps in all where that is known.
    message : str
        What the step showed, e.g. a change of log-likelihood.
    """

    task: str
    step: int
    total: int | None = None
    message: str = ""


Progress = Callable[[ProgressEvent], None]


def silent(event: ProgressEvent) -> None:
    """Ignore the event: what runs when nobody asked for progress."""
