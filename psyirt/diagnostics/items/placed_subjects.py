"""Answers beside point estimates of ability: what statistics at estimated abilities are made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.results.calibration import Calibration
from psyirt.scoring.abilities import METHODS
from psyirt.scoring.problem import ScoringProblem

Array = NDArray[np.float64]

# how far beyond the most extreme finite estimate an infinite one is put, as R's mirt does
_BEYOND = 0.1


@dataclass(frozen=True, eq=False)
class PlacedSubjects:
    """Patterns with an estimate of ability.

    Attributes
    ----------
    codes : ndarray of int8, shape (R, J)
        1, 0, -1 missing.
    weights : ndarray, shape (R,)
        Pattern weights.
    ability : ndarray, shape (R,)
        Finite estimates.
    notes : tuple of str
        Who has no estimate, or none that is finite.
    """

    codes: NDArray[np.int8]
    weights: Array
    ability: Array
    notes: tuple[str, ...]


def place_subjects(calibration: Calibration, scoring: str, statistic: str) -> PlacedSubjects:
    """Estimates of ability for the fitted patterns.

    Infinite estimates (ML, all right or all wrong) are put 0.1 beyond the most extreme finite one; patterns without an
    estimate are left out; a note counts either.

    Parameters
    ----------
    calibration : Calibration
        With responses.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        See ``psyirt.score``.
    statistic : str
        Who asks, for messages.

    Returns
    -------
    PlacedSubjects

    Raises
    ------
    InputError
        If the scoring method is unknown.
    NotAvailableError
        If the calibration has no responses.
    """
    solve = METHODS[scoring]
    patterns = fitted_data(calibration, statistic).patterns
    problem = ScoringProblem(patterns, calibration.item_parameters, calibration.population, calibration.grid)
    ability, _ = solve(problem)
    finite, nothing = np.isfinite(ability), np.isnan(ability)
    notes = []
    if nothing.any():
        notes.append(f"{patterns.weights[nothing].sum():g} subjects without an {scoring} estimate are left out")
    if np.isinf(ability).any():
        count = f"{patterns.weights[np.isinf(ability)].sum():g}"
        notes.append(f"{count} infinite {scoring} estimates are put {_BEYOND:g} beyond the most extreme finite one")
    ends = ability[finite] if finite.any() else np.zeros(1)
    ability = np.clip(ability, ends.min() - _BEYOND, ends.max() + _BEYOND)
    kept = ~nothing
    return PlacedSubjects(patterns.codes[kept], patterns.weights[kept], ability[kept], tuple(notes))


def answers_of(placed: PlacedSubjects) -> Iterator[tuple[NDArray[np.bool_], Array, Array]]:
    """Of each item: who answered it (R,), and their weights and answers (1 or 0)."""
    for j in range(placed.codes.shape[1]):
        column = placed.codes[:, j]
        seen = column >= 0
        yield seen, placed.weights[seen], (column[seen] == 1).astype(float)


def log_chances(calibration: Calibration, item: int, ability: Array) -> Array:
    """Log-probabilities of a wrong and of a correct answer to one item, shape (2, R)."""
    values = calibration.item_parameters.values[item : item + 1]
    return np.asarray(calibration.model.log_probabilities(values, ability[:, None])[0])


def item_frame(calibration: Calibration, columns: dict[str, Array], notes: list[str]) -> pd.DataFrame:
    """A row per item."""
    return pd.DataFrame(columns, index=pd.Index(calibration.item_names, name="item")).assign(note=notes)
