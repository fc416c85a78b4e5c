"""What answering without looking scores: constant labels, and guessing at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.responses import Responses
from psyirt.data.text import positions
from psyirt.errors import InputError
from psyirt.foundation.words import counted
from psyirt.scale.scoring import COLUMNS, ScoreOptions, table_of

if TYPE_CHECKING:
    from psyirt.scale.scale import Scale

_LEVELS = (0.025, 0.975)


def baseline_table(
    scale: Scale, draws: int, seed: int, options: ScoreOptions, items: Sequence[str] | None
) -> pd.DataFrame:
    """See ``Scale.baselines``."""
    if draws < 2:
        raise InputError(counted(draws, "draw"), "baselines", "Give at least 2; 2,000 are the default")
    place = positions(items, scale.item_names, "item")
    presented = tuple(name for name, at in zip(scale.item_names, place, strict=True) if at >= 0)
    if not presented:
        raise InputError("no items are named", "baselines", "Name those that were presented, or none for all")
    parts = [_constant_labels(scale, presented, options), _random(scale, presented, draws, seed, options)]
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


def _constant_labels(scale: Scale, items: Sequence[str], options: ScoreOptions) -> pd.DataFrame | None:
    """A row for each label; None unless every item has a key."""
    key = scale.key
    if not key.keys() >= set(items):
        return None
    labels = constant_labels(scale)
    codes = np.array([[label == key[item] for item in items] for label in labels], dtype=np.int8)
    answers = Responses(codes, tuple(f"always {label}" for label in labels), tuple(items))
    table = table_of(scale, answers, options)
    what = "the scale has" if perfect_labels(scale) else "the items presented have"
    table["note"] = pd.array(
        [f"right on every item: {what} this class only" if right.all() else "" for right in codes], dtype="str"
    )
    return table.rename_axis(index="baseline")


def _random(scale: Scale, items: Sequence[str], draws: int, seed: int, options: ScoreOptions) -> pd.DataFrame | None:
    """One row for random answers; None unless every item's number of options is known."""
    n_options = scale.n_options
    if not n_options.keys() >= set(items):
        return None
    chance = np.array([1.0 / n_options[item] for item in items])
    codes = (np.random.default_rng(seed).random((draws, len(chance))) < chance).astype(np.int8)
    table = table_of(scale, Responses(codes, tuple(f"draw {k + 1}" for k in range(draws)), tuple(items)), options)
    infinite = int(np.isinf(table["theta"]).sum())
    row = {column: float(table[column].mean()) for column in COLUMNS if column not in ("at_ceiling", "theta", "se")}
    row["theta"] = float("nan") if infinite else float(table["theta"].mean())
    row["se"] = float("nan") if infinite else float(table["theta"].std(ddof=1))
    for value, low, high in (
        ("theta", "lower", "upper"),
        ("percentile", "percentile_low", "percentile_high"),
        ("accuracy", "accuracy_low", "accuracy_high"),
    ):
        row[low], row[high] = _range(table[value].to_numpy(dtype=float))
    frame = pd.DataFrame([row], index=pd.Index(["random"], name="baseline", dtype="str"))
    frame[["answered", "non_answers"]] = frame[["answered", "non_answers"]].astype("int64")
    frame["at_ceiling"] = pd.array([""], dtype="str")
    frame["note"] = pd.array([_random_note(draws, infinite, options.method)], dtype="str")
    return frame[[*COLUMNS, "note"]]


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % range of draws; between two infinite ones nothing can be interpolated, so one of them is taken."""
    how = "linear" if np.isfinite(values).all() else "inverted_cdf"
    low, high = np.quantile(values, _LEVELS, method=how)  # type: ignore[call-overload]
    return float(low), float(high)


def _random_note(draws: int, infinite: int, method: str) -> str:
    """What the row is, and why it may have no theta."""
    text = f"mean and 95 % range of {draws} random answerers"
    return f"{text}; {infinite} of them have no finite theta by {method}, so theta has no mean" if infinite else text
