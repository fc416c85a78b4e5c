"""The replications: simulate, fit, keep estimates and standard errors."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.errors import ConvergenceWarning, DataWarning, InputError
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.models.parameters import ItemParameters
from psyirt.simulation import simulate_responses

SLOTS = ("a", "intercept")
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Design:
    """What is simulated.

    Attributes
    ----------
    subjects, items : int
        Size of one data set.
    replications : int
        R, how many data sets: item parameters are drawn once, abilities and answers anew for each.
    seed : int
        Fixes everything.
    """

    subjects: int = 1000
    items: int = 90
    replications: int = 200
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        for name, least in (("subjects", 10), ("items", 3), ("replications", 2), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}", "recovery", f"Give at least {least}")

    @property
    def item_parameters(self) -> ItemParameters:
        """The true parameters: 2PL, log a ~ N(.2, .3), b ~ N(0, 1)."""
        return simulate_responses(1, self.items, "2PL", seed=self.seed).item_parameters

    @property
    def truth(self) -> pd.Series:
        """True parameters, index (parameter, item): all slopes, then all intercepts."""
        parameters = self.item_parameters
        index = pd.MultiIndex.from_product([SLOTS, parameters.item_names], names=["parameter", "item"])
        return pd.Series(np.concatenate([parameters.slopes[:, 0], parameters.intercepts]), index=index)

    def replication_seed(self, number: int) -> int:
        """Seed of one replication, the same whatever process runs it."""
        return int(np.random.SeedSequence([self.seed, number + 1]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True, eq=False)
class Fits:
    """The fits of all replications.

    Attributes
    ----------
    estimates, errors : ndarray, shape (R, parameters)
        In the order of ``Design.truth``; NaN where an item was constant or a standard error was not available.
    converged : ndarray of bool, shape (R,)
        Whether a fit met its criteria.
    fit_seconds, error_seconds : ndarray, shape (R,)
        Wall-clock time of estimation and of the standard errors.
    """

    estimates: NDArray[np.float64]
    errors: NDArray[np.float64]
    converged: NDArray[np.bool_]
    fit_seconds: NDArray[np.float64]
    error_seconds: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Fit:
    estimates: NDArray[np.float64]
    errors: NDArray[np.float64]
    converged: bool
    fit_seconds: float
    error_seconds: float


def run(design: Design, processes: int = 1, progress: Progress = silent) -> Fits:
    """Run all replications.

    Parameters
    ----------
    design : Design
        What is simulated.
    processes : int
        How many processes share the work; they are spawned, because numba's threads do not survive a fork, and
        compute with one thread each. Estimates do not depend on it, but for rounding (threads add in another order).
    progress : callable
        Receives a ProgressEvent per replication.

    Returns
    -------
    Fits
    """
    if processes < 1:
        raise InputError(f"processes is {processes}", "recovery", "Give at least 1")
    fits = []
    with _mapper(processes) as mapped:
        for fit in mapped(partial(fit_once, design), range(design.replications)):
            fits.append(fit)
            progress(ProgressEvent("fits", len(fits), design.replications, f"{fit.fit_seconds:.2f} s"))
    return Fits(
        np.array([fit.estimates for fit in fits]),
        np.array([fit.errors for fit in fits]),
        np.array([fit.converged for fit in fits]),
        np.array([fit.fit_seconds for fit in fits]),
        np.array([fit.error_seconds for fit in fits]),
    )


def fit_once(design: Design, number: int) -> _Fit:
    """Simulate and fit one replication (number counts from 0)."""
    answers = simulate_responses(
        design.subjects, design.item_parameters, seed=design.replication_seed(number)
    ).responses
    with warnings.catch_warnings():
        # a constant item or an unfinished fit is counted and reported over all replications
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.perf_counter()
        fit = fit_mml(answers, "2PL")
        fitted = time.perf_counter()
        errors = fit.bse
        done = time.perf_counter()
    order = design.truth.index
    return _Fit(
        fit.params.reindex(order).to_numpy(),
        errors.reindex(order).to_numpy(),
        fit.converged,
        fitted - start,
        done - fitted,
    )


@contextlib.contextmanager
def _mapper(processes: int) -> Iterator[Callable[..., Iterable[_Fit]]]:
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
