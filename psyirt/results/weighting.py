"""What subjects' weights mean, and what therefore cannot be said of a fit."""

from __future__ import annotations

from typing import Literal

import numpy as np

from psyirt.data.pattern_source import PatternSource

WeightsKind = Literal["frequency", "sampling"]
SAMPLING: WeightsKind = "sampling"


def count_subjects(patterns: PatternSource) -> bool:
    """Whether every pattern's weight is a whole number, so that it says how many subjects gave these answers."""
    return bool(np.array_equal(patterns.weights, np.rint(patterns.weights)))


def why_no_chi_square(patterns: PatternSource, kind: WeightsKind) -> str:
    """Why statistics that compare counts, or log-likelihoods, have no chi-square distribution; empty where they have.

    Parameters
    ----------
    patterns : PatternSource
        The responses.
    kind : {"frequency", "sampling"}
        What the weights are.

    Returns
    -------
    str
    """
    if kind == SAMPLING:
        return "the weights are sampling weights, and nobody was observed as often as they say"
    return "" if count_subjects(patterns) else "the weights are not whole numbers, so they do not count subjects"


def weights_notes(patterns: PatternSource, kind: WeightsKind, has_priors: bool) -> tuple[str, ...]:
    """What a reader of a weighted fit should know.

    Parameters
    ----------
    patterns, kind
        See :func:`why_no_chi_square`.
    has_priors : bool
        Whether there are priors: the scale of the weights matters then.

    Returns
    -------
    tuple of str
    """
    notes = []
    if kind == SAMPLING:
        notes.append(
            "sampling weights: standard errors are the sandwich's; the log-likelihood is a pseudo-log-likelihood, so "
            "AIC, BIC, SABIC, likelihood ratios and chi-square tests are not available"
        )
        if has_priors:
            total = f"{patterns.total:.6g}"
            notes.append(f"sampling weights with priors: the data count as {total} subjects, the sum of the weights")
    elif not count_subjects(patterns):
        notes.append(
            f"frequency weights that are not whole numbers: their sum, {patterns.total:.6g}, is taken as the number of "
            "subjects; chi-square tests and the bootstrap are not available"
        )
    return tuple(notes)
