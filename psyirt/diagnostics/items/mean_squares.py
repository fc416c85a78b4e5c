"""Squared standardised residuals of each item: the two mean squares and how much they vary (Wright & Masters 1982)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.diagnostics.items.placed_subjects import PlacedSubjects, answers_of, item_frame, log_chances
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

TESTS = "H0: the item's answers scatter about the model's as much as the model says (mean square 1)"
NO_NULL = (
    "no p-value: z is standard normal where abilities are known, not where they are estimated from the same answers; "
    "compare items with each other"
)


@dataclass(frozen=True)
class MeanSquares:
    """Of one item.

    Attributes
    ----------
    outfit, infit : float
        Mean squared standardised residual; the same weighted with the variances p (1 - p).
    outfit_sd, infit_sd : float
        Their standard deviations, abilities known.
    subjects : float
        Weight of those who answered.
    """

    outfit: float
    infit: float
    outfit_sd: float
    infit_sd: float
    subjects: float


def mean_squares(calibration: Calibration, placed: PlacedSubjects, min_variance: float) -> list[MeanSquares]:
    """Mean squares of every item at given abilities.

    With p the probability of the answer's being right and W = p (1 - p): outfit = mean of (y - p)^2 / W, infit = sum
    of (y - p)^2 / sum of W; their variances follow from the fourth moment C = p (1 - p)^4 + (1 - p) p^4.

    Parameters
    ----------
    calibration : Calibration
        The model.
    placed : PlacedSubjects
        Answers and abilities.
    min_variance : float
        Smallest W used, 0 for W as it is.

    Returns
    -------
    list of MeanSquares
        One per item; NaN for an item nobody answered.
    """
    out = []
    for j, (seen, weights, right) in enumerate(answers_of(placed)):
        wrong, correct = np.exp(log_chances(calibration, j, placed.ability[seen]))
        out.append(_of_item(weights, np.where(right > 0, wrong, correct), wrong, correct, min_variance))
    return out


def _of_item(weights: Array, residual: Array, wrong: Array, correct: Array, min_variance: float) -> MeanSquares:
    """From absolute residuals, and both probabilities as they are (1 - p would lose the digits of a small one)."""
    subjects = float(weights.sum())
    variance = np.maximum(wrong * correct, min_variance)
    fourth = correct * wrong**4 + wrong * correct**4
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        outfit = float(weights @ (residual**2 / variance)) / subjects
        infit = float(weights @ residual**2 / (weights @ variance))
        outfit_variance = float(weights @ (fourth / variance**2)) / subjects**2 - 1.0 / subjects
        infit_variance = float(weights @ (fourth - variance**2) / (weights @ variance) ** 2)
        return MeanSquares(outfit, infit, np.sqrt(outfit_variance), np.sqrt(infit_variance), subjects)


def wilson_hilferty(mean_square: Array, sd: Array) -> Array:
    """z of mean squares: (cube root - 1) 3 / sd + sd / 3 (Wilson & Hilferty 1931); NaN where sd is not positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sd > 0.0, (np.cbrt(mean_square) - 1.0) * (3.0 / sd) + sd / 3.0, np.nan)


def mean_square_rows(
    calibration: Calibration, values: Array, sd: Array, subjects: Array, varies: NDArray[np.bool_]
) -> pd.DataFrame:
    """Statistic, z, n and note of every item."""
    z = wilson_hilferty(values, sd)
    notes = [""] * len(values)
    for j in range(len(values)):
        if not varies[j]:
            notes[j] = "no variance: all responses are alike"
        elif not (np.isfinite(values[j]) and np.isfinite(z[j])):
            notes[j] = "not valid: the model leaves some answers no doubt"
    valid = np.array([note == "" for note in notes])
    columns = {"statistic": np.where(valid, values, np.nan), "z": np.where(valid, z, np.nan), "n": subjects}
    return item_frame(calibration, columns, notes)


def varying(placed: PlacedSubjects) -> NDArray[np.bool_]:
    """Which items have wrong and correct answers, shape (J,)."""
    return np.asarray((placed.codes == 1).any(axis=0) & (placed.codes == 0).any(axis=0))


def require_variance(min_variance: float, statistic: str) -> None:
    """Refuse what is no smallest variance of a yes or no."""
    require(min_variance, Real, "min_variance", statistic, "Give a number from 0 to below 0.25")
    if not 0.0 <= min_variance < 0.25:
        raise InputError(f"min_variance is {min_variance}", statistic, "Give a number from 0 to below 0.25")
