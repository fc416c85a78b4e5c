"""Table 5: which answers the LSTM must have given, and what they are worth on the scale."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

import psyirt
from validation.lalor2016 import printed
from validation.lalor2016.comparison import Comparison
from validation.lalor2016.inputs import Study

HELD_TO = 0.002
# the answers that were decoded from the printed abilities: places within the class that the LSTM got wrong
WRONG = {"contradiction": (), "entailment": (17, 24), "neutral": (5,)}
MOST_WRONG = 3


@dataclass(frozen=True, eq=False)
class Decoded:
    """The LSTM on one class.

    Attributes
    ----------
    comparison : Comparison
        Its ability beside the printed one.
    wrong : tuple of str
        Items answered wrong.
    row : dict
        ``Scale.score`` of these answers.
    patterns : int
        Answers with at most `MOST_WRONG` wrong that were tried.
    closer : int
        Others among them whose ability is as close to the printed one, or closer.
    next_best : float
        The ability, of all others, that is nearest to the printed one.
    bound : float
        Highest ability with exactly `MOST_WRONG` wrong: below the printed one, more wrong answers cannot reach it.
    baselines : DataFrame
        ``Scale.baselines``.
    """

    comparison: Comparison
    wrong: tuple[str, ...]
    row: dict[str, object]
    patterns: int
    closer: int
    next_best: float
    bound: float
    baselines: pd.DataFrame


def decode(study: Study, group: str, scale: psyirt.Scale) -> Decoded:
    """Score the decoded answers, and see whether any others would give the printed ability."""
    theirs = printed.SYSTEM[group]
    wrong = tuple(item for item in scale.item_names if study.position[item] in WRONG[group])
    codes = np.array([[item not in wrong for item in scale.item_names]], dtype=np.int8)
    scored = scale.score(psyirt.Responses.from_array(codes, subject_names=["LSTM"], item_names=scale.item_names))
    tried = patterns(len(scale.item_names), MOST_WRONG)
    names = [str(number) for number in range(len(tried))]
    everyone = psyirt.Responses.from_array(tried, subject_names=names, item_names=scale.item_names)
    theta = psyirt.score(scale, everyone)["theta"].to_numpy()
    ours = float(scored.loc["LSTM", "theta"])
    others = theta[(tried != codes[0]).any(axis=1)]
    worst = tried.sum(axis=1) == len(scale.item_names) - MOST_WRONG
    return Decoded(
        Comparison(f"ability on {group}", ours, theirs, HELD_TO),
        wrong,
        scored.loc["LSTM"].to_dict(),
        len(tried),
        int((np.abs(others - theirs) <= abs(ours - theirs)).sum()),
        float(others[np.argmin(np.abs(others - theirs))]),
        float(theta[worst].max()),
        scale.baselines(),
    )


def patterns(items: int, most_wrong: int) -> np.ndarray:
    """Every answer vector with at most `most_wrong` wrong, shape (patterns, items), the all-right one first."""
    chosen = [wrong for count in range(most_wrong + 1) for wrong in combinations(range(items), count)]
    codes = np.ones((len(chosen), items), dtype=np.int8)
    for row, wrong in enumerate(chosen):
        codes[row, list(wrong)] = 0
    return codes
