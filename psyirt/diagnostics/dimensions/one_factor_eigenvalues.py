"""What the second eigenvalue of the tetrachoric matrix would be if one ability were all there is."""

from __future__ import annotations

import numpy as np

from psyirt.data.responses import MISSING, Responses
from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.errors import NotAvailableError
from psyirt.models.base import Array
from psyirt.results.calibration import Calibration
from psyirt.simulation import simulate_responses


def one_factor_eigenvalues(calibration: Calibration, draws: int = 99, *, seed: int) -> Array:
    """Second eigenvalues of tetrachoric matrices simulated from a one-dimensional calibration.

    A tetrachoric matrix of few or easy items is noisy, and its second eigenvalue is large even when one ability is all
    there is. Comparing the observed one with these is modified parallel analysis (Drasgow & Lissak 1983).

    Parameters
    ----------
    calibration : Calibration
        A fit of one ability, with its responses: the simulated crowds have its size and its missing responses.
    draws : int
        Simulated crowds.
    seed : int
        Seed of the first; each further one adds 1.

    Returns
    -------
    ndarray, shape (draws,)
        Second eigenvalues; NaN where a simulated crowd was too small for a matrix.

    Raises
    ------
    NotAvailableError
        If the calibration has no responses.
    """
    responses = calibration.responses
    if responses is None:
        raise NotAvailableError("no responses", "one_factor_eigenvalues", "Fit, or give responses to psyirt.fix")
    found = np.empty(draws)
    for k in range(draws):
        theta = np.random.default_rng([seed, k]).normal(0.0, calibration.population.sd, responses.shape[0])
        drawn = simulate_responses(items=calibration.item_parameters, theta=theta, seed=seed + k).responses
        codes = np.where(responses.codes == MISSING, MISSING, drawn.codes).astype(np.int8)
        simulated = Responses(codes, responses.subject_names, responses.item_names)
        roots = tetrachoric(simulated).eigenvalues["eigenvalue"].to_numpy()
        found[k] = roots[1] if len(roots) > 1 else np.nan
    return found
