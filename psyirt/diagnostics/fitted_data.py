"""What a diagnostic needs of a calibration: response patterns and probabilities at the nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FittedData:
    """A calibration's patterns and probabilities.

    Attributes
    ----------
    patterns : PatternSource
        R distinct patterns over J items, with frequency weights.
    correct, wrong : ndarray, shape (J, Q)
        Probabilities at the nodes.
    weights : ndarray, shape (Q,)
        Population weights of the nodes.
    """

    patterns: PatternSource
    correct: Array
    wrong: Array
    weights: Array


def fitted_data(calibration: Calibration, statistic: str) -> FittedData:
    """The patterns and probabilities of a calibration.

    Raises
    ------
    InputError
        If it is no calibration.
    NotAvailableError
        If it was fixed without responses, or its weights do not count subjects, so that nothing has a chi-square
        distribution.
    """
    patterns = require_fitted(calibration, statistic)
    require_counts(calibration, statistic)
    probabilities = np.exp(calibration.table)
    return FittedData(
        patterns,
        np.ascontiguousarray(probabilities[:, 1]),
        np.ascontiguousarray(probabilities[:, 0]),
        np.exp(calibration.log_weights),
    )


def require_counts(calibration: Calibration, statistic: str) -> None:
    """Refuse a calibration whose weights do not count subjects: no statistic of it is chi-square then."""
    if calibration.why_no_chi_square:
        raise NotAvailableError(
            f"{calibration.why_no_chi_square}: no chi-square distribution",
            statistic,
            "Fit without weights, or with how often each pattern was seen",
        )


def require_fitted(calibration: Calibration, statistic: str) -> PatternSource:
    """The patterns of a calibration; refuse what is none, or has no responses."""
    require(calibration, Calibration, "the calibration", statistic, "Fit one with fit_mml, or use fix with responses")
    if calibration.patterns is None:
        raise NotAvailableError(
            f"no responses for {statistic}", "parameters were fixed without data", "Give responses to psyirt.fix"
        )
    return calibration.patterns


def require_responses(responses: object, statistic: str) -> None:
    """Refuse what is no source of graded responses: a bare array could hold labels, or codes of its own."""
    if not all(hasattr(responses, part) for part in ("blocks", "item_names", "shape")):
        raise InputError(f"responses is a {type(responses).__name__}", statistic, "Use Responses.from_frame")
