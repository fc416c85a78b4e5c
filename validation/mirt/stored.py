"""Stored results of R's mirt: one folder per data set, one JSON document per model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psyirt.data.readers import read_responses
from psyirt.data.responses import Responses
from psyirt.errors import InputError

MODELS = {"rasch": "Rasch", "1pl": "1PL", "2pl": "2PL", "3pl_prior": "3PL", "3pl": "3PL"}
_SPECIAL = {"NaN": np.nan, "NA": np.nan, "Inf": np.inf, "-Inf": -np.inf}


@dataclass(frozen=True, eq=False)
class StoredFit:
    """One stored fit.

    Attributes
    ----------
    data_set, model : str
        Folder and file name.
    fit : dict
        ``MODEL.json``.
    item_fit, residuals : dict or None
        ``MODEL_itemfit.json`` and ``MODEL_resid.json`` where there are any.
    persons : DataFrame or None
        ``MODEL_persons.csv``.
    scores : dict or None
        ``MODEL_scores.json``.
    responses : Responses
        ``responses.csv``.
    """

    data_set: str
    model: str
    fit: dict[str, Any]
    item_fit: dict[str, Any] | None
    residuals: dict[str, Any] | None
    persons: pd.DataFrame | None
    scores: dict[str, Any] | None
    responses: Responses

    def standard_errors(self, kind: str) -> np.ndarray | None:
        """Standard errors on the estimation scale, None where mirt gave none."""
        stored = self.fit["se"].get(kind, {}).get("se")
        return numbers(stored) if isinstance(stored, list) else None


def numbers(values: Sequence[Any]) -> np.ndarray:
    """Numbers with R's special values, which JSON holds as strings."""
    return np.array([_SPECIAL.get(value, value) if isinstance(value, str) else value for value in values], dtype=float)


def data_sets(folder: Path) -> list[Path]:
    """The folders that hold a responses.csv; refused where there is none."""
    found = sorted(path.parent for path in folder.glob("*/responses.csv") if (path.parent / "2pl.json").exists())
    if not found:
        raise InputError(
            "holds no reference results",
            str(folder),
            "Name a folder with DATASET/responses.csv and DATASET/2pl.json in it",
        )
    return found


def stored_fits(folder: Path) -> list[StoredFit]:
    """The fits of one data set."""
    responses = read_responses(folder / "responses.csv")
    return [
        StoredFit(
            folder.name,
            model,
            json.loads((folder / f"{model}.json").read_text()),
            _json(folder / f"{model}_itemfit.json"),
            _json(folder / f"{model}_resid.json"),
            _csv(folder / f"{model}_persons.csv"),
            _json(folder / f"{model}_scores.json"),
            responses,
        )
        for model in MODELS
        if (folder / f"{model}.json").exists()
    ]


def _json(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text()) if path.exists() else None


def _csv(path: Path) -> pd.DataFrame | None:
    return pd.read_csv(path) if path.exists() else None
