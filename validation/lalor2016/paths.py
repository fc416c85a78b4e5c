"""What the statistics said at each step of a way from the full class to the kept items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import psyirt

# the order of the authors' scripts: which of their reasons was acted on at which step
AUTHORS_STEPS = ("communality", "S-X2", "local dependence", "visual")


_PAIRS = 20


@dataclass(frozen=True, eq=False)
class Step:
    """One fit on the way.

    Attributes
    ----------
    number : int
        From 1.
    removed : tuple of str
        The items that left after this fit.
    table : DataFrame
        Index item; columns communality, s_x2, df, p, p_adjusted (S-X2, Holm), ld_with, ld, ld_v (see `item_evidence`).
    pairs : DataFrame
        Index (item_1, item_2), the most dependent first, `_PAIRS` of them; columns ld, cramers_v, p_adjusted.
    """

    number: int
    removed: tuple[str, ...]
    table: pd.DataFrame
    pairs: pd.DataFrame


def walk(responses: psyirt.Responses, items: Sequence[str], removals: Sequence[Sequence[str]]) -> list[Step]:
    """Refit a class after each batch of removals.

    Parameters
    ----------
    responses : Responses
        All answers.
    items : sequence of str
        The full class.
    removals : sequence of sequences of str
        What left after the first fit, after the second, ...; a last fit follows.
    """
    remaining, steps = list(items), []
    for number, batch in enumerate([*removals, ()], start=1):
        evidence = psyirt.rules.Evidence(psyirt.fit_mml(responses.select(items=remaining), "2PL"))
        pairs = signed_pairs(evidence.local_dependence.frame)
        table = item_evidence(evidence.statistics, pairs)
        steps.append(Step(number, tuple(batch), table, pairs.head(_PAIRS)))
        remaining = [item for item in remaining if item not in set(batch)]
    return steps


def signed_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """LD-X2 pairs by standardized value with the sign of the association, the most dependent first."""
    signed = frame["standardized"] * np.sign(frame["statistic"])
    table = frame.assign(ld=signed)[["ld", "cramers_v", "p_adjusted"]]
    return table.sort_values("ld", ascending=False, kind="stable")


def item_evidence(statistics: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Statistics per item, with its most positive standardized LD-X2 `ld`, the partner `ld_with` and their V `ld_v`."""
    best: dict[str, dict[str, object]] = {}
    for (one, two), value, size in zip(pairs.index, pairs["ld"], pairs["cramers_v"], strict=True):
        for item, partner in ((one, two), (two, one)):
            best.setdefault(str(item), {"ld_with": str(partner), "ld": float(value), "ld_v": float(size)})
    return statistics.join(pd.DataFrame.from_dict(best, orient="index"))


def build_removals(history: pd.DataFrame, group: str) -> list[list[str]]:
    """What left a build's group, round by round."""
    rows = history[history["group"] == group]
    return [list(batch["item"]) for _, batch in rows.groupby("iteration", sort=True)]


def authors_removals(removed: dict[str, str], items: Sequence[str]) -> list[list[str]]:
    """What the authors removed from a class, step by step; a step at which nothing left is left out.

    Raises
    ------
    ValueError
        If a reason belongs to no step.
    """
    steps: list[list[str]] = [[] for _ in AUTHORS_STEPS]
    for item in items:
        if item in removed:
            steps[authors_step(removed[item])].append(item)
    return [batch for batch in steps if batch]


def authors_step(reason: str) -> int:
    """Which of `AUTHORS_STEPS` a published reason belongs to."""
    for number, word in enumerate(AUTHORS_STEPS):
        if reason.startswith(word):
            return number
    raise ValueError(f"unknown reason {reason!r}")
