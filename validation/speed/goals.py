"""The goals, printed beside what was measured; nothing fails when one is missed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from validation.speed.measure import Row
from validation.speed.recorded import MIRT_R
from validation.speed.registry import REFERENCE

_MB = 1e6
_RATIOS = (
    ("theta-irt", {"2pl-1000x90": 8, "2pl-5000x50": 15, "2pl-20000x100": 30, "2pl-50000x100": 30}),
    ("mirt (Python), 61 nodes", {"2pl-1000x90": 20, "2pl-20000x100": 50, "2pl-50000x100": 50}),
    ("girth", {"2pl-1000x90": 100, "2pl-20000x100": 300, "2pl-50000x100": 300}),
)
_MIRT_R_RATIO = 100.0
# workload -> (attribute of its row, limit, factor to the unit, words)
_LIMITS = (
    ("3pl-1000x90", "warm_fit", 0.05, 1.0, "s a warm fit"),
    ("2pl-1000x90", "import_seconds", 1.0, 1.0, "s to import"),
    ("2pl-1000x90", "cold", 2.0, 1.0, "s in a fresh process, compiled code cached"),
    ("2pl-1000x90", "absent_cold", 20.0, 1.0, "s in a fresh process, cache absent"),
    ("2pl-1000000x40", "fit", 1.0, 1.0, "s a fit"),
    ("2pl-1000000x40", "peak_bytes", 500.0, _MB, "MB at the peak"),
    ("3pl-3467x5608", "fit", 300.0, 1.0, "s a fit"),
    ("3pl-3467x5608", "peak_bytes", 4000.0, _MB, "MB at the peak"),
    ("sparse-14369x280", "fit", 3.0, 1.0, "s a fit"),
    ("wide-161x11873", "fit", 10.0, 1.0, "s a fit"),
    ("wide-90x82756", "fit", 60.0, 1.0, "s a fit"),
)
_MOST_SLOPE = 1.1


@dataclass(frozen=True)
class Goal:
    """A goal and what was measured.

    Attributes
    ----------
    words : str
        The goal.
    measured : float
        The figure.
    met : bool
        Whether it is met.
    """

    words: str
    measured: float
    met: bool


def ratio(theirs: Row, ours: Row) -> float | None:
    """How many times faster psyirt fits."""
    return theirs.fit / ours.fit if theirs.fit and ours.fit else None


def shortfall(theirs: Row, ours: Row) -> float | None:
    """By how much a peer's log-likelihood (log-posterior where there are priors) lies below psyirt's."""
    if theirs.quality is None or ours.quality is None:
        return None
    if theirs.quality.objective is None or ours.quality.objective is None:
        return None
    return ours.quality.objective - theirs.quality.objective


def growth_slope(rows: Iterable[Row], responses: dict[str, int]) -> float | None:
    """Log-log slope of seconds per iteration over the number of responses; None for fewer than two sizes."""
    points = [
        (responses[row.workload], row.fit / row.iterations)
        for row in rows
        if row.workload in responses and row.engine == REFERENCE and row.fit and row.iterations
    ]
    if len(points) < 2:
        return None
    sizes, seconds = np.log(np.array(points)).T
    return float(np.polyfit(sizes, seconds, 1)[0])


def goals(rows: list[Row], growth: dict[str, int]) -> list[Goal]:
    """The goals that the rows have figures for."""
    by_name = {(row.workload, row.engine): row for row in rows}
    ours = {row.workload: row for row in rows if row.engine == REFERENCE}
    found = []
    for engine, least in _RATIOS:
        for workload, goal in least.items():
            if (workload, engine) in by_name and workload in ours:
                times = ratio(by_name[workload, engine], ours[workload])
                if times is not None:
                    found.append(Goal(f"{workload}: {goal} times faster than {engine}", times, times >= goal))
    found += _against_recorded(ours)
    for workload, attribute, limit, factor, words in _LIMITS:
        value = getattr(ours[workload], attribute) if workload in ours else None
        if value is not None:
            found.append(Goal(f"{workload}: at most {limit:g} {words}", value / factor, value / factor <= limit))
    slope = growth_slope(rows, growth)
    if slope is not None:
        found.append(Goal(f"growth: slope at most {_MOST_SLOPE}", slope, slope <= _MOST_SLOPE))
    return found


def _against_recorded(ours: dict[str, Row]) -> list[Goal]:
    """CPU seconds of R's mirt against ours; the sparse fit, which did not converge, is no yardstick."""
    found = []
    for recorded in MIRT_R:
        seconds = our_seconds(ours.get(recorded.workload), recorded.errors)
        if seconds is not None and not recorded.words:
            times = recorded.seconds / seconds
            what = " with standard errors" if recorded.errors else ""
            words = f"{recorded.workload}{what}: {_MIRT_R_RATIO:g} times R mirt's recorded CPU seconds"
            found.append(Goal(words, times, times >= _MIRT_R_RATIO))
    return found


def our_seconds(row: Row | None, errors: bool) -> float | None:
    """Our seconds to set against recorded CPU seconds: the larger of wall-clock and CPU seconds of a fit."""
    if row is None or row.fit is None or (errors and row.errors is None):
        return None
    return max(row.fit, row.warm_cpu or 0.0) + ((row.errors or 0.0) if errors else 0.0)
