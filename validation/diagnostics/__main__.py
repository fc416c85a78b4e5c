"""Run the studies: ``python -m validation.diagnostics --out DIR [--quick] [--studies NAME ...]``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from psyirt.errors import InputError, PsyirtError
from psyirt.foundation.progress import ProgressEvent
from validation.diagnostics.judge import Rate, judge
from validation.diagnostics.page import as_markdown, write
from validation.diagnostics.studies import STUDIES
from validation.diagnostics.study import run

_SECONDS_BETWEEN_LINES = 10.0


class _Reporter:
    """Prints how far a condition is, every few seconds, to standard error."""

    def __init__(self) -> None:
        self._said = 0.0

    def __call__(self, event: ProgressEvent) -> None:
        now = time.monotonic()
        if now - self._said < _SECONDS_BETWEEN_LINES and event.step != event.total:
            return
        self._said = now
        print(f"diagnostics: {event.task}: {event.step} of {event.total}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the studies and write diagnostics.md and diagnostics.json, anew after each condition; 2 for bad input."""
    options = _options(arguments)
    found: dict[str, list[Rate]] = {}
    try:
        folder = _writable(options.out)
        for name in options.studies:
            study = STUDIES[name]
            rates = found.setdefault(study.title, [])
            for condition in study.conditions(options.quick):
                if options.only and not any(word in condition.label for word in options.only):
                    continue
                count = options.replications or (20 if options.quick else None)
                rows = run(study, condition, count, options.seed, options.processes, _Reporter())
                rates += judge(condition.label, rows)
                page, data = write(found, options.seed, folder)
    except PsyirtError as error:
        print(f"diagnostics: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("diagnostics: interrupted; what is written holds the conditions that were finished", file=sys.stderr)
        return 130
    if not any(found.values()):
        print("diagnostics: no condition has such a label, nothing was written", file=sys.stderr)
        return 2
    print(as_markdown(found, options.seed))
    print(f"Written: {page}, {data}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation.diagnostics", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for diagnostics.md and diagnostics.json")
    parser.add_argument("--studies", nargs="+", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--only", nargs="+", default=[], help="conditions whose label contains one of these")
    parser.add_argument("--quick", action="store_true", help="fewer conditions, 20 data sets each: a minute")
    parser.add_argument("--replications", type=int, help="data sets per condition (default: 8,000 items in all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="how many processes share the work")
    options = parser.parse_args(arguments)
    if options.replications is not None and options.replications < 2:
        parser.error("--replications: give at least 2")
    return options


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
