"""Rejection rates with their Monte Carlo errors, and the range over units beside what chance would do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binom

LEVEL = 0.05
# what a table must say "not valid" outside of, and what S-X2 is held to
VALID, GOAL = (0.03, 0.07), (0.035, 0.065)


@dataclass(frozen=True)
class Rate:
    """Rejections of one kind of unit by one test in one condition.

    Attributes
    ----------
    condition, test : str
        Of what.
    planted : bool
        Whether the units are faulty: the rate is then power, else size.
    tests, untested, replications : int
        Units tested, units without a p-value, data sets.
    rate, error : float
        Share with p < .05, and its Monte Carlo SE over data sets (units of one data set are not independent).
    at_one_percent : float
        Share with p < .01.
    lowest, highest : float
        Rates of the units with the lowest and the highest rate.
    chance_lowest, chance_highest : float
        What these would be on average if every unit were rejected with probability .05.
    """

    condition: str
    test: str
    planted: bool
    tests: int
    untested: int
    replications: int
    rate: float
    error: float
    at_one_percent: float
    lowest: float
    highest: float
    chance_lowest: float
    chance_highest: float

    @property
    def valid(self) -> bool:
        """Whether a size lies between .03 and .07."""
        return VALID[0] <= self.rate <= VALID[1]

    @property
    def met(self) -> bool:
        """Whether a size lies between .035 and .065."""
        return GOAL[0] <= self.rate <= GOAL[1]


def judge(condition: str, rows: pd.DataFrame) -> list[Rate]:
    """Rates of every test, of good and of planted units apart.

    Parameters
    ----------
    condition : str
        What the rows are of.
    rows : DataFrame
        Columns test, unit, p, planted, replication.

    Returns
    -------
    list of Rate
    """
    return [
        _rate(condition, str(test), bool(planted), part)
        for (test, planted), part in rows.groupby(["test", "planted"], sort=False)
    ]


def _rate(condition: str, test: str, planted: bool, rows: pd.DataFrame) -> Rate:
    tested = rows[rows["p"].notna()]
    rejected = tested["p"] < LEVEL
    by_set = rejected.groupby(tested["replication"]).agg(["sum", "count"])
    by_unit = rejected.groupby(tested["unit"]).mean()
    replications = rows["replication"].nunique()
    if tested.empty:
        gap = float("nan")
        return Rate(condition, test, planted, 0, len(rows), replications, *[gap] * 7)
    rate = float(rejected.mean())
    # ratio estimator: data sets may have lost items
    off = by_set["sum"] - rate * by_set["count"]
    error = float(np.sqrt((off**2).sum() * len(off) / max(len(off) - 1, 1)) / by_set["count"].sum())
    low, high = chance_range(replications, len(by_unit))
    return Rate(
        condition,
        test,
        planted,
        len(tested),
        len(rows) - len(tested),
        replications,
        rate,
        error,
        float((tested["p"] < 0.01).mean()),
        float(by_unit.min()),
        float(by_unit.max()),
        low,
        high,
    )


def chance_range(replications: int, units: int) -> tuple[float, float]:
    """Expected lowest and highest rate of independent units, each rejected with probability .05."""
    counts = np.arange(replications + 1)
    at_most = binom.cdf(counts, replications, LEVEL)
    # E max X = sum over x of P(max > x); the lowest likewise from P(min > x)
    lowest, highest = ((1.0 - at_most) ** units).sum(), (1.0 - at_most**units).sum()
    return float(lowest / replications), float(highest / replications)
