"""Run the study: ``python -m validation.recovery --replications 200 --seed 1 --out DIR``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from psyirt.errors import InputError, PsyirtError
from psyirt.foundation.progress import ProgressEvent
from validation.recovery.judge import judge
from validation.recovery.page import as_markdown, write
from validation.recovery.study import Design, run

_SECONDS_BETWEEN_LINES = 5.0


class _Reporter:
    """Prints how far the study is, every few seconds, to standard error."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._said = -_SECONDS_BETWEEN_LINES

    def __call__(self, event: ProgressEvent) -> None:
        passed = time.monotonic() - self._start
        total = event.total or event.step
        if passed - self._said < _SECONDS_BETWEEN_LINES and event.step < total:
            return
        self._said = passed
        left = passed / event.step * (total - event.step)
        print(f"recovery: {event.step} of {total} {event.task}, about {left:.0f} s left", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the study and write recovery.md and recovery.json; 2 for input that cannot be used."""
    options = _options(arguments)
    try:
        design = Design(options.subjects, options.items, options.replications, options.seed)
        folder = _writable(options.out)
        verdict = judge(design, run(design, options.processes, _Reporter()))
        page, data = write(verdict, folder)
    except PsyirtError as error:
        print(f"recovery: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("recovery: interrupted, nothing was written", file=sys.stderr)
        return 130
    print(as_markdown(verdict))
    print(f"Written: {page}, {data}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation.recovery", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for recovery.md and recovery.json")
    parser.add_argument("--subjects", type=int, default=1000)
    parser.add_argument("--items", type=int, default=90)
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="how many processes share the work")
    return parser.parse_args(arguments)


def _writable(folder: Path) -> Path:
    """The folder, made if absent; refused now rather than after minutes of work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", str(folder), "Name another folder") from error
    if not os.access(folder, os.W_OK):
        raise InputError("cannot write here", str(folder), "Name a folder that is writable")
    return folder


if __name__ == "__main__":
    sys.exit(main())
