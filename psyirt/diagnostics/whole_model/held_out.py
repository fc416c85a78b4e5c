"""How well fits predict responses they have not seen: K folds over the cells of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.response_source import MISSING
from psyirt.diagnostics.whole_model.expanded import Codes, packed, problem_of, refitted, subject_rows
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import posteriors
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictive log-densities of held-out responses.

    Attributes
    ----------
    by_subject : ndarray, shape (models, N)
        Sum over each subject's responses, every response predicted once; NaN for a model that had no estimates in a
        fold.
    responses : int
        How many were predicted.
    failed : tuple of int
        For each model, in how many folds it had no estimates.
    """

    by_subject: Array
    responses: int
    failed: tuple[int, ...]


@one_blas_thread()
def held_out(
    calibrations: Sequence[Calibration], patterns: PatternSource, folds: int, seed: int, progress: Progress
) -> HeldOut:
    """Log p(response | the subject's other responses, items fitted without the fold), over all folds.

    Responses, not subjects, are held out: a subject's ability is known from the other folds, as it is where a model is
    to fill in what a worker or a system has not answered.

    Parameters
    ----------
    calibrations : sequence of Calibration
        Fits of the same responses; each is fitted again without each fold, from its estimates on.
    patterns : PatternSource
        The responses.
    folds : int
        K.
    seed : int
        Shuffles the responses into folds of nearly equal size.
    progress : callable
        Receives a ProgressEvent per fit.

    Returns
    -------
    HeldOut

    Raises
    ------
    NotAvailableError
        If weights do not count subjects.
    """
    rows = subject_rows(patterns, "folds")
    fold = _assigned(rows, folds, seed)
    sums, failed = np.zeros((len(calibrations), len(rows))), [0] * len(calibrations)
    for number in range(folds):
        kept = packed(np.where(fold == number, np.int8(MISSING), rows))
        for m, calibration in enumerate(calibrations):
            x, found = refitted(calibration, kept)
            failed[m] += not found
            sums[m] += _predicted(calibration, x, kept, rows, fold == number) if found else np.nan
            done = number * len(calibrations) + m + 1
            progress(ProgressEvent("held out", done, folds * len(calibrations), calibration.model_name))
    return HeldOut(sums, int(np.count_nonzero(rows != MISSING)), tuple(failed))


def _assigned(rows: Codes, folds: int, seed: int) -> NDArray[np.int16]:
    """Each response's fold, -1 where there is none."""
    fold = np.full(rows.shape, -1, dtype=np.int16)
    seen = rows != MISSING
    fold[seen] = np.random.default_rng(seed).permutation(np.arange(np.count_nonzero(seen)) % folds)
    return fold


def _predicted(calibration: Calibration, x: Array, kept: PatternSource, rows: Codes, out: NDArray[np.bool_]) -> Array:
    """Sum over each subject's held-out responses of their log predictive density, shape (N,)."""
    problem = problem_of(calibration, kept)
    table = problem.model.log_probabilities(problem.layout.values(x), problem.grid.nodes)
    log_weights = problem.population(x).log_weights(problem.grid)
    density = np.exp(table)
    right, wrong = np.empty(kept.codes.shape), np.empty(kept.codes.shape)
    for block in posteriors(kept, table, log_weights):
        wrong[block.rows], right[block.rows] = block.weights @ density[:, 0].T, block.weights @ density[:, 1].T
    predicted = np.where(rows == 1, right[kept.index], wrong[kept.index])
    return np.asarray(np.log(predicted, out=np.zeros_like(predicted), where=out).sum(axis=1))
