"""Seconds of the diagnostics and of scoring, in this process: no peer in Python has most of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import psyirt
from validation.speed.measure import say

# enough calls for a median, and no more than so many seconds of each
_CALLS, _SECONDS = 15, 10.0


@dataclass(frozen=True)
class Diagnostic:
    """One statistic on one shape, with its goal.

    Attributes
    ----------
    name : str
        The statistic.
    subjects, items : int
        Of the simulated responses.
    call : callable
        What is timed: a calibration of the 2PL at the true parameters, with its responses, that nothing has been asked
        of before.
    goal : float
        Seconds.
    recorded : float or None
        CPU seconds of R's mirt (of psych for tetrachoric correlations), recorded on another run.
    """

    name: str
    subjects: int
    items: int
    call: Callable[[psyirt.Calibration], object]
    goal: float
    recorded: float | None = None


@dataclass(frozen=True)
class Timed:
    """What was measured.

    Attributes
    ----------
    name, shape : str
        The statistic, and subjects x items.
    seconds : float
        Median of `calls` calls, after one that compiled.
    calls : int
        How many.
    goal : float
        Seconds.
    recorded : float or None
        See :class:`Diagnostic`.
    """

    name: str
    shape: str
    seconds: float
    calls: int
    goal: float
    recorded: float | None


DIAGNOSTICS = (
    Diagnostic("tetrachoric correlations", 1_000, 90, lambda fit: psyirt.tetrachoric(_of(fit)), 0.02, 2.7),
    Diagnostic("S-X2", 1_000, 90, psyirt.item_fit, 0.01, 0.24),
    Diagnostic("S-X2", 5_000, 300, psyirt.item_fit, 1.0),
    Diagnostic("LD-X2, all pairs", 1_000, 90, psyirt.local_dependence, 0.05, 2.7),
    Diagnostic("M2", 1_000, 90, psyirt.model_fit, 3.0, 40.0),
    Diagnostic("EAP", 1_000, 90, lambda fit: fit.abilities("EAP"), 0.02, 0.26),
    Diagnostic("MAP", 1_000, 90, lambda fit: fit.abilities("MAP"), 0.05, 4.8),
    Diagnostic("WLE", 1_000, 90, lambda fit: fit.abilities("WLE"), 0.05, 40.0),
)


def time_diagnostics(seed: int, chosen: tuple[Diagnostic, ...] = DIAGNOSTICS) -> list[Timed]:
    """Time each on simulated responses."""
    return [_timed(one, seed) for one in chosen]


def _timed(one: Diagnostic, seed: int) -> Timed:
    made = psyirt.simulate_responses(one.subjects, one.items, seed=seed)
    seconds: list[float] = []
    # the first call compiles, or reads compiled code
    while len(seconds) < _CALLS + 1 and sum(seconds) < _SECONDS:
        fresh = psyirt.fix(made.item_parameters, "2PL", made.responses)
        begun = time.perf_counter()
        one.call(fresh)
        seconds.append(time.perf_counter() - begun)
    warm = seconds[1:] or seconds
    shape = f"{one.subjects:,} x {one.items}"
    say(f"  {one.name}, {shape}: {statistics.median(warm):.3g} s")
    return Timed(one.name, shape, statistics.median(warm), len(warm), one.goal, one.recorded)


def _of(fit: psyirt.Calibration) -> psyirt.Responses:
    assert fit.responses is not None
    return fit.responses
