"""An honest check: fit of the retained items on subjects who took no part in pruning."""

from __future__ import annotations

import numpy as np

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.foundation.words import counted
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scale.evidence import Evidence
from psyirt.scale.options import BuildOptions
from psyirt.scale.pruning import Estimator, quiet_fit


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
    if not 0 < share < 1:
        raise InputError(f"a holdout of {share} of {subjects} subjects", "holdout", "Give a share between 0 and 1")
    held = round(share * subjects)
    if not 0 < held < subjects:
        who = "everybody" if held else "nobody"
        cause = f"a holdout of {share} of {subjects} subjects holds out {who}"
        raise InputError(cause, "holdout", "Give a share that leaves people on both sides")
    chosen = np.zeros(subjects, dtype=bool)
    chosen[np.random.default_rng(seed).permutation(subjects)[:held]] = True
    return responses.select(subjects=~chosen), responses.select(subjects=chosen)


def check_on_holdout(
    holdout: Responses | None, calibration: Calibration, options: BuildOptions, fit: Estimator
) -> tuple[StatisticTable | None, list[str]]:
    """S-X2 of the retained items, refitted on the held-out subjects: these p-values saw no selection.

    Parameters
    ----------
    holdout : Responses or None
        The held-out subjects.
    calibration : Calibration
        The retained items and their models; its estimates are start values.
    options : BuildOptions
        Adjustment, share of complete rows, fit options.
    fit : callable
        The estimator.

    Returns
    -------
    tuple of (StatisticTable or None, list of str)
        None where nobody was held out or the refit was not possible, and then the notes say why.
    """
    if holdout is None:
        return None, []
    kinds = dict(zip(calibration.item_names, calibration.item_types, strict=True))
    try:
        refit, said = quiet_fit(fit, holdout.select(items=list(kinds)), kinds, start=calibration, options=options.mml)
    except InputError as error:
        return None, [f"no check on held-out subjects: {error}"]
    evidence = Evidence(refit, options.adjust, options.min_complete_share)
    table = evidence.item_fit
    return table, [f"held-out subjects: {text}" for text in (*said, *evidence.notes)]


def holdout_line(table: StatisticTable) -> str:
    """How many retained items misfit on the held-out subjects, of those that could be tested there."""
    frame = table.frame
    testable = int(frame["p"].notna().sum())
    text = f"on held-out subjects {int(frame['flag'].sum())} of {counted(testable, 'testable item')} misfit (S-X2)"
    untested = frame[frame["p"].isna()]
    if untested.empty:
        return text
    why = ", ".join(dict.fromkeys(str(note).partition(":")[0] for note in untested["note"]))
    return f"{text}; {len(untested)} not testable ({why})"
