"""S-X2's question with missing responses: groups by what the other answers say, and their own chi-square null."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from psyirt.diagnostics.items.ability_groups import ability_groups, group_sums
from psyirt.diagnostics.items.rest_posterior import FitAt, RestAnswers, RestPosterior
from psyirt.kernels.cell_pooling import pool_cells
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

# groups before pooling
GROUPS = 10
NO_VARIANCE = "no variance: all responses are alike"
# smallest posterior standard deviation, in spacings of the nodes, that sums over nodes are right for (to .002)
_NARROWEST = 0.6
_IMPOSSIBLE = "not valid: the model gives no probability to some of the answers"


@dataclass(frozen=True, eq=False)
class GroupCells:
    """One item's answers in G groups of subjects, lowest ability first.

    Attributes
    ----------
    ability : ndarray, shape (G,)
        Mean posterior ability without the item.
    observed, expected : ndarray, shape (G, 2)
        Subjects with a wrong and with a correct answer.
    variance : ndarray, shape (G,)
        Variance of the correct answers under the model, its parameters known.
    change : ndarray, shape (G, M)
        Derivatives of the expected correct answers in the item's own parameters.
    """

    ability: Array
    observed: Array
    expected: Array
    variance: Array
    change: Array


@dataclass(frozen=True)
class RestScoreTest:
    """One item's test; statistic, df and p are NaN where the note says why.

    Attributes
    ----------
    statistic, df, p : float
        Pearson's statistic, scaled so that chi-square with `df` (no whole number) fits its first two moments.
    rows : int
        Groups after pooling.
    subjects : float
        Weight of those who answered.
    note : str
        Empty where there is nothing to say.
    """

    statistic: float
    df: float
    p: float
    rows: int
    subjects: float
    note: str


def fit_at(calibration: Calibration) -> FitAt:
    """A calibration's own answers at its own estimates; it must have responses."""
    patterns = calibration.patterns
    assert patterns is not None
    return FitAt(
        patterns.codes,
        patterns.weights,
        calibration.model,
        calibration.layout,
        calibration.item_parameters.values,
        calibration.grid.nodes,
        calibration.log_weights,
    )


def coarse_nodes_note(calibration: Calibration) -> str:
    """Whether posteriors are too narrow for the nodes that integrals are taken on; empty if they are not.

    Sums over nodes are off by about 2 exp(-2 (pi sd / spacing)^2) of the integral.
    """
    grid, values = calibration.grid, calibration.item_parameters.values
    information = calibration.model.information(values, grid.nodes).sum(axis=0)
    narrowest = 1.0 / np.sqrt(information.max() + 1.0 / calibration.population.variance)
    if narrowest >= _NARROWEST * grid.spacing:
        return ""
    return (
        f"nodes {grid.spacing:.2g} apart are coarse for posteriors with sd {narrowest:.2g}: "
        "p is rough; give fix a finer grid"
    )


def prior_curvature(calibration: Calibration) -> Array:
    """Second derivatives of the log-priors, shape (J, S), 0 where a slot has no prior or is fixed."""
    layout = calibration.layout
    out = np.zeros(layout.index.shape)
    out[layout.is_free] = calibration.priors.curvature(calibration.x)[layout.index[layout.is_free]]
    return out


def rest_score_cells(answers: RestAnswers, groups: int, min_expected: float) -> GroupCells:
    """Observed and expected answers in groups by posterior ability without the item, pooled as S-X2 pools scores."""
    group = ability_groups(answers.ability, answers.weights, groups)
    w, p = answers.weights, answers.chance

    def total(values: Array) -> Array:
        return group_sums(group, values)

    subjects, right, expected = total(w), total(w * answers.right), total(w * p)
    columns = [subjects, w_ability := total(w * answers.ability), right, expected, total(w * p * (1.0 - p))]
    columns += [total(w * each) for each in answers.change.T]
    row = pool_cells(
        np.stack([subjects - right, right], axis=1)[None],
        np.stack([subjects - expected, expected], axis=1)[None],
        min_expected,
    )[0]
    pooled = np.stack([group_sums(row, column) for column in columns], axis=1)
    subjects, w_ability, right, expected, variance = pooled[:, :5].T
    return GroupCells(
        w_ability / subjects,
        np.stack([subjects - right, right], axis=1),
        np.stack([subjects - expected, expected], axis=1),
        variance,
        pooled[:, 5:],
    )


def rest_score_tests(
    fit: FitAt, curvature: Array, groups: int, min_expected: float, known: bool = False
) -> list[RestScoreTest]:
    """The test of every item.

    Given the other answers, an item's answer is right with a known probability, whatever is missing. Subjects are
    grouped by their posterior mean ability without the item; in G groups the differences d between right answers and
    expected ones have, parameters known, independent variances D = sum p (1 - p). Estimating the item's own parameters
    takes part of that away: V = D - H' (2 K - K I K) H with H the derivatives of the expected counts, I = sum
    h h' / (p (1 - p)) the information and K = (I - prior curvature)^-1. The null distribution of d' D^-1 d is that of
    a sum of chi-squares(1) weighted by the eigenvalues of D^-1/2 V D^-1/2 (Chernoff & Lehmann 1954), and a scaled
    chi-square with the same mean and variance (Satterthwaite 1946) gives p.

    Parameters
    ----------
    fit : FitAt
        Answers and the model at the estimates.
    curvature : ndarray, shape (J, S)
        Second derivatives of the slots' log-priors, 0 where there is no prior.
    groups : int
        How many groups before pooling.
    min_expected : float
        Smallest expected count left unpooled.
    known : bool
        Whether the parameters come from elsewhere: the null is then chi-square with a degree of freedom per group.

    Returns
    -------
    list of RestScoreTest
        One per item.
    """
    posterior = RestPosterior(fit)
    own = fit.layout.is_free & ~fit.layout.is_shared
    tests = []
    for j in range(fit.codes.shape[1]):
        answers, bends = posterior.item(j), curvature[j, own[j]]
        if known:
            answers, bends = replace(answers, change=answers.change[:, :0]), bends[:0]
        tests.append(_test(answers, bends, groups, min_expected))
    return tests


def _test(answers: RestAnswers, curvature: Array, groups: int, min_expected: float) -> RestScoreTest:
    """One item's test."""
    subjects = float(answers.weights.sum())
    right = float(answers.weights @ answers.right)
    if not 0.0 < right < subjects:
        return RestScoreTest(np.nan, np.nan, np.nan, 0, subjects, NO_VARIANCE)
    if np.isnan(answers.chance).any():
        return RestScoreTest(np.nan, np.nan, np.nan, 0, subjects, _IMPOSSIBLE)
    cells = rest_score_cells(answers, groups, min_expected)
    rows, own = cells.change.shape
    if rows <= max(own, 1):
        note = f"no degrees of freedom: {rows} groups after pooling, {own} free parameters"
        return RestScoreTest(np.nan, np.nan, np.nan, rows, subjects, note)
    gap = cells.observed[:, 1] - cells.expected[:, 1]
    shares = _null_weights(answers, cells, curvature)
    scale, df = float((shares**2).sum() / shares.sum()), float(shares.sum() ** 2 / (shares**2).sum())
    statistic = float((gap**2 / cells.variance).sum()) / scale
    return RestScoreTest(statistic, df, float(chdtrc(df, statistic)), rows, subjects, "")


def _null_weights(answers: RestAnswers, cells: GroupCells, curvature: Array) -> Array:
    """Weights of the chi-squares whose sum the statistic is under the null, shape (G,), none negative."""
    variance = answers.chance * (1.0 - answers.chance)
    each = np.divide(answers.weights, variance, out=np.zeros_like(variance), where=variance > 0.0)
    information = (answers.change * each[:, None]).T @ answers.change
    inverse = np.linalg.pinv(information - np.diag(curvature), hermitian=True)
    estimated = 2.0 * inverse - inverse @ information @ inverse
    unit = cells.change / np.sqrt(cells.variance)[:, None]
    return np.clip(np.linalg.eigvalsh(np.eye(len(unit)) - unit @ estimated @ unit.T), 0.0, None)
