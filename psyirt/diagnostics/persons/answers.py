"""Subjects' answers beside what the model expects of them at their estimated abilities: what person fit is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.diagnostics.fitted_data import require_responses
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.scoring.problem import ScoringProblem, match_items, require_one_dimension

Array = NDArray[np.float64]

# subjects x items worked on at once
_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class Subjects:
    """Subjects' answers, and what they are judged by.

    Attributes
    ----------
    names : tuple of str
        N subjects.
    patterns : PatternSource
        R distinct patterns over J items, with frequency weights and each subject's pattern.
    parameters : ItemParameters or None
        The J items; None where there are responses alone.
    population, grid
        For EAP and MAP; None where there are responses alone.
    """

    names: tuple[str, ...]
    patterns: PatternSource
    parameters: ItemParameters | None = None
    population: Population | None = None
    grid: Grid | None = None

    @cached_property
    def answered(self) -> NDArray[np.intp]:
        """Number of answers in each pattern, shape (R,)."""
        return np.count_nonzero(self.patterns.codes >= 0, axis=1)

    @cached_property
    def right(self) -> NDArray[np.intp]:
        """Number of right answers in each pattern, shape (R,)."""
        return np.count_nonzero(self.patterns.codes == 1, axis=1)


@dataclass(frozen=True, eq=False)
class Answers:
    """Some patterns beside the model's probabilities at their abilities; every array has shape (rows, J).

    Attributes
    ----------
    seen : ndarray of bool
        Whether the item was answered; the other arrays are 0 where it was not.
    residual : ndarray
        Answer minus probability of a right one.
    variance : ndarray
        P (1 - P).
    log_odds : ndarray
        log P - log(1 - P).
    slope : ndarray
        P' / (P (1 - P)): the item's part in the derivative of the log-likelihood is residual * slope.
    skew : ndarray
        1 - 2P.
    """

    seen: NDArray[np.bool_]
    residual: Array
    variance: Array
    log_odds: Array
    slope: Array
    skew: Array


def subjects_of(source: Any, responses: Responses | None, statistic: str) -> Subjects:
    """What a person-fit statistic judges: the subjects of a calibration, or others on a measure, or responses alone.

    Raises
    ------
    InputError
        If `source` is none of these, or responses are given twice or not at all.
    NotAvailableError
        If a calibration was fixed without responses and none are given.
    """
    if isinstance(source, Calibration) and responses is None:
        return _fitted(source, statistic)
    if all(hasattr(source, part) for part in ("item_parameters", "population", "grid")):
        if responses is None:
            raise InputError("no responses", statistic, "Give the subjects' answers: responses=...")
        require(responses, Responses, "responses", statistic, "Use Responses.from_frame or read_responses")
        parameters, matched = match_items(source.item_parameters, responses)
        return Subjects(matched.subject_names, collapse(matched), parameters, source.population, source.grid)
    require_responses(source, statistic)
    if responses is not None:
        raise InputError("responses are given twice", statistic, "Give a calibration or a scale with responses=")
    return Subjects(source.subject_names, collapse(source))


def _fitted(calibration: Calibration, statistic: str) -> Subjects:
    """The subjects a calibration was fitted to."""
    if calibration.responses is None or calibration.patterns is None:
        raise NotAvailableError(
            f"no responses, so no {statistic}",
            "parameters were fixed without data",
            "Give responses to psyirt.fix, or name the subjects' answers: responses=...",
        )
    return Subjects(
        calibration.responses.subject_names,
        calibration.patterns,
        calibration.item_parameters,
        calibration.population,
        calibration.grid,
    )


def scoring_problem(subjects: Subjects, statistic: str) -> ScoringProblem:
    """The patterns with what they are scored with.

    Raises
    ------
    InputError
        If there are no item parameters, or they are of several abilities.
    """
    if subjects.parameters is None or subjects.population is None or subjects.grid is None:
        raise InputError(
            f"{statistic} needs item parameters",
            "responses alone",
            "Give a calibration or a scale with responses=; person_fit(responses, 'Guttman') needs none",
        )
    require_one_dimension(subjects.parameters)
    return ScoringProblem(subjects.patterns, subjects.parameters, subjects.population, subjects.grid)


def answers_at(
    problem: ScoringProblem, theta: Array, rows: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], Answers]]:
    """Patterns beside the model at their abilities, a block at a time.

    Parameters
    ----------
    problem : ScoringProblem
        R patterns and their items.
    theta : ndarray, shape (R,)
        Abilities, finite in `rows`.
    rows : ndarray of int
        Which patterns.

    Yields
    ------
    tuple of (ndarray of int, Answers)
        Rows of a block, and what they hold.
    """
    parameters = problem.parameters
    model, values = parameters.model, parameters.values
    step = max(1, _CELLS // max(len(parameters), 1))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        codes, points = problem.patterns.take(part).codes, theta[part, None]
        log_wrong, log_right = np.moveaxis(model.log_probabilities(values, points), 1, 0).transpose(0, 2, 1)
        first, _ = model.ability_derivatives(values, points)
        right, wrong = np.exp(log_right), np.exp(log_wrong)
        seen = codes >= 0
        yield (
            part,
            Answers(
                seen,
                np.where(seen, np.where(codes == 1, wrong, -right), 0.0),
                np.where(seen, right * wrong, 0.0),
                np.where(seen, log_right - log_wrong, 0.0),
                np.where(seen, (first[:, 1] - first[:, 0]).T, 0.0),
                np.where(seen, wrong - right, 0.0),
            ),
        )
