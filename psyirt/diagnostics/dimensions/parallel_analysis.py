"""Horn's (1965) parallel analysis on tetrachoric correlations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.data.responses import MISSING, Responses
from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.simulation.streams import streams, whole

Array = NDArray[np.float64]


def parallel_eigenvalues(
    responses: Responses,
    draws: int = 100,
    *,
    seed: int,
    correction: float = 0.5,
    smooth: bool = False,
    weights: ArrayLike | None = None,
    progress: Progress = silent,
) -> Array:
    """Eigenvalues of tetrachoric matrices of unrelated items with the same margins and the same missing responses.

    Each item's responses are shuffled among the subjects who gave one (Buja & Eyuboglu 1992), so that proportions
    correct, which decide how noisy a tetrachoric correlation is, stay exactly what they are.

    Parameters
    ----------
    responses : Responses
        N subjects x J items.
    draws : int
        Shuffled data sets, at least 1.
    seed : int
        0 or above; every draw has a random stream of its own.
    correction, smooth, weights
        As the observed matrix was made, see ``psyirt.tetrachoric``. Weights stay with their subject.
    progress : callable
        Receives an event per draw.

    Returns
    -------
    ndarray, shape (draws, J)
        Largest first, items without variance left out; NaN where a shuffled data set left a gap in the matrix.

    Raises
    ------
    InputError
        If `draws` or `seed` is out of range.
    """
    codes = responses.codes
    varies = np.array([len(np.unique(column[column != MISSING])) > 1 for column in codes.T], dtype=bool)
    kept = responses.select(items=varies)
    found = np.full((whole(draws, "draws", 1), int(varies.sum())), np.nan)
    answered = [np.flatnonzero(column != MISSING) for column in kept.codes.T]
    for k, rng in enumerate(streams(seed, len(found))):
        shuffled = kept.codes.copy()
        for item, rows in enumerate(answered):
            shuffled[rows, item] = rng.permutation(shuffled[rows, item])
        unrelated = Responses(shuffled, kept.subject_names, kept.item_names)
        roots = tetrachoric(unrelated, correction, smooth, weights=weights).eigenvalues["eigenvalue"].to_numpy()
        if len(roots):
            found[k] = roots
        progress(ProgressEvent("parallel analysis", k + 1, len(found)))
    return found
