"""An honest check: fit of the retained items on subjects who took no part in pruning."""

from __future__ import annotations

import numpy as np

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit
from psyirt.errors import InputError
from psyirt.estimation.mml import fit_mml
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scale.options import BuildOptions


def split_subjects(responses: Responses, share: float, seed: int) -> tuple[Responses, Responses | None]:
    """Subjects to build on and subjects to check on.

    Parameters
    ----------
    responses : Responses
        All subjects.
    share : float
        Share held out, 0 <= share < 1; 0 holds nobody out.
    seed : int
        Which subjects.

    Returns
    -------
    tuple of (Responses, Responses or None)

    Raises
    ------
    InputError
        If the share is out of range or leaves either side without subjects.
    """
    if share == 0:
        return responses, None
    subjects = responses.shape[0]
    held = round(share * subjects)
    if not 0 < share < 1 or not 0 < held < subjects:
        raise InputError(f"a holdout of {share} of {subjects} subjects", "holdout", "Give a share between 0 and 1")
    chosen = np.zeros(subjects, dtype=bool)
    chosen[np.random.default_rng(seed).permutation(subjects)[:held]] = True
    return responses.select(subjects=~chosen), responses.select(subjects=chosen)


def check_on_holdout(
    holdout: Responses | None, calibration: Calibration | None, options: BuildOptions
) -> StatisticTable | None:
    """S-X2 of the retained items, refitted on the held-out subjects: these p-values saw no selection."""
    if holdout is None or calibration is None:
        return None
    kinds = dict(zip(calibration.item_names, calibration.item_types, strict=True))
    refit = fit_mml(holdout.select(items=list(kinds)), kinds, start=calibration, options=options.mml)
    return item_fit(refit, method="S-X2", adjust=options.adjust)
