"""Observed and expected answers in groups by estimated ability: the cells of X2, G2 and PV-Q1."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from psyirt.diagnostics.items.ability_groups import ability_groups, group_sums
from psyirt.diagnostics.items.placed_subjects import PlacedSubjects, answers_of, log_chances
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

# Yen (1981), Bock (1972)
BINS = 10


@dataclass(frozen=True, eq=False)
class AbilityCells:
    """One item's counts in G groups, lowest abilities first.

    Attributes
    ----------
    observed, expected : ndarray, shape (G, 2)
        Subjects with a wrong and with a correct answer; expected at the mean ability of the group's subjects.
    """

    observed: Array
    expected: Array

    @property
    def subjects(self) -> float:
        """Weight of all who answered."""
        return float(self.observed.sum())

    @property
    def varies(self) -> bool:
        """Whether there are wrong and correct answers."""
        return bool(np.all(self.observed.sum(axis=0) > 0.0))

    @property
    def mixed(self) -> int:
        """Groups with wrong and correct answers."""
        return int(np.all(self.observed > 0.0, axis=1).sum())

    def pearson(self) -> float:
        """Sum of (observed - expected)^2 / expected."""
        gap = (self.observed - self.expected) ** 2
        # a slope that runs away leaves cells in which nobody is expected, nor seen
        with np.errstate(divide="ignore"):
            return float(np.divide(gap, self.expected, out=np.zeros_like(gap), where=gap > 0.0).sum())

    def deviance(self) -> float:
        """2 sum of observed log(observed / expected), nothing for an empty cell."""
        with np.errstate(divide="ignore"):
            ratio = np.divide(self.observed, self.expected, out=np.ones_like(self.observed), where=self.observed > 0.0)
        return float(2.0 * xlogy(self.observed, ratio).sum())


def ability_cells(calibration: Calibration, placed: PlacedSubjects, bins: int) -> list[AbilityCells]:
    """The cells of every item; groups are formed once, over all subjects.

    Parameters
    ----------
    calibration : Calibration
        The model.
    placed : PlacedSubjects
        Answers and abilities.
    bins : int
        How many groups of nearly equal size; subjects of equal ability stay together.

    Returns
    -------
    list of AbilityCells
        One per item, without the groups in which nobody answered it.
    """
    group = ability_groups(placed.ability, placed.weights, bins) if len(placed.ability) else np.zeros(0, np.int64)
    return [
        _cells(calibration, j, group[seen], placed.ability[seen], weights, right)
        for j, (seen, weights, right) in enumerate(answers_of(placed))
    ]


def _cells(
    calibration: Calibration, item: int, group: NDArray[np.int64], ability: Array, weights: Array, right: Array
) -> AbilityCells:
    """One item's cells."""
    subjects = group_sums(group, weights)
    some = subjects > 0.0
    subjects = subjects[some]
    centre = group_sums(group, weights * ability)[some] / subjects
    correct = group_sums(group, weights * right)[some]
    chances = np.exp(log_chances(calibration, item, centre))
    return AbilityCells(np.stack([subjects - correct, correct], axis=1), (subjects * chances).T)


def require_bins(bins: int, statistic: str) -> None:
    """Refuse what is no number of groups."""
    require(bins, Integral, "bins", statistic, "Give a whole number, 3 or more")
    if bins < 3:
        raise InputError(f"bins is {bins}", statistic, "Give 3 or more")


def chi_square_rmsea(statistic: Array, df: Array, subjects: Array) -> Array:
    """sqrt((statistic / df - 1) / (N - 1)), 0 where negative (Steiger 1990); NaN where there is no statistic."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.maximum(statistic / df - 1.0, 0.0) / (subjects - 1.0))
