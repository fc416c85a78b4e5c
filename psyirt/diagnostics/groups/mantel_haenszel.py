"""Mantel-Haenszel DIF: the odds of a right answer in two groups of equal scores (Holland & Thayer, 1988)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import erfc

from psyirt.diagnostics.groups.dif_test import DIFTest
from psyirt.diagnostics.groups.matching import Array, ItemCounts

_SOURCE = (
    "Holland & Thayer (1988); standard error Robins, Breslow & Greenland (1986); classes Zieky (1993), "
    "Dorans & Holland (1993)"
)
# log odds ratios (reference to focal) on the scale of ETS's delta (Holland & Thayer, 1988)
DELTA = -2.35
_LEVEL, _ABOVE_ONE = 0.05, 1.6448536269514722
_NEGLIGIBLE, _LARGE = 1.0, 1.5
# smallest distance of the sum's expectation from its bounds for a chi-square (Mantel & Fleiss, 1980)
_ROOM = 5.0


def mantel_haenszel_dif() -> DIFTest:
    """Mantel-Haenszel chi-square, common odds ratio, MH D-DIF and ETS class."""
    return DIFTest(
        name="Mantel-Haenszel DIF",
        tests="H0: in both groups, subjects of equal score have the same odds of a right answer",
        source=_SOURCE,
        rows=_rows,
        effects=("ets_class",),
        size="delta",
        needs_scores=False,
        notes=("delta below 0: harder for the focal group than for reference subjects of equal score",),
    )


def _rows(items: Sequence[ItemCounts]) -> pd.DataFrame:
    """A row per item."""
    each = [mantel_haenszel(counts) for counts in items]
    columns = {name: [getattr(one, name) for one in each] for name in ("statistic", "p", "odds_ratio", "delta", "se")}
    classes, notes = [one.effect for one in each], [one.note for one in each]
    frame = pd.DataFrame({**columns, "ets_class": classes, "note": notes})
    frame.insert(1, "df", 1.0)
    return frame


@dataclass(frozen=True)
class MantelHaenszel:
    """The statistics of one item.

    Attributes
    ----------
    statistic, p : float
        Chi-square with continuity correction, 1 df.
    odds_ratio : float
        Common odds ratio, above 1 where the item favours the reference group.
    delta, se : float
        MH D-DIF = -2.35 log(odds ratio), below 0 where the item is harder for the focal group, and its standard error
        (NaN where the ratio is 0 or infinite, which counts as moderate).
    effect : str
        ETS class: A negligible, B moderate, C large; with the sign of delta for B and C.
    note : str
        What to doubt.
    """

    statistic: float
    p: float
    odds_ratio: float
    delta: float
    se: float
    effect: str
    note: str


def mantel_haenszel(counts: ItemCounts) -> MantelHaenszel:
    """Compare two groups, stratum by stratum.

    Parameters
    ----------
    counts : ItemCounts
        Answers by group and stratum; strata with one group or one answer only tell nothing.

    Returns
    -------
    MantelHaenszel
    """
    right, wrong = counts.right, counts.wrong
    groups, answers = counts.subjects, np.stack([right.sum(axis=0), wrong.sum(axis=0)])
    n = groups.sum(axis=0)
    tells = (groups > 0.0).all(axis=0) & (answers > 0.0).all(axis=0) & (n > 1.0)
    if not tells.any():
        nothing = (np.nan, np.nan, np.nan, np.nan, np.nan)
        return MantelHaenszel(*nothing, "", "no score at which both groups and both answers occur")
    right, wrong, groups, answers, n = (part[..., tells] for part in (right, wrong, groups, answers, n))
    expected = groups[0] * answers[0] / n
    variance = float(np.sum(groups[0] * groups[1] * answers[0] * answers[1] / (n**2 * (n - 1.0))))
    distance = abs(float(np.sum(right[0] - expected)))
    # the correction moves the sum towards its expectation, not past it
    statistic = max(distance - 0.5, 0.0) ** 2 / variance
    p = float(erfc(math.sqrt(0.5 * statistic)))
    ratio, error = _common_odds_ratio(right, wrong, n)
    note = "" if _room(groups, answers, expected) >= _ROOM else "small cells: the chi-square is doubtful"
    if not 0.0 < ratio < np.inf:
        note = "an answer occurs in one group only: no finite odds ratio"
    delta = DELTA * float(np.log(ratio)) if ratio > 0.0 else np.inf
    se = abs(DELTA) * error
    return MantelHaenszel(statistic, p, ratio, delta, se, ets_class(delta, se, p), note)


def _common_odds_ratio(right: Array, wrong: Array, n: Array) -> tuple[float, float]:
    """Mantel & Haenszel's estimate, and the standard error of its logarithm (Robins, Breslow & Greenland, 1986)."""
    same, other = right[0] * wrong[1] / n, wrong[0] * right[1] / n
    r, s = float(same.sum()), float(other.sum())
    if r == 0.0 or s == 0.0:
        return (np.inf if r > 0.0 else 0.0 if s > 0.0 else np.nan), np.nan
    p, q = (right[0] + wrong[1]) / n, (wrong[0] + right[1]) / n
    variance = np.sum(p * same) / (2.0 * r**2) + np.sum(p * other + q * same) / (2.0 * r * s)
    return r / s, math.sqrt(float(variance + np.sum(q * other) / (2.0 * s**2)))


def _room(groups: Array, answers: Array, expected: Array) -> float:
    """How far the number of right answers in the reference group can lie from what is expected, to the nearer side."""
    least = np.maximum(0.0, groups[0] - answers[1])
    most = np.minimum(groups[0], answers[0])
    return float(min(np.sum(expected - least), np.sum(most - expected)))


def ets_class(delta: float, se: float, p: float) -> str:
    """A, B or C by size and significance (Zieky, 1993; Dorans & Holland, 1993).

    A: not different from 0 at .05, or below 1 in size. C: at least 1.5 in size, and above 1 at .05 (one-sided). B: all
    else.

    Parameters
    ----------
    delta, se : float
        MH D-DIF and its standard error.
    p : float
        Of the Mantel-Haenszel chi-square, not adjusted: the rule is about one item.

    Returns
    -------
    str
        "A", or "B" or "C" with "-" where the item is harder for the focal group, else "+".
    """
    size = abs(delta)
    if p >= _LEVEL or not size >= _NEGLIGIBLE:
        return "A"
    sign = "-" if delta < 0.0 else "+"
    return ("C" if size >= _LARGE and size - _NEGLIGIBLE > _ABOVE_ONE * se else "B") + sign
