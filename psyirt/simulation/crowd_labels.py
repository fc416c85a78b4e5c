"""From outcomes to what workers write: short codes, wrong labels, random answers, gaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from psyirt.data.label_map import NA_LABELS
from psyirt.errors import InputError


def short_codes(groups: Sequence[str]) -> dict[str, str]:
    """Code -> class: each class's shortest beginning that begins no other and is not read as "did not answer".

    Raises
    ------
    InputError
        If a class is called what an unanswered item is, or has no such beginning.
    """
    codes: dict[str, str] = {}
    for group in groups:
        others = [other.casefold() for other in groups if other != group]
        beginnings = [group[:k].casefold() for k in range(1, len(group) + 1)]
        usable = [
            code
            for code in beginnings
            if code not in NA_LABELS and (code == group.casefold() or not any(o.startswith(code) for o in others))
        ]
        if group.casefold() in NA_LABELS or not usable:
            raise InputError(f"group {group!r} reads as unanswered", "groups", "Give it another name")
        codes[usable[0]] = group
    return codes


def wrong_label_shares(gold: NDArray[np.intp], options: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How each item's wrong answers fall on the options, shape (J, options), 0 at the gold: Dirichlet(2, ..., 2)."""
    shares = np.zeros((len(gold), options))
    for row, right in zip(shares, gold, strict=True):
        row[np.arange(options) != right] = rng.dirichlet(np.full(options - 1, 2.0))
    return shares


def draw_choices(
    outcomes: NDArray[np.int8], gold: NDArray[np.intp], shares: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Chosen options, shape (N, J): the gold where the outcome is 1, else one drawn from the item's shares."""
    choices = np.broadcast_to(gold, outcomes.shape).copy()
    for item, row in enumerate(shares):
        wrong = np.flatnonzero(outcomes[:, item] == 0)
        choices[wrong, item] = rng.choice(len(row), size=len(wrong), p=row)
    return choices
