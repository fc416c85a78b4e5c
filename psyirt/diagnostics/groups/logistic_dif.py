"""Logistic DIF: does the group predict answers beyond the score (Swaminathan & Rogers, 1990), and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from psyirt.diagnostics.groups.dif_test import DIFTest
from psyirt.diagnostics.groups.logistic_regression import group_regressions
from psyirt.diagnostics.groups.mantel_haenszel import DELTA, ets_class
from psyirt.diagnostics.groups.matching import Array, ItemCounts
from psyirt.foundation.arguments import require_word

Kind = Literal["both", "uniform", "nonuniform"]

_TESTS = {
    "both": "H0: the group predicts answers neither beyond the score (uniform DIF) nor differently at different scores",
    "uniform": "H0: the group does not predict answers beyond the score (uniform DIF)",
    "nonuniform": "H0: the group's difference is the same at every score (non-uniform DIF)",
}
_SOURCE = (
    "Swaminathan & Rogers (1990), likelihood ratios; R2 Nagelkerke (1991); classes Jodoin & Gierl (2001), "
    "Zumbo & Thomas (1997), and of the odds ratio Monahan et al. (2007)"
)
# changes of R2 from which an effect is moderate, and large
_JODOIN_GIERL, _ZUMBO_THOMAS = (0.035, 0.07), (0.13, 0.26)
_LEVEL = 0.05


def logistic_dif(*, test: Kind = "both") -> DIFTest:
    """Likelihood-ratio tests of group and group x score, with changes of R2 and their classes.

    Parameters
    ----------
    test : {"both", "uniform", "nonuniform"}
        What statistic, p, r2_change with its classes, and flag are of: both at once (2 df), or one of them (1 df).

    Returns
    -------
    DIFTest

    Raises
    ------
    InputError
        If the test is unknown.
    """
    require_word(test, Kind, "test")
    return DIFTest(
        name="logistic DIF" if test == "both" else f"logistic DIF ({test})",
        tests=_TESTS[test],
        source=_SOURCE,
        rows=lambda items: _rows(items, test),
        effects=("jg_class",) if test == "nonuniform" else ("ets_class", "jg_class"),
        size="r2_change",
        needs_scores=True,
        notes=("delta below 0: harder for the focal group than for reference subjects of equal score",),
    )


def _rows(items: Sequence[ItemCounts], test: Kind) -> pd.DataFrame:
    """A row per item."""
    each = [group_regressions(counts) for counts in items]
    names = ("uniform", "nonuniform", "r2_uniform", "r2_nonuniform", "log_odds", "se")
    of = {name: np.array([getattr(one, name) for one in each], dtype=float) for name in names}
    parts = ("uniform", "nonuniform") if test == "both" else (test,)
    statistic = np.sum([of[part] for part in parts], axis=0)
    change = np.sum([of[f"r2_{part}"] for part in parts], axis=0)
    p = chdtrc(float(len(parts)), statistic)
    # the group's coefficient is the log odds of focal to reference, the reverse of Mantel-Haenszel's
    delta, se = -DELTA * of["log_odds"], -DELTA * of["se"]
    return pd.DataFrame(
        {
            "statistic": statistic,
            "df": float(len(parts)),
            "p": p,
            "r2_change": change,
            "jg_class": _classes(change, p, _JODOIN_GIERL),
            "zt_class": _classes(change, p, _ZUMBO_THOMAS),
            "delta": delta,
            "se": se,
            "ets_class": _ets_classes(delta, se, of["uniform"]),
            "uniform": of["uniform"],
            "p_uniform": chdtrc(1.0, of["uniform"]),
            "nonuniform": of["nonuniform"],
            "p_nonuniform": chdtrc(1.0, of["nonuniform"]),
            "note": [one.note for one in each],
        }
    )


def _ets_classes(delta: Array, se: Array, uniform: Array) -> list[str]:
    """The classes of Mantel-Haenszel DIF on the regression's odds ratio (Monahan et al., 2007)."""
    p = chdtrc(1.0, uniform)
    return [
        "" if np.isnan(each) else ets_class(float(each), float(error), float(own))
        for each, error, own in zip(delta, se, p, strict=True)
    ]


def _classes(change: Array, p: Array, bounds: tuple[float, float]) -> list[str]:
    """A negligible (or not different from 0 at .05), B moderate, C large; empty without a test."""
    moderate, large = bounds
    letters = np.where(change >= large, "C", np.where(change >= moderate, "B", "A"))
    letters = np.where(p >= _LEVEL, "A", letters)
    return np.where(np.isnan(p), "", letters).tolist()
