"""A word while numba compiles: the first run of an installation would otherwise stand still for seconds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.kernels.compilation import told_of_compiling

TASK, MESSAGE = "compiling", "once per installation"

_told: ContextVar[Progress] = ContextVar("psyirt_compiling", default=silent)


@contextlib.contextmanager
def compiling_shown(progress: Progress) -> Iterator[None]:
    """Run a block in which progress hears of functions being compiled, one event each; none where all are cached.

    Parameters
    ----------
    progress : callable
        Receives ProgressEvent("compiling", functions so far, None, "once per installation"). A block within another
        of the same callable adds nothing.
    """
    if progress is silent or progress is _told.get():
        yield
        return
    count = 0

    def tell(_name: str) -> None:
        nonlocal count
        count += 1
        progress(ProgressEvent(TASK, count, None, MESSAGE))

    token = _told.set(progress)
    try:
        with told_of_compiling(tell):  # type: ignore[no-untyped-call]
            yield
    finally:
        _told.reset(token)
