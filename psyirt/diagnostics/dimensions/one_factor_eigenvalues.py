"""What the second eigenvalue of the tetrachoric matrix would be if one ability were all there is."""

from __future__ import annotations

import numpy as np

from psyirt.data.any_responses import as_table
from psyirt.data.responses import MISSING, Responses
from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.errors import NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.models.base import Array
from psyirt.results.calibration import Calibration
from psyirt.simulation.graded import draw_outcomes
from psyirt.simulation.streams import streams, whole


def one_factor_eigenvalues(
    calibration: Calibration, draws: int = 99, *, seed: int, correction: float = 0.0, progress: Progress = silent
) -> Array:
    """Second eigenvalues of tetrachoric matrices simulated from a one-dimensional calibration.

    A tetrachoric matrix of few or easy items is noisy, and its second eigenvalue is large even when one ability is all
    there is. Comparing the observed one with these is modified parallel analysis (Drasgow & Lissak 1983).

    Parameters
    ----------
    calibration : Calibration
        A fit of one ability, with its responses: the simulated crowds have its size and its missing responses.
    draws : int
        Simulated crowds, at least 1.
    seed : int
        0 or above. Every crowd has a random stream of its own, spawned from this seed, so that crowds of
        neighbouring seeds have nothing in common; the first crowds are the same whatever their number.
    correction : float
        As the observed matrix was made, see ``psyirt.tetrachoric``.
    progress : callable
        Receives an event per crowd.

    Returns
    -------
    ndarray, shape (draws,)
        Second eigenvalues; NaN where a simulated crowd was too small for a matrix.

    Raises
    ------
    InputError
        If `draws` or `seed` is out of range.
    NotAvailableError
        If the calibration has no responses.
    """
    require(calibration, Calibration, "the calibration", "one_factor_eigenvalues", "Fit one with fit_mml")
    responses = calibration.responses
    if responses is None:
        raise NotAvailableError("no responses", "one_factor_eigenvalues", "Fit, or give responses to psyirt.fix")
    responses = as_table(responses, "one_factor_eigenvalues")
    found = np.empty(whole(draws, "draws", 1))
    population, missing = calibration.population, responses.codes == MISSING
    for k, rng in enumerate(streams(seed, len(found))):
        theta = population.draw(responses.shape[0], rng)
        codes = draw_outcomes(calibration.item_parameters, theta, rng)
        codes[missing] = MISSING
        simulated = Responses(codes, responses.subject_names, responses.item_names)
        roots = tetrachoric(simulated, correction).eigenvalues["eigenvalue"].to_numpy()
        found[k] = roots[1] if len(roots) > 1 else np.nan
        progress(ProgressEvent("one-ability crowds", k + 1, len(found)))
    return found
