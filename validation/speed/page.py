"""The run as a file for programs (results.json) and a page for people (results.md)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from psyirt.foundation.files import write_text
from validation.speed.diagnostics import Timed
from validation.speed.goals import goals, growth_slope, our_seconds, ratio, shortfall
from validation.speed.measure import Row, Settings
from validation.speed.recorded import MIRT_R
from validation.speed.registry import REFERENCE, Engine
from validation.speed.workloads import Workload

_HEAD = (
    "engine", "fit, s", "times psyirt", "from array, s", "times psyirt", "CPU, s", "cold, s", "peak MB",
    "log-likelihood", "shortfall", "RMSE a", "RMSE intercept", "iterations", "remarks",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """All of one run.

    Attributes
    ----------
    machine : dict
        Where.
    started, finished : str
        When, ISO 8601; `finished` is empty while it goes on.
    settings : Settings
        How.
    engines, workloads
        What was chosen.
    rows : list of Row
        What was measured.
    diagnostics : list of Timed
        Seconds of diagnostics and scoring.
    """

    machine: dict[str, object]
    started: str
    finished: str
    settings: Settings
    engines: tuple[Engine, ...]
    workloads: tuple[Workload, ...]
    rows: list[Row]
    diagnostics: list[Timed] = field(default_factory=list)

    @property
    def growth(self) -> dict[str, int]:
        """Workload -> responses, of the series of growing size."""
        return {workload.name: workload.responses for workload in self.workloads if workload.growth}

    def of(self, workload: Workload) -> list[Row]:
        """The rows of one workload."""
        return [row for row in self.rows if row.workload == workload.name]


def write(run: Run, folder: Path, picture: str) -> tuple[Path, Path]:
    """Write results.json and results.md; each is whole or absent.

    Parameters
    ----------
    run : Run
        The run, or what there is of it.
    folder : Path
        Where.
    picture : str
        A line about the picture.
    """
    data, page = folder / "results.json", folder / "results.md"
    write_text(data, json.dumps(as_json(run), indent=1, allow_nan=False) + "\n")
    write_text(page, as_markdown(run, picture))
    return data, page


def as_json(run: Run) -> dict[str, Any]:
    """Plain values."""
    return {
        "machine": run.machine,
        "started": run.started,
        "finished": run.finished or None,
        "settings": asdict(run.settings),
        "engines": {engine.name: engine.words for engine in run.engines},
        "workloads": [asdict(workload) | {"responses": workload.responses} for workload in run.workloads],
        "rows": [_row_json(row, run) for row in run.rows],
        "diagnostics": [asdict(timed) for timed in run.diagnostics],
        "growth_slope": growth_slope(run.rows, run.growth),
        "goals": [asdict(goal) for goal in goals(run.rows, run.growth)],
        "recorded_r_mirt_cpu_seconds": [asdict(recorded) for recorded in MIRT_R],
    }


def _row_json(row: Row, run: Run) -> dict[str, Any]:
    ours = _reference(run, row.workload)
    beside = {"times_psyirt": ratio(row, ours), "shortfall": shortfall(row, ours)} if ours else {}
    return asdict(row) | beside


def _reference(run: Run, workload: str) -> Row | None:
    """psyirt's row of a workload."""
    return next((row for row in run.rows if row.workload == workload and row.engine == REFERENCE), None)


def as_markdown(run: Run, picture: str) -> str:
    """The page."""
    parts = ["# Speed: psyirt and its peers", _where(run), picture]
    measured = goals(run.rows, run.growth)
    if measured:
        lines = [[goal.words, _number(goal.measured), "yes" if goal.met else "no"] for goal in measured]
        parts += ["## Goals", _table(("goal", "measured", "met"), lines)]
    for workload in run.workloads:
        rows = run.of(workload)
        if rows:
            parts += [f"## {workload.name}: {workload.title}", _workload_table(rows, _reference(run, workload.name))]
    parts += _fresh(run) + _diagnostics(run) + _recorded(run) + _growth(run)
    parts += ["## How to read it", _LEGEND, "## Settings", _settings(run)]
    return "\n\n".join(parts) + "\n"


def _where(run: Run) -> str:
    """Machine, time and load."""
    machine, loads = run.machine, [load for row in run.rows if row.load for load in row.load]
    load = f"{min(loads):.1f} to {max(loads):.1f}" if loads else "not known"
    return (
        f"{machine['processor']}, {machine['usable_cores']} of {machine['cores']} cores, {machine['memory']} memory, "
        f"{machine['system']}, Python {machine['python']}, psyirt {machine['psyirt']}. Started {run.started}, "
        f"{'finished ' + run.finished if run.finished else 'NOT FINISHED'}. Load average during the run: {load} (the "
        f"engines themselves are part of it). Seed {run.settings.seed}, time limit {run.settings.limit:g} s a process."
    )


def _workload_table(rows: list[Row], ours: Row | None) -> str:
    """One line per engine."""
    return _table(_HEAD, [_cells(row, ours) for row in rows])


def _cells(row: Row, ours: Row | None) -> list[str]:
    times = ratio(row, ours) if ours else None
    whole = row.warm_whole / ours.warm_whole if ours and row.warm_whole and ours.warm_whole else None
    judged = row.quality
    remarks = [row.status] if row.status != "ok" else []
    remarks += [row.note] if row.note else []
    if row.reported is not None and judged is not None and judged.loglik is not None:
        remarks.append(f"reports a log-likelihood {row.reported - judged.loglik:+.1e} from the common one")
    remarks += ["first fit: no time for a warm one"] if row.warm_fit is None and row.first_fit is not None else []
    return [
        row.engine,
        _number(row.fit),
        _number(times),
        _number(row.warm_whole),
        _number(whole),
        _number(row.warm_cpu),
        _number(row.cold),
        _number(row.peak_bytes / 1e6 if row.peak_bytes else None),
        "" if judged is None or judged.loglik is None else f"{judged.loglik:,.3f}",
        _difference(shortfall(row, ours) if ours else None),
        _number(judged.rmse_a if judged else None),
        _number(judged.rmse_intercept if judged else None),
        "" if row.iterations is None else str(row.iterations),
        "; ".join(remarks),
    ]


def _fresh(run: Run) -> list[str]:
    """psyirt in fresh processes, and its standard errors."""
    lines = [
        [
            row.workload,
            _number(row.import_seconds),
            _number(row.first_fit),
            _number(row.cold),
            _number(row.absent_first_fit),
            _number(row.absent_cold),
            _number(row.fit),
            _number(row.fit + row.errors if row.fit is not None and row.errors is not None else None),
        ]
        for row in run.rows
        if row.engine == REFERENCE
    ]
    head = (
        "workload", "import", "first fit, cached", "in all, cached", "first fit, no cache", "in all, no cache",
        "warm fit", "fit + standard errors",
    )  # fmt: skip
    return ["## psyirt in a fresh process, and with standard errors (seconds)", _table(head, lines)] if lines else []


def _diagnostics(run: Run) -> list[str]:
    """Diagnostics and scoring, warm."""
    lines = [
        [
            timed.name,
            timed.shape,
            _number(timed.seconds),
            f"{timed.goal:g}",
            "yes" if timed.seconds <= timed.goal else "no",
            _number(timed.recorded),
            _number(timed.recorded / timed.seconds if timed.recorded else None),
        ]
        for timed in run.diagnostics
    ]
    head = ("statistic", "subjects x items", "s", "goal, s", "met", "R, CPU s, recorded", "times")
    return ["## Diagnostics and scoring (2PL, complete, in a warm process)", _table(head, lines)] if lines else []


def _recorded(run: Run) -> list[str]:
    """R's mirt beside, as recorded."""
    lines = []
    for recorded in MIRT_R:
        ours = our_seconds(_reference(run, recorded.workload), recorded.errors)
        times = recorded.seconds / ours if ours else None
        what = "standard errors too" if recorded.errors else "estimates"
        lines.append(
            [recorded.workload, what, _number(recorded.seconds), _number(ours), _number(times), recorded.words]
        )
    head = ("workload", "of", "R mirt, CPU s, recorded", "psyirt, s", "times", "remarks")
    return ["## R's mirt, as recorded elsewhere and not run here", _table(head, lines)]


def _growth(run: Run) -> list[str]:
    """Seconds per iteration over the number of responses."""
    lines = [
        [
            f"{run.growth[row.workload]:,}",
            _number(row.fit),
            str(row.iterations),
            _number(row.fit / row.iterations if row.fit and row.iterations else None),
            _number(row.peak_bytes / 1e6 if row.peak_bytes else None),
        ]
        for row in run.rows
        if row.workload in run.growth and row.engine == REFERENCE and row.fit and row.iterations
    ]
    if not lines:
        return []
    slope = growth_slope(run.rows, run.growth)
    text = f"Log-log slope of the seconds per iteration: {_number(slope)}." if slope is not None else ""
    head = ("responses", "fit, s", "iterations", "s an iteration", "peak MB")
    return ["## Growth (2PL, 50 items)", _table(head, lines), *([text] if text else [])]


_LEGEND = """\
- **fit**: median wall-clock seconds of a fit in a process that has fitted before, from the engine's own container to
  point estimates. **from array**: the same from a plain int8 array, the making of that container included. **times
  psyirt**: how many times psyirt's seconds. **CPU**: processor seconds of that fit, all threads.
- **cold**: from the start of a fresh process to its first estimates: start of Python, import, reading, compiling, fit.
  **peak MB**: the largest resident size of that process up to then.
- **shortfall**: how far the log-likelihood at an engine's estimates lies below that at psyirt's (negative: above), both
  by the same plain evaluation on a grid finer than the engines'; with priors, the log-posterior. An engine that
  maximises something else (variational inference, other priors) is judged by it all the same.
- **RMSE**: to the parameters the answers were simulated from, over items with both answers.
- Engines run one after the other, each with all cores, each in an environment and a process of its own."""


def _settings(run: Run) -> str:
    """The engines' settings and versions."""
    lines = []
    for engine in run.engines:
        versions = next((row.versions for row in run.rows if row.engine == engine.name and row.versions), {})
        listed = ", ".join(f"{name} {version}" for name, version in versions.items())
        lines.append([engine.name, engine.words, listed or "not run"])
    return _table(("engine", "settings", "versions"), lines)


def _table(head: tuple[str, ...], lines: list[list[str]]) -> str:
    """A Markdown table."""
    rows = [list(head), ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows)


def _number(value: float | None) -> str:
    """Three significant digits, never in powers of ten; empty for what was not measured."""
    if value is None:
        return ""
    if abs(value) >= 100.0:
        return f"{value:,.0f}"
    digits = 3 if abs(value) < 1.0 else 2 if abs(value) < 10.0 else 1
    return f"{value:.{digits}f}" if abs(value) >= 0.1 or value == 0.0 else f"{value:.3g}"


def _difference(value: float | None) -> str:
    """A difference of log-likelihoods, with its sign."""
    return "" if value is None else f"{value:+,.4f}" if abs(value) < 100 else f"{value:+,.0f}"
