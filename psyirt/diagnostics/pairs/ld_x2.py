"""LD-X2: the 2 x 2 table of each pair of items against the model's (Chen & Thissen, 1997)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from psyirt.diagnostics.adjustment import decide
from psyirt.diagnostics.fitted_data import FittedData, fitted_data
from psyirt.diagnostics.pair_counts import pair_counts
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

NAME = "LD-X2"
TESTS = "H0: given ability the two items are independent, so the pair's 2 x 2 table is the model's"
SOURCE = "Chen & Thissen (1997)"
_POOR_REFERENCE = (
    "chi-square with 1 df is only a rough reference: margins are fitted, and p tends to be too large or too small; "
    "read the effect size beside it"
)
# items whose pairs are worked on at once: 2,000 items need about 30 MB at a time
_BLOCK_ITEMS = 128


@one_blas_thread()
def ld_x2(calibration: Calibration, *, adjust: str = "holm", alpha: float = 0.05) -> StatisticTable:
    """LD-X2 of every pair, over the subjects who answered both items.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the pairs.
    alpha : float
        Level of the flag.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2); statistic is signed: positive where the pair is more associated than the model says
        (gamma observed - gamma expected, 0 counts as positive), and so is cramers_v = sqrt(X2 / n). Also x2,
        standardized = (X2 - 1) / sqrt 2 (10 counts as large in the IRTPRO guide, Cai, Thissen & du Toit 2011), and n,
        the subjects who answered both.

    Raises
    ------
    InputError
        If `adjust` or `alpha` is not allowed.
    NotAvailableError
        If the calibration has no responses.
    """
    data = fitted_data(calibration, NAME)
    items = len(calibration.item_names)
    blocks = [_block(data, slice(start, start + _BLOCK_ITEMS)) for start in range(0, items, _BLOCK_ITEMS)]
    frame = pd.concat(blocks, ignore_index=True).set_index(_pair_index(calibration.item_names))
    decision = decide(frame["p"].to_numpy(float), adjust, alpha)
    frame = frame.assign(p_adjusted=decision.p_adjusted, flag=decision.flag)
    order = ["statistic", "df", "p", "p_adjusted", "cramers_v", "standardized", "x2", "n", "flag", "note"]
    return StatisticTable(
        frame[order], NAME, TESTS, SOURCE, decision.adjustment, decision.flagged_when, notes=(_POOR_REFERENCE,)
    )


def _pair_index(names: tuple[str, ...]) -> pd.MultiIndex:
    """All pairs, the first item before the second in the calibration's order."""
    first, second = np.triu_indices(len(names), 1)
    items = pd.Index(names)
    return pd.MultiIndex.from_arrays([items.take(first), items.take(second)], names=["item_1", "item_2"])


def _block(data: FittedData, rows: slice) -> pd.DataFrame:
    """Rows for the pairs whose first item lies in `rows`, in the order of `_pair_index`."""
    items = len(data.correct)
    counts = pair_counts(data.patterns.codes, data.patterns.weights, rows)
    later = np.arange(items) > np.arange(items)[rows, None]
    observed = np.stack([counts.both, counts.first_only, counts.second_only, counts.neither])[:, later]
    expected = _probabilities(data, rows)[:, later] * counts.subjects[later]
    return _statistics(observed, expected)


def _probabilities(data: FittedData, rows: slice) -> Array:
    """Model probabilities of the cells both, first only, second only, neither: shape (4, rows, J)."""
    first = np.vstack([data.correct[rows], data.wrong[rows]]) * data.weights
    size, items = len(first) // 2, len(data.correct)
    table = first @ np.vstack([data.correct, data.wrong]).T
    return np.stack([table[:size, :items], table[:size, items:], table[size:, :items], table[size:, items:]])


def _statistics(observed: Array, expected: Array) -> pd.DataFrame:
    """Statistic, sign, effect sizes and note from the cells of P pairs, each (4, P)."""
    n = observed.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (observed - expected) ** 2 / expected
    # a cell the model rules out adds nothing where it is empty, and refutes the model where it is not
    terms = np.where((expected == 0.0) & (observed == 0.0), 0.0, terms)
    x2 = np.where(n > 0.0, terms.sum(axis=0), np.nan)
    gamma_observed, gamma_expected = _gamma(observed), _gamma(expected)
    sign = np.where(gamma_observed < gamma_expected, -1.0, 1.0)
    note = np.full(len(n), "", dtype=object)
    note[expected.min(axis=0) < 1.0] = "an expected count is below 1"
    note[np.isnan(gamma_observed)] = "no sign: an item does not vary in this pair"
    note[n == 0.0] = "nobody answered both items"
    with np.errstate(invalid="ignore"):
        v = sign * np.sqrt(x2 / n)
    columns = {
        "statistic": sign * x2,
        "x2": x2,
        "standardized": (x2 - 1.0) / np.sqrt(2.0),
        "cramers_v": v,
        "df": np.ones(len(n)),
        "p": chdtrc(1.0, x2),
        "n": n,
        "note": note,
    }
    return pd.DataFrame(columns)


def _gamma(cells: Array) -> Array:
    """Goodman and Kruskal's gamma of 2 x 2 tables, NaN where one margin is a single category."""
    concordant, discordant = cells[0] * cells[3], cells[1] * cells[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (concordant - discordant) / (concordant + discordant)
