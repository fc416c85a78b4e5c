"""Parametric bootstrap of a statistic of pairs: data simulated from the fitted model, fitted again, measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns, collapse_codes
from psyirt.data.response_source import MISSING
from psyirt.diagnostics.fitted_data import require_fitted
from psyirt.errors import EstimationError, InputError, NotAvailableError
from psyirt.estimation.refit import Refitter
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.models.parameters import ItemParameters
from psyirt.results.bootstrap import Refit
from psyirt.results.calibration import Calibration
from psyirt.simulation.graded import draw_outcomes
from psyirt.simulation.streams import streams

Array = NDArray[np.float64]

# refits stop within a thousandth of a standard error of their maximum: at 1,000 x 30 that moves LD-X2 by .0006 on
# average and by .008 at most, while chance moves it by 1
_TOLERANCE = 1e-3

NOTHING = "no replication of the bootstrap has a statistic for this pair"


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """Where the observed statistics lie among those of data that the model itself has made.

    Attributes
    ----------
    p : ndarray, shape (P,)
        (1 + replications at least as extreme) / (1 + replications) for each pair (Davison & Hinkley 1997, eq. 4.11);
        NaN where the pair has no statistic.
    p_familywise : ndarray, shape (P,)
        The same against the largest statistic of each replication.
    largest : ndarray, shape (B,), ascending
        That statistic in the replications that could be fitted.
    failed : int
        How many could not.
    fitted_again : bool
        Whether the replications were; False where parameters were fixed.
    """

    p: Array
    p_familywise: Array
    largest: Array
    failed: int
    fitted_again: bool

    def cutoff(self, alpha: float) -> float:
        """What the statistic must exceed for a familywise p below `alpha`; infinite with too few replications."""
        count = len(self.largest)
        allowed = int(np.ceil(alpha * (count + 1.0))) - 2
        return float(self.largest[count - 1 - allowed]) if allowed >= 0 else np.inf

    def notes(self, alpha: float, pair_by_pair: bool) -> tuple[str, ...]:
        """Size of the bootstrap, its cut-off, and what to doubt, above all where p-values are adjusted one by one."""
        count = len(self.largest)
        found = [f"parametric bootstrap of {count} replications, familywise {alpha:g} cut-off {self.cutoff(alpha):.4g}"]
        if not self.fitted_again:
            found.append("parameters were fixed: replications were not fitted, as if nothing had been estimated")
        if self.failed:
            found.append(f"{counted(self.failed, 'replication')} without estimates left out")
        least = 1.0 / (count + 1.0)
        if pair_by_pair and len(self.p) * least >= alpha:
            found.append(f"no p is below {least:.2g}, too large to adjust for {len(self.p)} pairs: use adjust='max'")
        return tuple(found)


def require_bootstrap(bootstrap: int | None, seed: int | None, alpha: float) -> None:
    """Refuse a number of replications that decides nothing, and a bootstrap nobody could repeat."""
    place = "local_dependence"
    if bootstrap is None:
        if seed is not None:
            raise InputError("seed without bootstrap", place, "Give bootstrap=, the number of replications, too")
        return
    require(bootstrap, Integral, "bootstrap", place, "Give the number of replications, e.g. 500")
    fewest = int(np.floor(1.0 / alpha))
    if bootstrap < fewest:
        raise InputError(f"bootstrap is {bootstrap}", place, f"Give at least {fewest}: fewer never reach p < {alpha:g}")
    if seed is None:
        raise InputError("a bootstrap without a seed", place, "Give a whole number, e.g. seed=1")
    require(seed, Integral, "seed", place, "Give a whole number, e.g. seed=1")
    if seed < 0:
        raise InputError(f"seed is {seed}", place, "Give a whole number, 0 or more")


@one_blas_thread()
def bootstrap_null(
    name: str,
    calibration: Calibration,
    observed: Array,
    extremes: Callable[[Calibration], Array],
    replications: int,
    seed: int,
    progress: Progress,
) -> NullDistribution:
    """Compare observed statistics with those of replications; counts only are kept, so that memory is bounded.

    Parameters
    ----------
    name : str
        The statistic, for messages.
    calibration : Calibration
        The model that makes the data.
    observed : ndarray, shape (P,)
        Large values speak against the model; NaN where there is none.
    extremes : callable
        The same from the calibration of a replication.
    replications, seed : int
        How many, each with a random stream of its own.
    progress : callable
        Receives a ProgressEvent per replication.

    Returns
    -------
    NullDistribution

    Raises
    ------
    NotAvailableError
        If weights do not count subjects.
    EstimationError
        If no replication could be fitted.
    """
    reached, made = np.zeros((2, len(observed)))
    largest: list[float] = []
    for number, replication in enumerate(replicated(calibration, name, replications, seed), 1):
        if replication is not None:
            values = extremes(replication)
            reached += values >= observed
            made += ~np.isnan(values)
            largest.append(float(np.max(values, where=~np.isnan(values), initial=-np.inf)))
        message = f"{number - len(largest)} without estimates"
        progress(ProgressEvent("parametric bootstrap", number, replications, message))
    if not largest:
        raise EstimationError(
            f"none of {replications} replications could be fitted", name, "Use priors, or leave the bootstrap out"
        )
    ordered = np.sort(np.array(largest))
    above = len(ordered) - np.searchsorted(ordered, observed, side="left")
    gone = np.isnan(observed) | (made == 0.0)
    p = np.where(gone, np.nan, (1.0 + reached) / (1.0 + made))
    familywise = np.where(gone, np.nan, (1.0 + above) / (1.0 + len(ordered)))
    again = calibration.refit is not None
    return NullDistribution(p, familywise, ordered, replications - len(largest), again)


def replicated(calibration: Calibration, name: str, replications: int, seed: int) -> Iterator[Calibration | None]:
    """Calibrations of data simulated from a calibration: as many subjects, who leave out what the real ones left out.

    Abilities are drawn from the population. The items are fitted as they were, from the estimates on; where parameters
    were fixed they stay so.

    Parameters
    ----------
    calibration : Calibration
        The model, with responses.
    name : str
        The statistic, for messages.
    replications, seed : int
        How many, each with a random stream of its own.

    Yields
    ------
    Calibration or None
        None where the replication has no finite estimates.
    """
    patterns = require_fitted(calibration, name)
    if np.any(patterns.weights != np.round(patterns.weights)):
        raise NotAvailableError(
            "the weights are not whole numbers, so they do not count subjects", f"{name}, bootstrap", "Leave it out"
        )
    codes = np.repeat(patterns.codes, patterns.weights.astype(np.intp), axis=0)
    refit = _quick(calibration)
    population = calibration.population
    for stream in streams(seed, replications):
        theta = population.draw(len(codes), stream)
        outcomes = draw_outcomes(calibration.item_parameters, theta, stream)
        outcomes[codes == MISSING] = MISSING
        yield _fitted_to(calibration, collapse_codes(outcomes, np.ones(len(codes))), refit)


def _quick(calibration: Calibration) -> Refit | None:
    """The calibration's refit, no closer to the maximum than a replication needs."""
    refit = calibration.refit
    if isinstance(refit, Refitter):
        tolerance = max(refit.options.tolerance, _TOLERANCE)
        return replace(refit, options=replace(refit.options, tolerance=tolerance))
    return refit


def _fitted_to(calibration: Calibration, patterns: Patterns, refit: Refit | None) -> Calibration | None:
    """The calibration of other patterns; None where there are no finite estimates."""
    # what fits the replication again, item by item, need be no closer either
    own = replace(calibration, patterns=patterns, responses=None, trace=(), notes=(), refit=refit)
    if refit is None:
        return own
    x, found = refit(patterns)
    if not found:
        return None
    layout = calibration.layout
    moments = dict(zip(layout.free_moments, x[layout.item_size :].tolist(), strict=True))
    parameters = ItemParameters.from_values(calibration.item_names, layout.values(x))
    population = calibration.population.moved(moments)
    return replace(own, x=x, item_parameters=parameters, population=population)
