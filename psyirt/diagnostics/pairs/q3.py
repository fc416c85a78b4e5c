"""Q3: correlations of what the model leaves unexplained (Yen, 1984), and how far they lie above their mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.fitted_data import require_fitted
from psyirt.diagnostics.pairs.cells import NOBODY
from psyirt.diagnostics.pairs.pair_table import PairColumns, PairTest, pair_table
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.threads import one_blas_thread, slices
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scoring.eap import expected_a_posteriori
from psyirt.scoring.problem import ScoringProblem

Array = NDArray[np.float64]

NAME = "Q3"
_TESTS = "H0: given ability the two items are independent, against positive dependence"
_SOURCE = "Yen (1984, eq. 8); Q3* of Marais (2013) and Christensen, Makransky & Horton (2017)"
_NO_REFERENCE = (
    "Q3 has no usable reference distribution: without dependence its mean lies below 0, near -1 / (items - 1); "
    "a fixed cut-off such as 0.2 is no test"
)
_CELLS_AT_ONCE = 2_000_000
_BLOCK_ITEMS = 128
_FEWEST = 3
_TINY = np.finfo(float).tiny
# of a variance that is 0, rounding leaves this share of the sum of squares
_NO_SPREAD = 1e-12


def q3(
    calibration: Calibration,
    *,
    adjust: str | None = None,
    alpha: float = 0.05,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> StatisticTable:
    """Q3 of every pair: correlation of answer minus probability at the EAP, over the subjects who answered both.

    Parameters
    ----------
    calibration, adjust, alpha, bootstrap, seed, progress
        See :func:`psyirt.diagnostics.pairs.dependence.local_dependence`. p-values and flags need a bootstrap; they
        are one-sided, of q3_star.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2); statistic is Q3; q3_star is Q3 minus the mean over all pairs, whose largest value is
        the Q3* of Christensen et al. (the notes have it; with a bootstrap the familywise cut-off is their critical
        value); n, the subjects who answered both.
    """
    return pair_table(Q3, calibration, adjust, alpha, bootstrap, seed, progress)


@one_blas_thread()
def _columns(calibration: Calibration) -> PairColumns:
    """Q3, q3_star, n and note of every pair."""
    patterns = require_fitted(calibration, NAME)
    items = len(calibration.item_names)
    sums = _Sums(items, complete=patterns.is_complete)
    for rows, residuals in _residuals(calibration):
        sums.add(residuals, patterns.codes[rows] >= 0, patterns.weights[rows])
    blocks = [sums.pairs(rows) for rows in slices(items, _BLOCK_ITEMS)]
    value, n, flat = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    note = np.full(len(n), "", dtype=object)
    for item in np.flatnonzero(~_varies(patterns.codes)):
        note[_pairs_of(int(item), items)] = "an item does not vary"
    note[flat] = "no correlation: the residuals of an item do not vary in this pair"
    note[n < _FEWEST] = f"fewer than {_FEWEST} answered both items"
    note[n == 0.0] = NOBODY
    value[flat | (n < _FEWEST)] = np.nan
    known = value[~np.isnan(value)]
    return {"statistic": value, "q3_star": value - (known.mean() if len(known) else np.nan), "n": n, "note": note}


def _residuals(calibration: Calibration) -> Iterator[tuple[slice, Array]]:
    """Answer minus probability at the EAP, 0 where nothing was answered: rows and (rows, J), a block at a time."""
    patterns = require_fitted(calibration, NAME)
    parameters = calibration.item_parameters
    theta, _ = expected_a_posteriori(ScoringProblem(patterns, parameters, calibration.population, calibration.grid))
    values = parameters.values
    for rows in slices(len(theta), max(1, _CELLS_AT_ONCE // max(1, len(parameters)))):
        codes = patterns.codes_of(rows)
        probability = np.exp(parameters.model.log_probabilities(values, theta[rows, None])[:, 1]).T
        yield rows, np.where(codes >= 0, codes - probability, 0.0)


def _varies(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether both answers to an item occur, shape (J,)."""
    both: NDArray[np.bool_] = (codes == 1).any(axis=0) & (codes == 0).any(axis=0)
    return both


def _pairs_of(item: int, items: int) -> NDArray[np.intp]:
    """Where the pairs of one item stand among all pairs."""
    first, second = np.sort(np.column_stack([np.full(items, item), np.arange(items)]), axis=1).T
    place: NDArray[np.intp] = first * items - first * (first + 1) // 2 + second - first - 1
    return place[np.arange(items) != item]


class _Sums:
    """Weighted sums of pairwise products, added up over blocks of subjects.

    Parameters
    ----------
    items : int
        J.
    complete : bool
        Whether no answer is missing, so that an item's own sums are the same in every pair.
    """

    def __init__(self, items: int, complete: bool) -> None:
        self._complete = complete
        shape = (1, items) if complete else (items, items)
        self._products = np.zeros((items, items))
        # of item j over those who answered item i too: entry [i, j]
        self._totals, self._squares = np.zeros(shape), np.zeros(shape)
        self._n = np.zeros((1, 1) if complete else (items, items))

    def add(self, residuals: Array, seen: NDArray[np.bool_], weights: Array) -> None:
        """Add a block of subjects: residuals and seen of shape (rows, J), weights of shape (rows,)."""
        weighted = residuals * weights[:, None]
        self._products += weighted.T @ residuals
        if self._complete:
            self._totals += weighted.sum(axis=0)
            self._squares += (weighted * residuals).sum(axis=0)
            self._n += weights.sum()
            return
        also = seen.astype(float)
        self._totals += also.T @ weighted
        self._squares += also.T @ (weighted * residuals)
        self._n += (also * weights[:, None]).T @ also

    def pairs(self, rows: slice) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Of the pairs whose first item lies in `rows`: correlation, subjects, whether a residual does not vary."""
        items = len(self._products)
        shape = (len(range(items)[rows]), items)
        later = np.arange(items) > np.arange(items)[rows, None]

        def of(table: Array, turned: bool = False) -> Array:
            """The pairs' entries [first, second], or [second, first]."""
            if self._complete:
                table = table[:, rows].T if turned else table
            else:
                table = table[:, rows].T if turned else table[rows]
            return np.broadcast_to(table, shape)[later]

        n = of(self._n) if not self._complete else np.full(int(later.sum()), self._n[0, 0])
        one, other = of(self._totals, turned=True), of(self._totals)
        square_one, square_other = of(self._squares, turned=True), of(self._squares)
        count = np.maximum(n, _TINY)
        spread_one, spread_other = square_one - one**2 / count, square_other - other**2 / count
        flat = (spread_one <= _NO_SPREAD * square_one) | (spread_other <= _NO_SPREAD * square_other)
        product = self._products[rows][later] - one * other / count
        with np.errstate(divide="ignore", invalid="ignore"):
            return product / np.sqrt(spread_one * spread_other), n, flat


def _summary(columns: PairColumns) -> tuple[str, ...]:
    """Mean and Q3*, the largest value above it."""
    value, star = np.asarray(columns["statistic"], float), np.asarray(columns["q3_star"], float)
    known = ~np.isnan(value)
    if not known.any():
        return ()
    return (f"mean Q3 {value[known].mean():.4f}, Q3* (largest minus mean) {star[known].max():.4f}",)


Q3 = PairTest(
    NAME, _TESTS, _SOURCE, _columns, extreme="q3_star", has_reference=False, notes=(_NO_REFERENCE,), summary=_summary
)
