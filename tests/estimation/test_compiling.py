"""A first run compiles for seconds; whoever waits is told, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from psyirt.estimation.compiling import MESSAGE, TASK, compiling_shown
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import ProgressEvent, silent
from psyirt.scale.build import build_scale
from psyirt.simulation import simulate_responses

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled without a compiler")

_SCRIPT = """
import numpy as np
from psyirt.estimation.compiling import compiling_shown
from psyirt.kernels.score_expectation import byte_sums

heard = []
with compiling_shown(heard.append):
    byte_sums(np.ones(8), np.empty((1, 256)))
print([(event.task, event.step, event.message) for event in heard])
"""


def compile_something() -> None:
    """A function that no cache knows."""
    numba.njit(lambda x: x + 1)(1)


def test_an_empty_cache_is_told_of_and_a_full_one_is_not(tmp_path: Path) -> None:
    """Told at every run it would be a lie, and at none a terminal that stands still for seconds."""

    def run() -> str:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert run() == str([(TASK, 1, MESSAGE)])
    assert run() == "[]"


@pytest.mark.parametrize("work", [fit_mml, build_scale])
def test_what_takes_progress_tells_of_it(work: object) -> None:
    """A fit that compiles before its first iteration has no other event to show."""
    heard: list[str] = []

    def progress(event: ProgressEvent) -> None:
        if not heard:
            heard.append(event.task)
            compile_something()
        heard.append(event.task)

    work(simulate_responses(300, 8, seed=1).responses, progress=progress)  # type: ignore[operator]
    assert TASK in heard


def test_a_block_within_a_block_tells_once() -> None:
    """Both the command line and the fit listen; twice the events would count every function twice."""
    heard: list[int] = []

    def progress(event: ProgressEvent) -> None:
        heard.append(event.step)

    with compiling_shown(progress), compiling_shown(progress):
        compile_something()
    assert heard == [1]


def test_nobody_is_told_who_did_not_ask() -> None:
    """A listener that stays behind would go on calling a terminal that is gone."""
    heard: list[ProgressEvent] = []
    with compiling_shown(silent):
        compile_something()
    with compiling_shown(heard.append):
        pass
    compile_something()
    assert heard == []
