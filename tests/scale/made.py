"""A crowd and the scale made from it, shared by the tests of the artefact."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from psyirt.data.responses import Responses
from psyirt.estimation.mml import fit_mml
from psyirt.results.calibration import Calibration
from psyirt.scale.scale import Scale

ITEMS = tuple(f"q{k}" for k in range(1, 9))
KEY = {item: ("yes", "no", "maybe")[k % 3] for k, item in enumerate(ITEMS)}


@functools.cache
def crowd(subjects: int = 300, missing: bool = False) -> Responses:
    """Simulated answers to eight items; with `missing`, a tenth of them not given."""
    rng = np.random.default_rng(11)
    theta = rng.normal(size=subjects)[:, None]
    slope, difficulty = np.linspace(0.8, 2.0, len(ITEMS)), np.linspace(-1.5, 1.0, len(ITEMS))
    answers = (rng.random((subjects, len(ITEMS))) < 1 / (1 + np.exp(-slope * (theta - difficulty)))).astype(float)
    if missing:
        answers[rng.random(answers.shape) < 0.1] = np.nan
    return Responses.from_array(answers, item_names=ITEMS)


@functools.cache
def calibration(missing: bool = False) -> Calibration:
    """The 2PL fit of the crowd."""
    return fit_mml(crowd(missing=missing))


@functools.cache
def scale() -> Scale:
    """A scale with everything in it."""
    return Scale.from_calibration(
        calibration(),
        name="all",
        key=KEY,
        label_set=("yes", "no", "maybe"),
        item_text={item: f'What is "{item}"? Größe, 量' for item in ITEMS[:-1]},
        recruitment="students, unpaid",
        history=pd.DataFrame(
            {"iteration": [0, 1], "item": ["q0", "q9"], "value": [np.nan, 0.12], "rule": ["own", "flat"]}
        ),
        options={"rules": ["flat"], "seed": 3, "alpha": np.float64(0.05), "nested": {"tuple": (1, 2)}},
        statistics=pd.DataFrame({"s_x2": np.linspace(1.0, 2.0, 8) / 3, "flag": [True] + [False] * 7}, index=ITEMS),
    )


def answers(*rows: str) -> Responses:
    """Systems' answers to the eight items, such as "1101.111" (a dot is no answer)."""
    table = [[np.nan if mark == "." else float(mark) for mark in row] for row in rows]
    return Responses.from_array(table, item_names=ITEMS)
