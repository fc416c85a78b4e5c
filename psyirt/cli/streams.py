"""Standard streams that outlive their reader: what is printed then goes nowhere, and the work is done all the same."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

STDIN, STDOUT, STDERR = 0, 1, 2


class LastingStream(io.FileIO):
    """A file descriptor for writing that becomes the null device when its reader has gone (``| head``)."""

    def write(self, data: Any, /) -> int:
        """Write; a broken pipe is no error, since nobody waits for the rest."""
        try:
            return super().write(data)
        except BrokenPipeError:
            to_nowhere(self.fileno())
            return memoryview(data).nbytes


def install_streams() -> None:
    """Make stdout and stderr of this process last, and open those that were closed (``>&-``) to the null device.

    A closed one is opened before any file is: the next file would take its number, and receive what is printed.
    """
    for number in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(number)
        except OSError:
            to_nowhere(number)
    sys.stdout = _lasting(sys.stdout, STDOUT)
    sys.stderr = _lasting(sys.stderr, STDERR)


def to_nowhere(number: int) -> None:
    """Point a file descriptor at the null device."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


def _lasting(stream: TextIO | None, number: int) -> TextIO:
    """A stream like the one that Python made; one that somebody has put in its place is left alone."""
    if stream is None:
        return open(number, "w", encoding="utf-8", closefd=False)
    if not isinstance(stream, io.TextIOWrapper) or stream.fileno() != number:
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(LastingStream(number, "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
