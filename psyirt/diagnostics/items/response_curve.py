"""An item's empirical response curve beside the model's, in groups and smoothed, and how far it falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import expit, ndtri

from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.diagnostics.items.ability_cells import BINS, require_bins
from psyirt.diagnostics.items.ability_groups import ability_groups, group_sums
from psyirt.diagnostics.items.rest_posterior import RestAnswers, RestPosterior
from psyirt.diagnostics.items.rest_score_test import NO_VARIANCE, fit_at
from psyirt.diagnostics.items.smoothing import smooth_answers
from psyirt.errors import InputError
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

NAME = "the empirical curve"
_POINTS = 61
# beyond these shares of the subjects a curve is drawn by a handful of answers
_ENDS = (0.025, 0.975)
_LEVEL = 0.95
_FEWEST_ABILITIES = 4


@dataclass(frozen=True, eq=False)
class EmpiricalCurve(OwnsTables):
    """One item's observed and expected proportions correct along ability.

    Ability is each subject's posterior mean given the answers to all OTHER items: with the item itself, a right answer
    would raise the ability it is plotted against. Expected proportions are the model's predictions from those answers.

    Attributes
    ----------
    item : str
        Its name.
    bins : DataFrame
        Index bin (1 is the lowest); columns ability (mean), n, observed, lower, upper (Wilson's 95 % interval),
        expected.
    smooth : DataFrame
        Index ability, from the 2.5th to the 97.5th percentile; columns observed (penalised spline of the logit), lower,
        upper (pointwise 95 %), expected.
    non_monotonicity : float
        Root mean squared distance of the smooth curve, over the subjects between its ends, from the nearest curve that
        never falls: 0 where it never falls. NaN where there is no smooth curve.
    largest_drop : float
        The most the smooth curve falls from one ability to a higher one, in probability.
    notes : tuple of str
        What to know.
    """

    item: str
    bins: pd.DataFrame
    smooth: pd.DataFrame
    non_monotonicity: float
    largest_drop: float
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """The measures and the groups."""
        head = (
            f"{self.item}: non-monotonicity {self.non_monotonicity:.3f}, largest drop {self.largest_drop:.3f} "
            "(probability; 0 = the curve never falls)"
        )
        return "\n".join([head, *(f"note: {note}" for note in self.notes), "", self.bins.round(3).to_string()])


@one_blas_thread()
def empirical_curve(calibration: Calibration, item: str, *, bins: int = BINS) -> EmpiricalCurve:
    """The empirical response curve of one item, beside the model's.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses; missing responses are allowed.
    item : str
        Its name.
    bins : int
        Groups of nearly equal size, 3 or more; subjects of equal ability stay together.

    Returns
    -------
    EmpiricalCurve

    Raises
    ------
    InputError
        If the item is unknown or `bins` is no number of groups.
    NotAvailableError
        If the calibration has no responses.

    Examples
    --------
    >>> import psyirt
    >>> study = psyirt.simulate_responses(subjects=800, items=15, seed=1)
    >>> curve = psyirt.empirical_curve(psyirt.fit_mml(study.responses), "i1")
    >>> curve.bins.columns.tolist()
    ['ability', 'n', 'observed', 'lower', 'upper', 'expected']
    >>> curve.largest_drop < 0.1
    True
    """
    require_bins(bins, NAME)
    fitted_data(calibration, NAME)
    if item not in calibration.item_names:
        raise InputError(f"no item {item!r}", NAME, "Check the item names")
    answers = RestPosterior(fit_at(calibration)).item(calibration.item_names.index(item))
    smooth, non_monotonicity, drop, note = _smooth(answers)
    return EmpiricalCurve(item, _bins(answers, bins), smooth, non_monotonicity, drop, (note,) if note else ())


def _bins(answers: RestAnswers, bins: int) -> pd.DataFrame:
    """Proportions in groups."""
    if not len(answers.weights):
        return _empty("bin", ["ability", "n", "observed", "lower", "upper", "expected"])
    group = ability_groups(answers.ability, answers.weights, bins)
    n, ability, right, expected = (
        group_sums(group, answers.weights * each)
        for each in (np.ones_like(answers.weights), answers.ability, answers.right, answers.chance)
    )
    lower, upper = _wilson(right / n, n)
    columns = {"ability": ability / n, "n": n, "observed": right / n, "lower": lower, "upper": upper}
    return pd.DataFrame(columns | {"expected": expected / n}, index=pd.RangeIndex(1, len(n) + 1, name="bin"))


def _wilson(share: Array, n: Array) -> tuple[Array, Array]:
    """Wilson's (1927) interval of a proportion."""
    z = float(ndtri(0.5 + _LEVEL / 2.0))
    centre = (share + z**2 / (2.0 * n)) / (1.0 + z**2 / n)
    half = z / (1.0 + z**2 / n) * np.sqrt(share * (1.0 - share) / n + (z / (2.0 * n)) ** 2)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def _smooth(answers: RestAnswers) -> tuple[pd.DataFrame, float, float, str]:
    """The smooth curve, its two measures, and a note where there is none."""
    none = _empty("ability", ["observed", "lower", "upper", "expected"])
    if len(np.unique(answers.right)) < 2:
        return none, np.nan, np.nan, f"not smoothed: {NO_VARIANCE}"
    if len(np.unique(answers.ability.round(6))) < _FEWEST_ABILITIES:
        return none, np.nan, np.nan, "not smoothed: too few different abilities"
    curve = smooth_answers(answers.ability, answers.right, answers.weights)
    order = np.argsort(answers.ability, kind="stable")
    share = np.cumsum(answers.weights[order]) / answers.weights.sum()
    ends = answers.ability[order][np.minimum(np.searchsorted(share, _ENDS), len(share) - 1)]
    grid = np.linspace(ends[0], ends[1], _POINTS)
    logits, error = curve.at(grid)
    half = float(ndtri(0.5 + _LEVEL / 2.0)) * error
    observed = expit(logits)
    frame = pd.DataFrame(
        {
            "observed": observed,
            "lower": expit(logits - half),
            "upper": expit(logits + half),
            "expected": _expected(answers, grid),
        },
        index=pd.Index(grid, name="ability"),
    )
    density = np.histogram(answers.ability, bins=_edges(grid), weights=answers.weights)[0]
    monotone = isotonic_regression(observed, weights=np.maximum(density, 1e-9)).x
    distance = float(np.sqrt(np.average((observed - monotone) ** 2, weights=np.maximum(density, 1e-9))))
    drop = float((np.maximum.accumulate(observed) - observed).max())
    return frame, distance, drop, ""


def _expected(answers: RestAnswers, grid: Array) -> Array:
    """The model's predictions along ability: they depend on the whole posterior, nearly on its mean alone."""
    order = np.argsort(answers.ability, kind="stable")
    ability, first = np.unique(answers.ability[order], return_index=True)
    weight = np.add.reduceat(answers.weights[order], first)
    chance = np.add.reduceat((answers.weights * answers.chance)[order], first) / weight
    return np.interp(grid, ability, chance)


def _edges(grid: Array) -> Array:
    """Borders of the cells around equally spaced points."""
    half = (grid[1] - grid[0]) / 2.0
    return np.append(grid - half, grid[-1] + half)


def _empty(index: str, columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(columns=columns, index=pd.Index([], name=index), dtype=float)
