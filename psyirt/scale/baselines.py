"""What answering without looking scores: constant labels, and guessing at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.scale.scoring import COLUMNS, ScoreOptions, score_table

if TYPE_CHECKING:
    from psyirt.scale.scale import Scale

_LEVELS = (0.025, 0.975)


def baseline_table(scale: Scale, draws: int, seed: int) -> pd.DataFrame:
    """See ``Scale.baselines``."""
    if draws < 2:
        raise InputError(f"{draws} draws", "baselines", "Give at least 2; 2,000 are the default")
    parts = [_constant_labels(scale), _random(scale, draws, seed)]
    found = [part for part in parts if part is not None]
    if not found:
        return pd.DataFrame(columns=[*COLUMNS, "note"], index=pd.Index([], name="baseline", dtype="str"))
    return pd.concat(found)


def constant_labels(scale: Scale) -> tuple[str, ...]:
    """The labels a constant baseline can answer: the label set, or else every label of the key."""
    return scale.label_set or tuple(sorted(set(scale.key.values())))


def perfect_labels(scale: Scale) -> tuple[str, ...]:
    """Labels that are right on every item: on a scale of one class there is one."""
    keys = set(scale.key.values())
    return tuple(keys) if len(keys) == 1 and len(scale.key) == len(scale.item_names) else ()


def _constant_labels(scale: Scale) -> pd.DataFrame | None:
    """A row for each label; None unless every item has a key."""
    if len(scale.key) < len(scale.item_names):
        return None
    labels = constant_labels(scale)
    gold = [scale.key[item] for item in scale.item_names]
    codes = np.array([[label == key for key in gold] for label in labels], dtype=np.int8)
    answers = Responses(codes, tuple(f"always {label}" for label in labels), scale.item_names)
    table = score_table(scale, answers, ScoreOptions())
    perfect = perfect_labels(scale)
    table["note"] = pd.array(
        ["right on every item: the scale has this class only" if label in perfect else "" for label in labels],
        dtype="str",
    )
    return table.rename_axis(index="baseline")


def _random(scale: Scale, draws: int, seed: int) -> pd.DataFrame | None:
    """One row for random answers; None unless every item's number of options is known."""
    options = scale.n_options
    if len(options) < len(scale.item_names):
        return None
    chance = np.array([1.0 / options[item] for item in scale.item_names])
    codes = (np.random.default_rng(seed).random((draws, len(chance))) < chance).astype(np.int8)
    table = score_table(
        scale, Responses(codes, tuple(f"draw {k + 1}" for k in range(draws)), scale.item_names), ScoreOptions()
    )
    row = {column: float(table[column].mean()) for column in COLUMNS if column != "at_ceiling"}
    row["se"] = float(table["theta"].std(ddof=1))
    for value, low, high in (
        ("theta", "lower", "upper"),
        ("percentile", "percentile_low", "percentile_high"),
        ("accuracy", "accuracy_low", "accuracy_high"),
    ):
        row[low], row[high] = (float(bound) for bound in np.quantile(table[value], _LEVELS))
    frame = pd.DataFrame([row], index=pd.Index(["random"], name="baseline", dtype="str"))
    frame["at_ceiling"] = pd.array([""], dtype="str")
    frame["note"] = pd.array([f"mean and 95 % range of {draws} random answerers"], dtype="str")
    return frame[[*COLUMNS, "note"]]
