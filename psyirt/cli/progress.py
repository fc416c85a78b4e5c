"""Progress on stderr while it is a terminal, nothing where it is piped."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from psyirt.foundation.progress import Progress, ProgressEvent, silent


@contextlib.contextmanager
def shown_progress() -> Iterator[Progress]:
    """A callable for ``progress=`` that shows what is being done, and leaves no trace when the block ends.

    Yields
    ------
    callable
        Takes a ProgressEvent: the bar carries the name of the event's task, its steps and its message.
    """
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    from psyirt.estimation.compiling import compiling_shown

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[message]}", markup=False),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def show(event: ProgressEvent) -> None:
            # a new kind of task gets a new row: rich cannot take a known total back
            if not bars.tasks or event.task != bars.tasks[0].description:
                for task in bars.tasks:
                    bars.remove_task(task.id)
                bars.add_task(event.task, total=event.total, message="")
            bars.update(bars.tasks[0].id, completed=event.step, total=event.total, message=event.message)

        # around the whole block, for standard errors and scores are compiled after the fit
        with compiling_shown(show):
            yield show
