"""M2 of a calibration: from responses to the quadratic form, its degrees of freedom and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psyirt.diagnostics.fitted_data import FittedData
from psyirt.diagnostics.whole_model.fit_indices import ChiSquare, comparative, pair_correlations, rmsea
from psyirt.diagnostics.whole_model.item_moments import (
    AnswerSets,
    ExpectedItems,
    Moments,
    answer_sets,
    expected_items,
    observed_moments,
)
from psyirt.diagnostics.whole_model.missing_at_random import random_missing
from psyirt.diagnostics.whole_model.moment_covariance import MomentCovariance
from psyirt.diagnostics.whole_model.moment_slopes import moment_slopes
from psyirt.diagnostics.whole_model.residual_form import residual_form
from psyirt.errors import EstimationError, InputError
from psyirt.results.calibration import Calibration

_NAN = float("nan")
_FEWEST_ITEMS = 3
# numbers of 8 bytes: for each moment vectors of the iteration and sparse derivatives, and squares of parameters
_PER_MOMENT, _PER_SQUARE = 60, 4
MOST_BYTES = 4e9
# level at which responses count as not missing completely at random
_MISSING_LEVEL = 0.01


@dataclass(frozen=True)
class FormAndIndices:
    """Outcome of :func:`form_and_indices`.

    Attributes
    ----------
    test : ChiSquare or None
        M2.
    null : ChiSquare or None
        M2 of independent items.
    rmsea : tuple of three floats
        With its 90 % interval.
    indices : tuple of three floats
        SRMSR, CFI, TLI.
    notes : tuple of str
        What is not available, and why.
    """

    test: ChiSquare | None = None
    null: ChiSquare | None = None
    rmsea: tuple[float, float, float] = (_NAN, _NAN, _NAN)
    indices: tuple[float, float, float] = (_NAN, _NAN, _NAN)
    notes: tuple[str, ...] = ()


def form_and_indices(calibration: Calibration, data: FittedData) -> FormAndIndices:
    """M2 and its indices, as far as there are any.

    Parameters
    ----------
    calibration : Calibration
        With responses.
    data : FittedData
        Its patterns and probabilities.

    Returns
    -------
    FormAndIndices

    Raises
    ------
    InputError
        If memory does not suffice.
    """
    items = len(calibration.item_names)
    if items < _FEWEST_ITEMS:
        return FormAndIndices(notes=(f"M2: not available, {items} items carry no test of a model; give 3 or more",))
    require_memory(items, calibration.n_parameters)
    expected, sets = expected_items(data), answer_sets(data.patterns)
    notes: list[str] = []
    if not data.patterns.is_complete:
        random = random_missing(data.patterns, expected, calibration.item_names)
        if random.p < _MISSING_LEVEL:
            why = f"not missing completely at random ({random.finding}, adjusted p {random.p:.2g})"
            return FormAndIndices(notes=(f"M2, SRMSR, CFI, TLI: not valid, responses are {why}",))
        notes.append(
            "responses are missing: moments are over those who answered, which presumes that responses are missing "
            f"completely at random (no test against it: adjusted p {random.p:.2g}); RMSEA counts all subjects"
        )
    moments = observed_moments(data.patterns, expected, sets)
    unseen = items * (items + 1) // 2 - len(moments)
    if unseen:
        notes.append(f"{unseen} moments are left out: nobody answered the item or the pair")
    test, more = _m2(calibration, expected, sets, moments)
    return _with_indices(data, expected, sets, moments, test, (*notes, *more))


def require_memory(items: int, parameters: int) -> None:
    """Refuse what would take more memory than a few gigabytes."""
    need = 8.0 * (_PER_MOMENT * items * (items + 1) / 2 + _PER_SQUARE * parameters**2)
    if need > MOST_BYTES:
        raise InputError(
            f"{items} items with {parameters} parameters need {need / 1e9:.1f} GB and may take {MOST_BYTES / 1e9:.0f}",
            "model_fit",
            "Fit a sample of the items",
        )


def _m2(
    calibration: Calibration, expected: ExpectedItems, sets: AnswerSets, moments: Moments
) -> tuple[ChiSquare | None, tuple[str, ...]]:
    """The quadratic form, None without degrees of freedom; with notes."""
    from scipy.sparse import diags_array

    size = calibration.n_parameters
    if len(moments) <= size:
        return None, (f"M2: not available, {len(moments)} moments and {size} parameters leave no degrees of freedom",)
    covariance = MomentCovariance(expected, sets, moments)
    if not np.all(covariance.variances > 0.0):
        return None, ("M2: not available, an item is answered with certainty under the model",)
    roots = np.sqrt(moments.counts)
    slopes = diags_array(roots) @ moment_slopes(calibration, expected, moments)
    try:
        form = residual_form(roots * moments.residuals, covariance, slopes)
    except EstimationError as error:
        return None, (f"M2: not available, {error}",)
    lost = size - form.rank
    notes = (f"the moments do not tell {lost} of the parameters: df counts the others",) if lost else ()
    return ChiSquare(form.value, len(moments) - form.rank), notes


def _with_indices(
    data: FittedData,
    expected: ExpectedItems,
    sets: AnswerSets,
    moments: Moments,
    test: ChiSquare | None,
    notes: tuple[str, ...],
) -> FormAndIndices:
    """Add RMSEA, SRMSR, CFI and TLI."""
    sizes = (_NAN, _NAN, _NAN) if test is None else rmsea(test, data.patterns.total)
    pairs = pair_correlations(data.patterns, expected, sets, moments)
    if not (np.isfinite(pairs.observed) & np.isfinite(pairs.expected)).all() or not len(pairs.counts):
        said = "SRMSR, CFI, TLI: not available, an item does not vary, or no pair was answered"
        return FormAndIndices(test, None, sizes, notes=(*notes, said))
    null = pairs.independence
    cfi, tli = (_NAN, _NAN) if test is None else comparative(test, null)
    return FormAndIndices(test, null, sizes, (pairs.srmsr, cfi, tli), notes)
