"""lz and lz*: a subject's log-likelihood beside what the model expects at the estimated ability."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from psyirt.data.responses import Responses
from psyirt.diagnostics.persons.answers import Answers, answers_at, scoring_problem, subjects_of
from psyirt.diagnostics.persons.subject_table import subject_notes, subject_table
from psyirt.diagnostics.persons.tails import upper_tail
from psyirt.foundation.arguments import require_word
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.table import StatisticTable
from psyirt.scoring.abilities import METHODS
from psyirt.scoring.problem import ScoringProblem

Array = NDArray[np.float64]

Reference = Literal["skewed", "normal"]

TESTS = "H0: the answers are as likely as the model says they are at the subject's ability (low values: less likely)"
LZ = ("lz", TESTS, "Drasgow, Levine & Williams (1985)")
LZ_STAR = ("lz*", TESTS, "Snijders (2001), eqs. 16-18; Magis, Raiche & Beland (2012) for MAP and WLE")
_LZ_NOTE = (
    "lz takes the estimated ability for the true one: its p-values are too large, more so in short tests; lz* corrects"
)
# a variance below this share of what it is left over from is rounding
_NOTHING = 1e-12
_NO_ROOM = "at this ability the answers' likelihood can hardly vary"


@one_blas_thread()
def lz(
    source: Any,
    *,
    responses: Responses | None = None,
    adjust: str = "fdr_bh",
    alpha: float = 0.05,
    scoring: str = "EAP",
) -> StatisticTable:
    """lz (Zh in R's mirt): the log-likelihood at the estimated ability, standardised as if that were the true one.

    (l - E l) / sd(l), with E and sd over answers at the estimate. As the estimate was chosen to make the answers
    likely, the variance is smaller than 1 and the p-values (lower tail, normal) are too large: lz* corrects for that.

    Parameters
    ----------
    source, responses, adjust, alpha
        See :func:`psyirt.diagnostics.persons.fit.person_fit`.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        How abilities are estimated.

    Returns
    -------
    StatisticTable
        Index subject; also theta, answered.
    """
    subjects = subjects_of(source, responses, LZ[0])
    problem = scoring_problem(subjects, LZ[0])
    theta, _ = METHODS[scoring](problem)
    columns = _standardised(problem, theta, corrected=False)
    z = columns["statistic"]
    shown = {"statistic": z, "p": ndtr(z), "theta": theta}
    notes = subject_notes(subjects, np.isnan(z), _NO_ROOM, theta)
    return subject_table(subjects, shown, notes, LZ, adjust, alpha, (_LZ_NOTE,))


@one_blas_thread()
def lz_star(
    source: Any,
    *,
    responses: Responses | None = None,
    adjust: str = "fdr_bh",
    alpha: float = 0.05,
    scoring: str = "WLE",
    reference: Reference = "skewed",
) -> StatisticTable:
    """lz*: lz corrected for the estimation of ability.

    What the estimate absorbs is taken out of the statistic: with r = P' / (P (1 - P)) and w = log P - log(1 - P), each
    item's weight becomes w - c r, c = sum(P' w) / sum(P' r), and lz* = sum((x - P)(w - c r)) / sqrt(sum(P (1 - P)
    (w - c r)^2)). For ML, MAP and WLE this is Snijders' statistic (his term c r0, of the estimating equation, is in the
    sum). The sum's expectation no longer changes with ability to first order, so that it may stand at any consistent
    estimate: at the EAP too, for which Snijders gives no formula.

    Parameters
    ----------
    source, responses, adjust, alpha
        See :func:`psyirt.diagnostics.persons.fit.person_fit`.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        How abilities are estimated.
    reference : {"skewed", "normal"}
        What p is taken from, the lower tail of: a chi-square with the sum's own skewness (Molenaar & Hoijtink 1990), or
        the normal distribution, as Snijders has it. The sum is skewed to the left, so that by the normal distribution
        small p-values are too small: below .001 three times too often with 20 items. That matters where p-values are
        adjusted for many subjects.

    Returns
    -------
    StatisticTable
        Index subject; also theta, answered.
    """
    require_word(reference, Reference, "reference")
    subjects = subjects_of(source, responses, LZ_STAR[0])
    problem = scoring_problem(subjects, LZ_STAR[0])
    theta, _ = METHODS[scoring](problem)
    columns = _standardised(problem, theta, corrected=True)
    z = columns["statistic"]
    p = upper_tail(-z, -columns["skewness"]) if reference == "skewed" else ndtr(z)
    notes = subject_notes(subjects, np.isnan(z), _NO_ROOM, theta)
    return subject_table(subjects, {"statistic": z, "p": p, "theta": theta}, notes, LZ_STAR, adjust, alpha)


def _standardised(problem: ScoringProblem, theta: Array, *, corrected: bool) -> dict[str, Array]:
    """Statistic and skewness of every pattern, each of shape (R,); NaN without answers, ability, or variance."""
    statistic, skewness = np.full((2, len(theta)), np.nan)
    usable = np.flatnonzero(np.isfinite(theta) & (problem.answered > 0))
    for rows, answers in answers_at(problem, theta, usable):
        weight = answers.log_odds
        raw = (answers.variance * weight**2).sum(1)
        if corrected:
            weight = weight - _absorbed(answers)[:, None] * answers.slope
        spread = (answers.variance * weight**2).sum(1)
        kept = spread > _NOTHING * np.maximum(raw, _NOTHING)
        sd = np.sqrt(np.where(kept, spread, np.nan))
        statistic[rows] = (answers.residual * weight).sum(1) / sd
        skewness[rows] = (answers.variance * answers.skew * weight**3).sum(1) / sd**3
    return {"statistic": statistic, "skewness": skewness}


def _absorbed(answers: Answers) -> Array:
    """c = sum(P' w) / sum(P' r) of each pattern, shape (rows,); 0 where no answered item has a slope."""
    change = answers.variance * answers.slope
    information = (change * answers.slope).sum(1)
    shared = (change * answers.log_odds).sum(1)
    return np.divide(shared, information, out=np.zeros(len(shared)), where=information > 0.0)
