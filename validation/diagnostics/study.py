"""What a study is, and how its replications are run."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import pandas as pd

from psyirt.errors import ConvergenceWarning, DataWarning, InputError
from psyirt.foundation.progress import Progress, ProgressEvent, silent

# every study aims at this many tests of good items (or pairs) per condition, unless replications are given
TESTS_PER_CONDITION = 8000
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Condition:
    """One cell of a design.

    Attributes
    ----------
    subjects, items : int
        Size of a data set.
    model : str
        What the data come from, and what is fitted unless `fitted` says otherwise.
    missing : str
        See ``validation.diagnostics.missing.MECHANISMS``.
    fault : str
        What is planted, "" for nothing.
    fitted : str
        The model that is fitted, "" for `model`.
    """

    subjects: int
    items: int
    model: str
    missing: str = "complete"
    fault: str = ""
    fitted: str = ""

    @property
    def label(self) -> str:
        """In one line."""
        fit = f" fitted as {self.fitted}" if self.fitted else ""
        fault = f", {self.fault}" if self.fault else ""
        return f"{self.subjects} x {self.items} {self.model}{fit}, {self.missing}{fault}"


class Study(Protocol):
    """What the runner asks of a study; add one to ``validation.diagnostics.studies.STUDIES``."""

    @property
    def title(self) -> str:
        """A heading."""

    def conditions(self, quick: bool) -> tuple[Condition, ...]:
        """The cells of the design; fewer and smaller ones if `quick`."""

    def one(self, condition: Condition, seed: int, number: int) -> pd.DataFrame:
        """One replication: columns test, unit (item or pair), p, planted (whether the unit is faulty).

        True parameters depend on `seed` alone, so that rates per unit mean something; answers on `number` too.
        """


def run(
    study: Study, condition: Condition, replications: int | None, seed: int, processes: int, progress: Progress = silent
) -> pd.DataFrame:
    """All replications of one condition.

    Parameters
    ----------
    study, condition
        What is run.
    replications : int or None
        How many; None for as many as give 8,000 tests of items.
    seed : int
        Fixes everything, whatever the number of processes.
    processes : int
        How many share the work.
    progress : callable
        Receives a ProgressEvent per replication.

    Returns
    -------
    DataFrame
        Columns test, unit, p, planted, replication; p is NaN where a unit could not be tested.
    """
    if processes < 1:
        raise InputError(f"processes is {processes}", "diagnostics", "Give at least 1")
    count = -(-TESTS_PER_CONDITION // condition.items) if replications is None else replications
    frames = []
    with _mapper(processes) as mapped:
        for frame in mapped(partial(_quietly, study, condition, seed), range(count)):
            frames.append(frame.assign(replication=len(frames)))
            progress(ProgressEvent(condition.label, len(frames), count))
    return pd.concat(frames, ignore_index=True)


def _quietly(study: Study, condition: Condition, seed: int, number: int) -> pd.DataFrame:
    """One replication without the warnings of fits: what could not be tested is counted instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return study.one(condition, seed, number)


def stream(seed: int, number: int) -> int:
    """Seed of one replication's answers."""
    return int(np.random.SeedSequence([seed, number + 1]).generate_state(1, np.uint32)[0])


@contextlib.contextmanager
def _mapper(processes: int) -> Iterator[Callable[..., Iterable[pd.DataFrame]]]:
    """The built-in map, or that of spawned processes with one thread each."""
    if processes == 1:
        yield map
        return
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
