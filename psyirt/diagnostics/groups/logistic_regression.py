"""Logistic DIF: does the group, or group times score, predict answers beyond the score (Swaminathan & Rogers, 1990)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import expit, logit

from psyirt.diagnostics.groups.matching import Array, ItemCounts

_MAX_STEPS, _HALVINGS = 100, 30
_SETTLED = 1e-12
# a log-likelihood per answer that only a perfect prediction reaches
_PERFECT = -1e-6
# a fitted logit beyond this belongs to answers that are all right or all wrong
_SEPARATED = 15.0


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """One logistic regression.

    Attributes
    ----------
    log_likelihood : float
        At the maximum, or at its limit where there is none.
    coefficients, errors : ndarray, shape (P,)
        Estimates and standard errors.
    is_finite : bool
        Whether the maximum is reached at finite coefficients.
    """

    log_likelihood: float
    coefficients: Array
    errors: Array
    is_finite: bool


def logistic_fit(design: Array, right: Array, wrong: Array) -> LogisticFit:
    """Maximum likelihood by Newton's method with step halving.

    Parameters
    ----------
    design : ndarray, shape (M, P)
        Predictors, of full rank where there are subjects.
    right, wrong : ndarray, shape (M,)
        Answers at each row of the design.

    Returns
    -------
    LogisticFit
    """
    n = right + wrong
    beta = np.zeros(design.shape[1])
    reached = _log_likelihood(design @ beta, right, n)
    information = np.eye(len(beta))
    for _ in range(_MAX_STEPS):
        chance = expit(design @ beta)
        information = design.T @ (design * (n * chance * (1.0 - chance))[:, None])
        step = np.linalg.lstsq(information, design.T @ (right - n * chance), rcond=None)[0]
        before = reached
        for _ in range(_HALVINGS):
            reached = _log_likelihood(design @ (beta + step), right, n)
            if reached >= before:
                break
            step = 0.5 * step
        else:
            reached = before
            break
        beta = beta + step
        if reached - before <= _SETTLED * abs(reached):
            break
    used = n > 0.0
    is_finite = bool(np.abs((design @ beta)[used]).max(initial=0.0) < _SEPARATED)
    # separated answers leave an information of rounding errors, some of them negative; is_finite says so
    errors = np.sqrt(np.maximum(np.diag(np.linalg.pinv(information)), 0.0))
    return LogisticFit(reached, beta, errors, is_finite)


def _log_likelihood(eta: Array, right: Array, n: Array) -> float:
    """Of single answers, not of their counts."""
    return float(np.sum(right * eta - n * np.logaddexp(0.0, eta)))


@dataclass(frozen=True)
class GroupRegressions:
    """Three nested regressions of one item on score, group, and their product.

    Attributes
    ----------
    uniform, nonuniform : float
        Likelihood ratios, 1 df each: of the group, and of group x score beyond it.
    r2_uniform, r2_nonuniform : float
        The same steps in Nagelkerke's (1991) R2.
    log_odds, se : float
        The group's coefficient in the model without product, above 0 where the item is easier for the focal group,
        and its standard error; NaN where there is no finite estimate.
    note : str
        Why there are no statistics, or what to doubt.
    """

    uniform: float
    nonuniform: float
    r2_uniform: float
    r2_nonuniform: float
    log_odds: float
    se: float
    note: str


def group_regressions(counts: ItemCounts) -> GroupRegressions:
    """Regress one item's answers on matching score, group, and their product.

    Parameters
    ----------
    counts : ItemCounts
        Answers by group and score.

    Returns
    -------
    GroupRegressions
    """
    right, wrong = counts.right.ravel(), counts.wrong.ravel()
    n = right + wrong
    if not right.sum() or not wrong.sum():
        return _nothing("the item does not vary")
    score = np.tile(counts.scores, 2)
    mean = float(n @ score / n.sum())
    spread = float(np.sqrt(n @ (score - mean) ** 2 / n.sum()))
    score = (score - mean) / (spread or 1.0)
    focal = np.repeat([0.0, 1.0], len(counts.scores))
    design = np.column_stack([np.ones(len(n)), score, focal, score * focal])
    if np.linalg.matrix_rank(design[n > 0.0]) < 4:
        return _nothing("the scores of a group do not vary")
    share = np.full(1, right.sum() / n.sum())
    null = _log_likelihood(logit(share), right.sum(keepdims=True), n.sum(keepdims=True))
    fits = [logistic_fit(design[:, :size], right, wrong) for size in (2, 3, 4)]
    if fits[0].log_likelihood > _PERFECT * n.sum():
        return _nothing("the score alone tells right from wrong answers")
    r2 = [_nagelkerke(fit.log_likelihood, null, float(n.sum())) for fit in fits]
    uniform, nonuniform = (2.0 * max(b.log_likelihood - a.log_likelihood, 0.0) for a, b in pairwise(fits))
    middle = fits[1]
    note = "" if all(fit.is_finite for fit in fits) else "answers are all right or all wrong somewhere: no finite fit"
    log_odds, se = (middle.coefficients[2], middle.errors[2]) if middle.is_finite else (np.nan, np.nan)
    return GroupRegressions(uniform, nonuniform, r2[1] - r2[0], r2[2] - r2[1], float(log_odds), float(se), note)


def _nothing(note: str) -> GroupRegressions:
    """No statistics, and why."""
    nothing = (np.nan, np.nan, np.nan, np.nan, np.nan, np.nan)
    return GroupRegressions(*nothing, note)


def _nagelkerke(log_likelihood: float, null: float, n: float) -> float:
    """Nagelkerke's (1991, eq. 3) R2 from log-likelihoods of n answers."""
    return float(np.expm1(2.0 * (null - log_likelihood) / n) / np.expm1(2.0 * null / n))
