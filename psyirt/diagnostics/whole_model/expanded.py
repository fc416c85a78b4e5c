"""Each subject's own row of responses, and fits repeated on other rows: what resampling starts from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.errors import NotAvailableError
from psyirt.estimation.problem import Problem
from psyirt.estimation.refit import Refitter
from psyirt.models.base import Array
from psyirt.results.calibration import Calibration

Codes = NDArray[np.int8]


def subject_rows(patterns: PatternSource, place: str) -> Codes:
    """One row for each subject, shape (N, J): a row of weight 3 comes three times.

    Raises
    ------
    NotAvailableError
        If weights are not whole numbers, so that they do not count subjects.
    """
    counts = np.rint(patterns.weights)
    if not np.allclose(counts, patterns.weights, rtol=0.0, atol=1e-9):
        raise NotAvailableError(
            "the weights are not whole numbers, so they do not count subjects", place, "Fit without weights"
        )
    return np.repeat(patterns.codes, counts.astype(np.intp), axis=0)


def packed(rows: Codes) -> PatternSource:
    """Rows of responses as patterns."""
    return collapse(Responses.from_array(rows))


def problem_of(calibration: Calibration, patterns: PatternSource) -> Problem:
    """What was maximised, on other responses."""
    parts = calibration.model, calibration.layout, calibration.priors, calibration.grid, calibration.population
    return Problem(patterns, *parts)


def refitted(calibration: Calibration, patterns: PatternSource, start: Array | None = None) -> tuple[Array, bool]:
    """Estimates from other responses, and whether there are any; parameters that were given stay."""
    if calibration.refit is None:
        return calibration.x, True
    refit = calibration.refit
    if start is not None and isinstance(refit, Refitter):
        refit = replace(refit, x=start)
    return refit(patterns)
