"""The distribution of a likelihood ratio under the restricted fit, by simulating from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psyirt.data.response_source import MISSING
from psyirt.diagnostics.whole_model.expanded import Codes, packed, problem_of, refitted, subject_rows
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.base import Array
from psyirt.results.calibration import Calibration

# where an asymptote starts that the restricted fit has at 0 or 1: logit of .05
_NEAR_EDGE = 2.944
# a general fit may fall short of the restricted one by rounding and tolerance
_SLACK = 1e-3


@dataclass(frozen=True)
class BootstrapTail:
    """Outcome of :func:`bootstrap_tail`.

    Attributes
    ----------
    p : float
        (1 + replicates at least as large) / (1 + replicates).
    replications : int
        Replicates in which both models could be fitted.
    failed : int
        Those in which they could not.
    statistic : float
        Of the responses themselves, by the same starts: larger than the fits' own where the general one had not found
        its maximum.
    """

    p: float
    replications: int
    failed: int
    statistic: float


@one_blas_thread()
def bootstrap_tail(
    restricted: Calibration, general: Calibration, replications: int, seed: int, progress: Progress
) -> BootstrapTail:
    """Parametric bootstrap of twice the difference of log-likelihoods (McLachlan 1987).

    Abilities are drawn from the restricted fit's density on its nodes and answers from its items; what was missing
    stays missing. Both models are fitted to each draw. Valid at edges, and with priors too.

    Parameters
    ----------
    restricted, general : Calibration
        Nested fits of the same responses.
    replications : int
        B.
    seed : int
        Each replicate draws from its own stream, spawned from this seed.
    progress : callable
        Receives a ProgressEvent per replicate.

    Returns
    -------
    BootstrapTail

    Raises
    ------
    NotAvailableError
        If weights do not count subjects.
    """
    assert restricted.patterns is not None
    rows = subject_rows(restricted.patterns, "bootstrap")
    correct, weights = np.exp(restricted.table[:, 1]), np.exp(restricted.log_weights)
    begin = _as_general(restricted, general)
    observed = 2.0 * (general.loglik - restricted.loglik)
    # what draws are given, the responses must be given too: else p is too large
    again = _ratio(restricted, general, rows, begin)
    observed = observed if again is None else max(observed, again)
    larger = fitted = 0
    for number, stream in enumerate(np.random.SeedSequence(seed).spawn(replications), 1):
        drawn = _draw(rows, correct, weights, np.random.default_rng(stream))
        ratio = _ratio(restricted, general, drawn, begin)
        if ratio is not None:
            fitted += 1
            larger += ratio >= observed - 1e-9
        progress(ProgressEvent("bootstrap", number, replications, f"{number - fitted} without estimates"))
    return BootstrapTail((1.0 + larger) / (1.0 + fitted), fitted, replications - fitted, observed)


def _draw(rows: Codes, correct: Array, weights: Array, random: np.random.Generator) -> Codes:
    """Responses of as many subjects from the model, missing where the real ones are."""
    nodes = random.choice(len(weights), size=len(rows), p=weights / weights.sum())
    answers = (random.random(rows.shape) < correct.T[nodes]).astype(np.int8)
    answers[rows == MISSING] = MISSING
    return answers


def _as_general(restricted: Calibration, general: Calibration) -> Array:
    """The restricted estimates as a start of the general fit, asymptotes moved off their edges."""
    layout = general.layout
    scale = np.ones(len(layout.slots))
    scale[0] = restricted.population.sd / general.population.sd
    values = restricted.item_parameters.values * scale
    values[:, -2:] = np.clip(values[:, -2:], -_NEAR_EDGE, _NEAR_EDGE)
    out = general.x.copy()
    out[: layout.item_size] = layout.free(values)
    return out


def _ratio(restricted: Calibration, general: Calibration, rows: Codes, begin: Array) -> float | None:
    """Twice the difference of log-likelihoods of both models fitted to some rows; None where one has no estimates."""
    patterns = packed(rows)
    inner, outer = problem_of(restricted, patterns), problem_of(general, patterns)
    x, found = refitted(restricted, patterns)
    if not found:
        return None
    low = inner.expectation(x).log_likelihood
    best = None
    # likelihoods with asymptotes have local maxima: there from the null hypothesis too
    several = bool(general.layout.is_free[:, -2:].any())
    for start in (general.x, begin) if several else (general.x,):
        y, found = refitted(general, patterns, start)
        if found:
            high = outer.expectation(y).log_likelihood
            best = high if best is None else max(best, high)
    if best is None:
        return None
    ratio = 2.0 * (best - low)
    return None if ratio < -_SLACK and not general.priors else ratio
