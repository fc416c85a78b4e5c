"""Infit and outfit of subjects: mean squared residuals, weighted by their variance or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from psyirt.data.responses import Responses
from psyirt.diagnostics.persons.answers import Answers, answers_at, scoring_problem, subjects_of
from psyirt.diagnostics.persons.subject_table import subject_notes, subject_table
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.table import StatisticTable
from psyirt.scoring.abilities import METHODS

Array = NDArray[np.float64]

TESTS = "H0: squared residuals are as large as the model says at the subject's ability (large values: more surprises)"
SOURCE = "Wright & Masters (1982), ch. 5; z by the cube root of Wilson & Hilferty (1931)"
INFIT, OUTFIT = ("infit", TESTS, SOURCE), ("outfit", TESTS, SOURCE)
_NOTE = "residuals are taken at the estimated ability, so that z is smaller than normal: p-values are too large"
_WHY = "at this ability the squared residuals can hardly vary"
# beyond this standard deviation of a mean square its cube root is nothing like normal (Winsteps and mirt stop here too)
LARGEST_SD = np.sqrt(2.0)


@one_blas_thread()
def infit(
    source: Any,
    *,
    responses: Responses | None = None,
    adjust: str = "fdr_bh",
    alpha: float = 0.05,
    scoring: str = "EAP",
) -> StatisticTable:
    """Infit of every subject: sum of squared residuals / sum of their variances.

    Parameters
    ----------
    source, responses, adjust, alpha
        See :func:`psyirt.diagnostics.persons.fit.person_fit`.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        How abilities are estimated.

    Returns
    -------
    StatisticTable
        Index subject; also z (p is its upper tail), theta, answered.
    """
    return _table(source, responses, adjust, alpha, scoring, INFIT)


@one_blas_thread()
def outfit(
    source: Any,
    *,
    responses: Responses | None = None,
    adjust: str = "fdr_bh",
    alpha: float = 0.05,
    scoring: str = "EAP",
) -> StatisticTable:
    """Outfit of every subject: mean of squared residuals / variance. A single lucky guess can make it huge.

    Parameters
    ----------
    source, responses, adjust, alpha
        See :func:`psyirt.diagnostics.persons.fit.person_fit`.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        How abilities are estimated.

    Returns
    -------
    StatisticTable
        Index subject; also z (p is its upper tail), theta, answered. z takes the standard deviation of outfit as at
        most sqrt(2).
    """
    return _table(source, responses, adjust, alpha, scoring, OUTFIT)


def _table(
    source: Any, responses: Responses | None, adjust: str, alpha: float, scoring: str, words: tuple[str, str, str]
) -> StatisticTable:
    subjects = subjects_of(source, responses, words[0])
    problem = scoring_problem(subjects, words[0])
    theta, _ = METHODS[scoring](problem)
    square, sd = np.full((2, len(theta)), np.nan)
    usable = np.flatnonzero(np.isfinite(theta) & (subjects.answered > 0))
    for rows, answers in answers_at(problem, theta, usable):
        square[rows], sd[rows] = (_weighted if words == INFIT else _unweighted)(answers)
    z = standardised_square(square, sd)
    square = np.where(np.isnan(z), np.nan, square)
    columns = {"statistic": square, "p": ndtr(-z), "z": z, "theta": theta}
    notes = subject_notes(subjects, np.isnan(z), _WHY, theta)
    return subject_table(subjects, columns, notes, words, adjust, alpha, (_NOTE,))


def _weighted(answers: Answers) -> tuple[Array, Array]:
    """Infit and its standard deviation; the variance of a squared residual is P (1 - P) (1 - 2P)^2."""
    total = answers.variance.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.sqrt((answers.variance * answers.skew**2).sum(1)) / total
        return (answers.residual**2).sum(1) / total, sd


def _unweighted(answers: Answers) -> tuple[Array, Array]:
    """Outfit and its standard deviation."""
    count = answers.seen.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(answers.seen, answers.residual**2 / answers.variance, 0.0)
        spread = np.where(answers.seen, answers.skew**2 / answers.variance, 0.0)
    return each.sum(1) / count, np.sqrt(spread.sum(1)) / count


def standardised_square(square: Array, sd: Array) -> Array:
    """z of a mean square with mean 1, by the cube root: (square^(1/3) - 1) 3 / sd + sd / 3 (Wilson & Hilferty 1931).

    Parameters
    ----------
    square, sd : ndarray, shape (n,)
        Mean squares and their standard deviations; above sqrt(2) these count as sqrt(2).

    Returns
    -------
    ndarray, shape (n,)
        NaN where the standard deviation is 0 or a number is not finite.
    """
    known = np.isfinite(square) & np.isfinite(sd) & (sd > 0.0)
    q = np.minimum(np.where(known, sd, np.nan), LARGEST_SD)
    return np.asarray((np.cbrt(np.where(known, square, np.nan)) - 1.0) * 3.0 / q + q / 3.0)
