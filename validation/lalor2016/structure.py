"""How many abilities the labels hold: eigenvalues of tetrachoric correlations."""

from __future__ import annotations

import pandas as pd

import psyirt
from validation.lalor2016.inputs import GROUPS, Study


def eigenvalues(study: Study, shown: int = 10) -> dict[str, pd.DataFrame]:
    """The first eigenvalues of all 90 items and of each class: eigenvalue, share, ratio."""
    choices = {"all 90 items": list(study.responses.item_names)} | {group: study.items(group) for group in GROUPS}
    return {
        name: psyirt.tetrachoric(study.responses.select(items=items)).eigenvalues.head(shown)
        for name, items in choices.items()
    }
