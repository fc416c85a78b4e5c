"""Runs one engine on one data set in a process of its own: ``python harness.py ENGINE.py JOB.json STARTED``.

This script and the engines beside it run in the environment of the library they measure: they need Python 3.9, numpy
and that library, and import nothing of psyirt (but for psyirt's own engine). An engine is a file with a class Engine:

    distributions               names of the distributions whose versions are recorded
    Engine()                    imports the library
    prepare(answers)            the plain int8 array (1, 0, -1 = missing) as the library takes it
    fit(prepared, job)          point estimates, nothing else: this is what is timed
    estimates(result)           {"a", "intercept", "c" (3PL only): arrays of shape (items,); "iterations", "converged";
                                optional "loglik", the log-likelihood that the library reports}
    standard_errors(result)     optional: computes them; its seconds come on top of those of a fit

What is known is written after every stage, so that a run that is ended half-way still tells what it had.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import resource
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

_MOST_FITS = 25
# many short fits cost nothing and make a steadier median
_SHORT_SECONDS = 2.0


class Record:
    """What is known so far, kept in a file that is always whole."""

    def __init__(self, path: str) -> None:
        self.path, self.content = path, {"stage": "started"}

    def add(self, stage: str, **values: Any) -> None:
        """Add values and write."""
        self.content.update(values, stage=stage)
        Path(self.path + ".part").write_text(json.dumps(self.content), encoding="utf-8")
        os.replace(self.path + ".part", self.path)


def engine_in(path: str) -> Any:
    """The class in a file, whatever the file's name: one called like its library must not hide it."""
    spec = importlib.util.spec_from_file_location("engine", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Engine


def peak_bytes() -> int:
    """Largest resident size of this process so far.

    Linux's VmHWM where there is one: ru_maxrss also counts what the parent held when it made this process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if platform.system() == "Darwin" else size * 1024


def versions_of(engine: Any) -> dict[str, str]:
    """Versions of the library and of what it stands on."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in engine.distributions}}


def timed_fit(engine: Any, answers: np.ndarray, job: dict[str, Any]) -> tuple[Any, list[float]]:
    """A fit from the plain array: the result, and seconds to prepare, wall-clock and CPU seconds to fit."""
    start = time.perf_counter()
    prepared = engine.prepare(answers)
    between, cpu = time.perf_counter(), time.process_time()
    result = engine.fit(prepared, job)
    return result, [between - start, time.perf_counter() - between, time.process_time() - cpu]


def enough(seconds: list[float], job: dict[str, Any]) -> bool:
    """Whether there are fits enough for a median, or no time for more."""
    spent = sum(seconds)
    if spent >= job["warm_seconds"] or len(seconds) >= _MOST_FITS:
        return True
    return len(seconds) >= job["repeats"] and spent >= _SHORT_SECONDS


def first_fit(engine_path: str, record: Record, job: dict[str, Any], started: float) -> tuple[Any, Any, np.ndarray]:
    """Import, read and fit; write the estimates."""
    begun = time.perf_counter()
    engine = engine_in(engine_path)()
    imported = time.perf_counter()
    answers = np.load(job["answers"])
    read = time.perf_counter()
    record.add("imported", versions=versions_of(engine), import_seconds=imported - begun, read_seconds=read - imported)
    result, (prepared, fitted, cpu) = timed_fit(engine, answers, job)
    whole, peak = time.time() - started, peak_bytes()
    found = engine.estimates(result)
    np.savez(
        job["estimates"], **{name: np.asarray(found[name], float) for name in ("a", "intercept", "c") if name in found}
    )
    record.add(
        "fitted",
        prepare_seconds=prepared,
        first_fit_seconds=fitted,
        first_fit_cpu=cpu,
        start_to_first_seconds=whole,
        peak_bytes=peak,
        iterations=found["iterations"],
        converged=found["converged"],
        reported=found.get("loglik"),
    )
    return engine, result, answers


def main(engine_path: str, job_path: str, started: float) -> None:
    """All stages that the job asks for."""
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    record = Record(job["result"])
    engine, result, answers = first_fit(engine_path, record, job, started)
    fits: list[list[float]] = []
    if job["warm"] and record.content["first_fit_seconds"] <= job["warm_seconds"]:
        while not enough([prepare + fit for prepare, fit, _ in fits], job):
            result, seconds = timed_fit(engine, answers, job)
            fits.append(seconds)
            record.add("warm", warm=fits)
    if job["standard_errors"] and hasattr(engine, "standard_errors"):
        time_errors(engine, result, answers, record, job)
    record.add("done")


def time_errors(engine: Any, result: Any, answers: np.ndarray, record: Record, job: dict[str, Any]) -> None:
    """Seconds of standard errors; where they are short once more, of a fresh result, now that all is compiled."""
    for _ in range(2):
        start = time.perf_counter()
        engine.standard_errors(result)
        seconds = time.perf_counter() - start
        record.add("errors", errors_seconds=seconds)
        if seconds > job["warm_seconds"]:
            return
        result, _ = timed_fit(engine, answers, job)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
