"""Run the comparison: ``python -m validation.speed --out DIR``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from psyirt.errors import InputError, PsyirtError
from validation.speed.diagnostics import Timed, time_diagnostics
from validation.speed.machine import machine
from validation.speed.measure import Row, Settings, measure, say
from validation.speed.page import Run, as_markdown, write
from validation.speed.picture import draw
from validation.speed.registry import Engine, chosen_engines
from validation.speed.workloads import Workload, chosen_workloads, simulate


def main(arguments: list[str] | None = None) -> int:
    """Measure and write results.json, results.md and the picture; 2 for options that cannot be used."""
    options = _options(arguments)
    try:
        workloads = chosen_workloads(options.workloads, options.quick)
        engines = chosen_engines(options.engines, options.quick)
        folder = _writable(options.out)
        peers = (options.peers_dir or folder / "peers").resolve()
        warm_seconds = options.warm_seconds or (15.0 if options.quick else 60.0)
        settings = Settings(options.seed, options.limit, options.repeats, warm_seconds)
        with only_cores(options.cores):
            timed = time_diagnostics(options.seed) if options.diagnostics else []
            page = measure_all(engines, workloads, settings, folder, peers, timed)
    except PsyirtError as error:
        print(f"speed: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("speed: interrupted; what is written holds the workloads that were finished", file=sys.stderr)
        return 130
    print(page)
    print(f"Written: {folder / 'results.md'}, {folder / 'results.json'}")
    return 0


@contextlib.contextmanager
def only_cores(count: int | None) -> Iterator[None]:
    """This process and those it starts on the first `count` cores; all it may use by default."""
    if count is None:
        yield
        return
    if not hasattr(os, "sched_setaffinity"):
        raise InputError("this system cannot keep a process on some cores", "--cores", "Leave it out")
    before = os.sched_getaffinity(0)
    if count > len(before):
        raise InputError(f"there are {len(before)} cores", "--cores", "Give no more than these")
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure_all(
    engines: tuple[Engine, ...],
    workloads: tuple[Workload, ...],
    settings: Settings,
    folder: Path,
    peers: Path,
    timed: list[Timed] | None = None,
) -> str:
    """Every engine on every workload, in turn; the files are written anew after each workload.

    Returns
    -------
    str
        The page.
    """
    where, started, rows = machine(), _now(), []
    page = ""
    for number, workload in enumerate(workloads, 1):
        say(f"workload {number} of {len(workloads)}: {workload.name}")
        rows += measure_workload(engines, workload, settings, peers)
        finished = _now() if number == len(workloads) else ""
        run = Run(where, started, finished, settings, engines, workloads, rows, timed or [])
        picture = draw(run, folder)
        write(run, folder, picture)
        page = as_markdown(run, picture)
    return page


def measure_workload(engines: tuple[Engine, ...], workload: Workload, settings: Settings, peers: Path) -> list[Row]:
    """Simulate once, then each engine on the same file."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="psyirt-speed-") as name:
        folder = Path(name)
        truth = simulate(workload, settings.seed, folder / "answers.npy")
        for engine in engines:
            row = measure(engine, workload, truth, folder, peers, settings)
            seconds = f", {row.fit:.3g} s a fit" if row.fit is not None else ""
            say(f"  {engine.name}: {row.status}{seconds}{'; ' + row.note if row.note else ''}")
            rows.append(row)
    return rows


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation.speed", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for results.json, .md, .svg and .png")
    parser.add_argument("--workloads", nargs="+", default=[], metavar="NAME", help="names or patterns; all by default")
    parser.add_argument("--engines", nargs="+", default=[], metavar="NAME", help="names or patterns; all by default")
    parser.add_argument("--quick", action="store_true", help="the small workloads and the fast engines: two minutes")
    parser.add_argument("--peers-dir", type=Path, help="where the peers' environments are kept (default: OUT/peers)")
    parser.add_argument("--limit", type=_positive, default=300.0, help="seconds a process may take (300)")
    parser.add_argument("--repeats", type=_count, default=5, help="warm fits, at least (5)")
    parser.add_argument("--warm-seconds", type=_positive, help="warm fits end after so long (60; quick: 15)")
    parser.add_argument("--cores", type=_count, help="keep every engine on so many cores (default: all)")
    parser.add_argument(
        "--diagnostics",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="time psyirt's diagnostics and scoring too (a minute)",
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def _positive(text: str) -> float:
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def _writable(folder: Path) -> Path:
    """The folder, made if absent; refused now rather than after minutes of work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", str(folder), "Name another folder") from error
    if not os.access(folder, os.W_OK):
        raise InputError("cannot write here", str(folder), "Name a folder that is writable")
    return folder


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


if __name__ == "__main__":
    sys.exit(main())
