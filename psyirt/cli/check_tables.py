"""What a check leaves behind: the page, its tables and its JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from psyirt import __version__
from psyirt.cli.files import write_document, write_table
from psyirt.cli.outputs import CHECK_FILES
from psyirt.diagnostics.overview.check_up import CheckUp
from psyirt.foundation.files import write_text

# lz*'s columns under names that say whose they are, beside the EAP's theta and se
_PERSON_COLUMNS = {"statistic": "lz_star", "theta": "theta_wle", "p": "lz_star_p", "p_adjusted": "lz_star_p_adjusted"}


def check_tables(checked: CheckUp) -> dict[str, pd.DataFrame]:
    """Table of each file, without the files that have nothing to hold.

    Parameters
    ----------
    checked : CheckUp
        The results.

    Returns
    -------
    dict of file name to DataFrame
    """
    found = {
        "items.csv": checked.items,
        "pairs.csv": checked.pairs.frame,
        "subjects.csv": checked.calibration.abilities().join(checked.persons.frame.rename(columns=_PERSON_COLUMNS)),
        "model.csv": model_table(checked),
        "reliability.csv": checked.reliability,
        "information.csv": checked.information,
    }
    if checked.sum_scores is not None:
        found["scores.csv"] = checked.sum_scores
    if checked.dimensions is not None:
        found["dimensions.csv"] = checked.dimensions.criteria
        found["eigenvalues.csv"] = checked.dimensions.eigenvalues
    return found


def model_table(checked: CheckUp) -> pd.DataFrame:
    """One row per number of the whole fit, index statistic; column value."""
    fit = {key: value for key, value in checked.model_fit.items() if isinstance(value, (int, float))}
    calibration = checked.calibration
    own = {"log_likelihood": calibration.loglik, "parameters": calibration.n_parameters, "aic": calibration.aic}
    values = own | {"bic": calibration.bic, "sabic": calibration.sabic} | fit
    return pd.DataFrame({"value": list(values.values())}, index=pd.Index(list(values), name="statistic"))


def write_check(
    folder: Path, checked: CheckUp, page: Sequence[str], settings: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Write all files of a check into a folder.

    Parameters
    ----------
    folder : path
        Exists.
    checked : CheckUp
        The results.
    page : sequence of str
        Lines of the page.
    settings : dict
        What the command was asked to do.

    Returns
    -------
    tuple of (dict, list of str)
        The JSON document, and the names written in the order of CHECK_FILES.
    """
    tables = check_tables(checked)
    document = {
        "psyirt_version": __version__,
        "settings": settings,
        "status": checked.calibration.status,
        "findings": checked.findings,
        "notes": (*checked.notes, *checked.calibration.notes, *checked.model_fit.notes),
        **{name.removesuffix(".csv"): table for name, table in tables.items() if name != "pairs.csv"},
        "pairs_flagged": checked.pairs.flagged,
    }
    for name, table in tables.items():
        write_table(table, folder / name)
    write_document(document, folder / "check.json")
    write_text(folder / "summary.txt", "\n".join(page) + "\n")
    return document, [name for name in CHECK_FILES if (folder / name).exists()]
