"""One engine on one workload, in processes of its own, never two at once."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import psyirt
from psyirt.errors import InputError
from validation.speed.environments import python_of
from validation.speed.evaluate import Quality, quality
from validation.speed.registry import HARNESS, REFERENCE, Engine
from validation.speed.workloads import Truth, Workload


@dataclass(frozen=True)
class Settings:
    """How long and how often.

    Attributes
    ----------
    seed : int
        Of the simulated data.
    limit : float
        Seconds an engine's process may take on one workload.
    repeats : int
        Warm fits of which the median is taken, at least; up to 25 where they are short.
    warm_seconds : float
        Warm fits end after so many seconds; an engine whose first fit takes longer has none.
    """

    seed: int
    limit: float
    repeats: int
    warm_seconds: float


@dataclass(frozen=True)
class Row:
    """What one engine did on one workload; None = not measured.

    Attributes
    ----------
    workload, engine : str
        Their names.
    status : str
        "ok", "not run", "not installed", "failed" or "time limit".
    note : str
        Why, for the reader.
    warm_fit, warm_cpu, warm_whole : float
        Median seconds of a fit in a warm process: wall-clock, CPU, and wall-clock from a plain array.
    warm_fits : int
        How many fits the medians are of.
    import_seconds, first_fit, cold : float
        In a fresh process: the import, the first fit, and all from the start of the process to its first estimates.
    absent_import, absent_first_fit, absent_cold : float
        The same with an empty cache of compiled code (psyirt only).
    errors : float
        Seconds of the standard errors, on top of a warm fit (psyirt only).
    peak_bytes : float
        Largest resident size up to the first estimates.
    iterations : int
        As the engine counts them.
    converged : bool
        As the engine says.
    reported : float
        The log-likelihood that the engine itself reports, where its nodes and ours integrate the same density.
    load : tuple of float
        The machine's load average (1 minute) before and after.
    quality : Quality
        Log-likelihood and distance to truth.
    versions : dict
        Distribution -> version.
    """

    workload: str
    engine: str
    status: str
    note: str = ""
    warm_fit: float | None = None
    warm_cpu: float | None = None
    warm_whole: float | None = None
    warm_fits: int = 0
    import_seconds: float | None = None
    first_fit: float | None = None
    cold: float | None = None
    absent_import: float | None = None
    absent_first_fit: float | None = None
    absent_cold: float | None = None
    errors: float | None = None
    peak_bytes: int | None = None
    iterations: int | None = None
    converged: bool | None = None
    reported: float | None = None
    load: tuple[float, float] | None = None
    quality: Quality | None = None
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def fit(self) -> float | None:
        """Seconds of a fit: warm, or the first where there was no time for another."""
        return self.warm_fit if self.warm_fit is not None else self.first_fit


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it had told by then."""

    content: dict[str, Any]
    complaint: str
    timed_out: bool


def measure(engine: Engine, workload: Workload, truth: Truth, folder: Path, peers: Path, settings: Settings) -> Row:
    """Run an engine; whatever goes wrong with it is in the row.

    Parameters
    ----------
    engine, workload, truth
        What is run, on what, with which truth.
    folder : Path
        Holds ``answers.npy``; working files are left here.
    peers : Path
        Where the peers' environments are.
    settings : Settings
        Limits.
    """
    why_not = engine.why_not(workload)
    if why_not:
        return Row(workload.name, engine.name, "not run", why_not)
    try:
        python = python_of(engine.environment, peers)
    except InputError as error:
        return Row(workload.name, engine.name, "not installed", str(error))
    before = os.getloadavg()[0]
    absent, environment = None, None
    if engine.name == REFERENCE:
        environment = {"NUMBA_CACHE_DIR": str(folder / "compiled")}
        absent = run(engine, workload, python, folder, settings, environment, warm=False)
        if absent.timed_out:
            return as_row(engine, workload, absent, absent, (before, os.getloadavg()[0]), None)
    ended = run(engine, workload, python, folder, settings, environment, warm=True)
    return as_row(
        engine, workload, ended, absent, (before, os.getloadavg()[0]), found_quality(ended, workload, truth, folder)
    )


def run(
    engine: Engine,
    workload: Workload,
    python: Path,
    folder: Path,
    settings: Settings,
    environment: dict[str, str] | None,
    *,
    warm: bool,
) -> Ended:
    """One process, ended at the time limit."""
    result, job, complaints = (folder / name for name in ("result.json", "job.json", "complaints.txt"))
    for stale in (result, folder / "estimates.npz"):
        stale.unlink(missing_ok=True)
    content = {
        "answers": str(folder / "answers.npy"),
        "estimates": str(folder / "estimates.npz"),
        "result": str(result),
        "model": workload.model,
        "priors": workload.priors,
        "settings": engine.settings,
        "warm": warm,
        "standard_errors": warm and workload.standard_errors,
        "repeats": settings.repeats,
        "warm_seconds": settings.warm_seconds,
    }
    job.write_text(json.dumps(content), encoding="utf-8")
    command = [str(python), str(HARNESS), str(engine.script), str(job)]
    timed_out, status = False, 0
    with complaints.open("w", encoding="utf-8") as stream:
        try:
            status = subprocess.run(
                [*command, repr(time.time())],
                stdout=subprocess.DEVNULL,
                stderr=stream,
                env=_environment(engine, environment),
                timeout=settings.limit,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            timed_out = True
    told = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    return Ended(told, _last_line(complaints, status), timed_out)


def _environment(engine: Engine, extra: dict[str, str] | None) -> dict[str, str]:
    """Variables of the process; psyirt is found where this program found it, the peers see no foreign packages."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if engine.name == REFERENCE:
        variables["PYTHONPATH"] = str(Path(psyirt.__file__).parents[1])
    return {**variables, **(extra or {})}


def _last_line(complaints: Path, status: int) -> str:
    """The last line of a failed process's standard error."""
    if status == 0:
        return ""
    lines = complaints.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{lines[-1][:200] if lines else 'no message'} (exit status {status})"


def found_quality(ended: Ended, workload: Workload, truth: Truth, folder: Path) -> Quality | None:
    """The estimates judged by the common measure; None where there are none."""
    if "iterations" not in ended.content:
        return None
    with np.load(folder / "estimates.npz") as stored:
        found = {name: stored[name] for name in stored.files}
    return quality(np.load(folder / "answers.npy", mmap_mode="r"), found, truth, workload)


def as_row(
    engine: Engine,
    workload: Workload,
    ended: Ended,
    absent: Ended | None,
    load: tuple[float, float],
    judged: Quality | None,
) -> Row:
    """The medians, and in words what went wrong."""
    told, first = ended.content, {} if absent is None else absent.content
    warm = told.get("warm", [])
    middle = [statistics.median(column) for column in zip(*warm, strict=True)] or [None, None]
    status, note = _verdict(ended, judged)
    if absent is not None and absent.complaint and status == "ok":
        note = "; ".join(filter(None, [note, f"with an empty cache of compiled code: {absent.complaint}"]))
    return Row(
        workload.name,
        engine.name,
        status,
        note,
        warm_fit=middle[1],
        warm_cpu=middle[2] if warm else told.get("first_fit_cpu"),
        warm_whole=statistics.median(fit[0] + fit[1] for fit in warm) if warm else None,
        warm_fits=len(warm),
        import_seconds=told.get("import_seconds"),
        first_fit=told.get("first_fit_seconds"),
        cold=told.get("start_to_first_seconds"),
        absent_import=first.get("import_seconds"),
        absent_first_fit=first.get("first_fit_seconds"),
        absent_cold=first.get("start_to_first_seconds"),
        errors=told.get("errors_seconds"),
        peak_bytes=told.get("peak_bytes"),
        iterations=told.get("iterations"),
        converged=told.get("converged"),
        reported=told.get("reported"),
        load=load,
        quality=judged,
        versions=told.get("versions", {}),
    )


def _verdict(ended: Ended, judged: Quality | None) -> tuple[str, str]:
    """Status and note."""
    stage = ended.content.get("stage", "started")
    if ended.timed_out:
        return "time limit", f"ended at the time limit after the stage '{stage}'"
    if ended.complaint:
        return "failed", ended.complaint
    notes = []
    if ended.content.get("converged") is False:
        notes.append("says it did not converge")
    if judged is not None and judged.without:
        notes.append(f"{judged.without} items without usable estimates")
    elif judged is not None and judged.objective is None:
        notes.append("no log-posterior: estimates outside the prior's support")
    return "ok", "; ".join(notes)


def say(text: str) -> None:
    """A line of progress."""
    print(f"speed: {text}", file=sys.stderr, flush=True)
