"""The 2 x 2 tables of pairs of items beside the model's: what LD-X2 and LD-G2 measure (Chen & Thissen, 1997)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.fitted_data import FittedData, fitted_data
from psyirt.diagnostics.pair_counts import pair_counts
from psyirt.diagnostics.pairs.pair_table import PairColumns
from psyirt.foundation.threads import one_blas_thread, slices
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

# (observed, expected), each (4, P): both right, first only, second only, neither -> a distance, shape (P,)
Distance = Callable[[Array, Array], Array]

TESTS = "H0: given ability the two items are independent, so the pair's 2 x 2 table is the model's"
SOURCE = "Chen & Thissen (1997)"
POOR_REFERENCE = (
    "chi-square with 1 df is only a rough reference: margins and slopes are fitted, and p tends to be too large; "
    "read the effect size beside it, or ask for a bootstrap"
)
NOBODY = "nobody answered both items"
NO_VARIANCE = "no sign: an item does not vary in this pair"
SMALL_EXPECTED = "an expected count is below 1"
# items whose pairs are worked on at once: 2,000 items need about 30 MB at a time
_BLOCK_ITEMS = 128


@one_blas_thread()
def cell_columns(calibration: Calibration, name: str, short: str, distance: Distance) -> PairColumns:
    """A distance between observed and expected tables, with its sign and effect sizes.

    Parameters
    ----------
    calibration : Calibration
        With responses.
    name, short : str
        The statistic, and the column of its unsigned value.
    distance : callable
        Pearson's or the likelihood ratio's.

    Returns
    -------
    PairColumns
        statistic, short, cramers_v, standardized, n, note.
    """
    data = fitted_data(calibration, name)
    items = len(data.correct)
    blocks = [_statistics(*cells, short, distance) for cells in _blocks(data, slices(items, _BLOCK_ITEMS))]
    return {column: np.concatenate([block[column] for block in blocks]) for column in blocks[0]}


def _blocks(data: FittedData, rows: list[slice]) -> Iterator[tuple[Array, Array]]:
    """Observed and expected cells of the pairs whose first item lies in each of `rows`, each (4, P)."""
    items = len(data.correct)
    for block in rows:
        columns = slice(block.start, items)
        counts = pair_counts(data.patterns.codes, data.patterns.weights, block, columns)
        later = np.arange(items)[columns] > np.arange(items)[block, None]
        cells = (counts.both, counts.first_only, counts.second_only, counts.neither)
        observed = np.stack([cell[later] for cell in cells])
        yield observed, _probabilities(data, block, columns)[:, later] * observed.sum(axis=0)


def _probabilities(data: FittedData, rows: slice, columns: slice) -> Array:
    """Model probabilities of the cells both, first only, second only, neither: shape (4, rows, columns)."""
    first = np.vstack([data.correct[rows], data.wrong[rows]]) * data.weights
    second = np.vstack([data.correct[columns], data.wrong[columns]])
    table = first @ second.T
    size, width = len(first) // 2, len(second) // 2
    return np.stack([table[:size, :width], table[:size, width:], table[size:, :width], table[size:, width:]])


def _statistics(observed: Array, expected: Array, short: str, distance: Distance) -> PairColumns:
    """Statistic, sign, effect sizes and note from the cells of P pairs, each (4, P)."""
    n = observed.sum(axis=0)
    size = np.where(n > 0.0, distance(observed, expected), np.nan)
    gamma_observed, gamma_expected = _gamma(observed), _gamma(expected)
    sign = np.where(gamma_observed < gamma_expected, -1.0, 1.0)
    note = np.full(len(n), "", dtype=object)
    note[expected.min(axis=0) < 1.0] = SMALL_EXPECTED
    note[np.isnan(gamma_observed)] = NO_VARIANCE
    note[n == 0.0] = NOBODY
    with np.errstate(invalid="ignore"):
        v = sign * np.sqrt(size / n)
    return {
        "statistic": sign * size,
        "cramers_v": v,
        "standardized": (size - 1.0) / np.sqrt(2.0),
        short: size,
        "n": n,
        "note": note,
    }


def _gamma(cells: Array) -> Array:
    """Goodman and Kruskal's gamma of 2 x 2 tables, NaN where one margin is a single category."""
    concordant, discordant = cells[0] * cells[3], cells[1] * cells[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (concordant - discordant) / (concordant + discordant)
