"""Statistics of data simulated under a fitted model, fitted again: a null distribution for any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns
from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.errors import EstimationError, InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.foundation.threads import in_order, worker_threads
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.simulation.graded import draw_outcomes

Array = NDArray[np.float64]

# p is then at least .005
REPLICATIONS = 199
_FEWEST = 19
# replications between two reports of progress
_AT_ONCE = 8
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Bootstrap:
    """How many data sets are simulated, and from which seed.

    Attributes
    ----------
    replications : int
        B.
    seed : int
        Each replication draws from its own stream, spawned from this seed: the result does not depend on threads.
    progress : callable
        Receives a ProgressEvent every few replications.
    """

    replications: int
    seed: int
    progress: Progress = silent


def checked_bootstrap(replications: int | None, seed: int | None, progress: Progress, place: str) -> Bootstrap:
    """The options of a bootstrap, 199 replications by default; InputError where there is no seed or too few of them."""
    require(seed, Integral, "seed", place, "Give a whole number, e.g. seed=1")
    if seed is None or seed < 0:
        raise InputError(f"seed is {seed}", place, "Give a whole number, 0 or more")
    count = REPLICATIONS if replications is None else replications
    require(count, Integral, "replications", place, "Give a whole number, e.g. 199")
    if count < _FEWEST:
        raise InputError(f"replications is {count}", place, f"Give at least {_FEWEST}: p is at least 1 / (that + 1)")
    return Bootstrap(int(count), int(seed), progress)


def bootstrap_p(
    calibration: Calibration, statistic: Callable[[Calibration], Array], observed: Array, options: Bootstrap
) -> tuple[Array, str]:
    """p of each item by the parametric bootstrap (as Stone, 2000, does for a statistic of his).

    Abilities are drawn from the population, answers from the model, and what was missing is missing again. The items
    are fitted again to each data set, from the estimates on, because estimation takes part of any fit statistic away:
    at held parameters it would be compared with values that are too large.

    Parameters
    ----------
    calibration : Calibration
        A fit (or fixed parameters, which are not fitted again) with responses.
    statistic : callable
        Calibration -> a number for each item, the larger the worse its fit; NaN where there is none.
    observed : ndarray, shape (J,)
        The same of the calibration itself.
    options : Bootstrap
        How many, and from which seed.

    Returns
    -------
    tuple of ndarray, shape (J,), and str
        (1 + replications with as large a statistic) / (1 + replications with one), NaN where `observed` is; and a note.

    Raises
    ------
    NotAvailableError
        If the weights are not whole numbers.
    EstimationError
        If fewer than half of the replications could be fitted.
    """
    absent = _missing_by_subject(calibration)

    def one(stream: np.random.SeedSequence) -> Array | None:
        fit = simulated_fit(calibration, absent, np.random.default_rng(stream))
        return None if fit is None else statistic(fit)

    found: list[Array] = []
    streams = np.random.SeedSequence(options.seed).spawn(options.replications)
    with worker_threads(None):
        for start in range(0, options.replications, _AT_ONCE):
            part = streams[start : start + _AT_ONCE]
            found += [each for each in in_order(one, part) if each is not None]
            done = start + len(part)
            options.progress(ProgressEvent("bootstrap", done, options.replications, f"{len(found)} fitted"))
    lost = options.replications - len(found)
    if 2 * lost > options.replications:
        raise EstimationError(
            f"{lost} of {options.replications} simulated data sets could not be fitted",
            "bootstrap",
            "Use priors, or leave items with few answers out",
        )
    drawn = np.array(found)
    # equal statistics of equal patterns may differ in their last digits
    extreme = np.sum(drawn >= observed - _ROUNDING * (1.0 + np.abs(observed)), axis=0)
    p = (1.0 + extreme) / (1.0 + np.sum(~np.isnan(drawn), axis=0))
    return np.where(np.isnan(observed), np.nan, p), _note(calibration, len(found), lost)


def _note(calibration: Calibration, found: int, lost: int) -> str:
    """How p came about."""
    fitted = "items fitted again to each" if calibration.refit is not None else "parameters held, as they were fixed"
    more = f"; {lost} more could not be fitted" if lost else ""
    return f"p from {found} simulated data sets, {fitted}{more}: at least {1 / (found + 1):.2g} before adjustment"


def _missing_by_subject(calibration: Calibration) -> NDArray[np.bool_]:
    """Which responses are missing, a row per subject."""
    patterns = fitted_data(calibration, "bootstrap").patterns
    count = np.round(patterns.weights)
    if np.any(np.abs(patterns.weights - count) > _ROUNDING):
        raise NotAvailableError(
            "the weights are not whole numbers, so they do not count subjects", "bootstrap", "Leave the bootstrap out"
        )
    return np.repeat(patterns.codes < 0, count.astype(np.int64), axis=0)


def simulated_fit(calibration: Calibration, absent: NDArray[np.bool_], rng: np.random.Generator) -> Calibration | None:
    """A calibration of simulated answers; None where they lead to no estimates.

    Parameters
    ----------
    calibration : Calibration
        What is simulated from, and how it was fitted.
    absent : ndarray of bool, shape (N, J)
        Which responses are missing.
    rng : numpy.random.Generator
        What is drawn from.

    Returns
    -------
    Calibration or None
        With patterns and without responses.
    """
    population, layout = calibration.population, calibration.layout
    theta = population.draw(len(absent), rng)
    codes = draw_outcomes(calibration.item_parameters, theta, rng)
    codes[absent] = -1
    patterns = Patterns(codes, np.ones(len(codes)), np.arange(len(codes)))
    if calibration.refit is None:
        return replace(calibration, patterns=patterns, responses=None)
    x, converged = calibration.refit(patterns)
    if not converged:
        return None
    moments = dict(zip(layout.free_moments, x[layout.item_size :].tolist(), strict=True))
    return replace(
        calibration,
        patterns=patterns,
        responses=None,
        x=x,
        item_parameters=ItemParameters.from_values(layout.item_names, layout.values(x)),
        population=population.moved(moments),
    )
