"""Scales on the authors' retained items: Table 4, Figure 4 and the quality the paper does not give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import psyirt
from psyirt.errors import EstimationError
from psyirt.scoring.information import information
from validation.lalor2016 import printed
from validation.lalor2016.comparison import Comparison
from validation.lalor2016.inputs import Study

HELD_TO = 0.005
_THETA = np.round(np.linspace(-4.5, 3.0, 151), 6)
_DIGITS = 9
_TWO_DIGITS = "R mirt gives our value on the same data; the paper prints two digits here"


@dataclass(frozen=True, eq=False)
class TheirScale:
    """One class's scale on the items the authors kept.

    Attributes
    ----------
    scale : Scale
        2PL, nothing pruned by us.
    loglik : float
        Of its calibration.
    paper, mirt : list of Comparison
        Table 4's ranges, and R mirt's ranges and log-likelihood.
    workers : DataFrame
        Distinct (correct, theta) of the workers, with their number `n`.
    spread : Spread
        How far number correct and ability part.
    information : DataFrame
        Index theta; information and se.
    misfitting : int
        Items with S-X2 p < .05 after Holm.
    dependent : float
        Largest standardized LD-X2.
    """

    scale: psyirt.Scale
    loglik: float
    paper: list[Comparison]
    mirt: list[Comparison]
    workers: pd.DataFrame
    spread: Spread
    information: pd.DataFrame
    misfitting: int
    dependent: float


@dataclass(frozen=True)
class Spread:
    """How far number correct and ability part.

    Attributes
    ----------
    correct, n : int
        The number correct at which abilities differ most (of those that five or more workers have), and how many
        workers have it.
    low, high : float
        Their lowest and highest ability.
    reversed_share : float
        Among pairs of workers with different numbers correct, those in which the one with fewer has the higher ability.
    """

    correct: int
    n: int
    low: float
    high: float
    reversed_share: float


def their_scales(study: Study) -> dict[str, TheirScale]:
    """A scale for each class, the authors' removals given as exclusions."""
    build = psyirt.build_scale(
        study.responses,
        groups="gold",
        rules=(),
        exclude=study.removed(),
        recruitment="983 workers of Amazon Mechanical Turk who passed the authors' attention checks",
        options=psyirt.BuildOptions(test_guessing=False),
    )
    return {group: _their_scale(study, group, build) for group in printed.KEPT}


def _their_scale(study: Study, group: str, build: psyirt.ScaleBuild) -> TheirScale:
    outcome = build.groups[group]
    if outcome.scale is None or outcome.calibration is None or outcome.evidence is None:
        raise EstimationError(f"no scale on the authors' items: {'; '.join(outcome.reasons)}", group)
    calibration, evidence = outcome.calibration, outcome.evidence
    right = (study.responses.select(items=list(calibration.item_names)).to_frame() == 1).sum(axis=1)
    theta = calibration.abilities()["theta"]
    pairs = evidence.local_dependence.frame
    return TheirScale(
        scale=outcome.scale,
        loglik=calibration.loglik,
        paper=_ranges(calibration.items, printed.PARAMETERS[group], "Table 4", group),
        mirt=[
            *_ranges(calibration.items, printed.MIRT[group], "R mirt", ""),
            Comparison("log-likelihood (R mirt)", calibration.loglik, printed.MIRT[group]["loglik"], HELD_TO),
        ],
        workers=distinct_workers(right, theta),
        spread=spread(right, theta),
        information=information(outcome.scale, _THETA),
        misfitting=int(evidence.item_fit["flag"].sum()),
        dependent=float(pairs["standardized"][pairs["statistic"] > 0].max()),
    )


def _ranges(items: pd.DataFrame, theirs: dict[str, Any], source: str, printed_for: str) -> list[Comparison]:
    """Lowest and highest b and a."""
    words = {"b": "difficulty b", "a": "slope a"}
    return [
        Comparison(
            f"{end} {words[name]} ({source})",
            float(ours),
            theirs[name][place],
            HELD_TO,
            printed_decimals=2 if (printed_for, name) in printed.TWO_DECIMALS else None,
            note=_TWO_DIGITS if (printed_for, name) in printed.TWO_DECIMALS else "",
        )
        for name in ("b", "a")
        for place, (end, ours) in enumerate((("lowest", items[name].min()), ("highest", items[name].max())))
    ]


def distinct_workers(right: pd.Series, theta: pd.Series) -> pd.DataFrame:
    """Distinct pairs of number correct and ability, with how many workers have them."""
    table = pd.DataFrame({"correct": right.to_numpy(), "theta": theta.round(_DIGITS).to_numpy()})
    return table.value_counts(sort=False).rename("n").reset_index()


def spread(right: pd.Series, theta: pd.Series, fewest: int = 5) -> Spread:
    """Where workers with one number correct differ most, and how often number correct and ability disagree.

    Parameters
    ----------
    right, theta : Series
        Number correct and ability of the same workers.
    fewest : int
        Numbers correct that fewer workers have are not considered.
    """
    counts, abilities = right.to_numpy(), theta.to_numpy()
    by = pd.Series(abilities).groupby(counts).agg(["size", "min", "max"])
    by = by[by["size"] >= fewest]
    widest = (by["max"] - by["min"]).idxmax()
    fewer = counts[:, None] < counts
    reverse = fewer & (abilities[:, None] > abilities)
    row = by.loc[widest]
    share = float(reverse.sum() / fewer.sum()) if fewer.any() else 0.0
    return Spread(int(widest), int(row["size"]), float(row["min"]), float(row["max"]), share)
