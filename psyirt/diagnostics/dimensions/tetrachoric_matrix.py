"""Tetrachoric correlations: what 0/1 items would correlate if they were cut from normal variables."""

from __future__ import annotations

import html
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from statsmodels.stats.correlation_tools import corr_clipped, corr_nearest
from statsmodels.tools.sm_exceptions import IterationLimitWarning

from psyirt.data.columns import listed
from psyirt.data.patterns import collapse
from psyirt.data.responses import ResponseSource
from psyirt.diagnostics.dimensions.tetrachoric_errors import EstimatedPairs, tetrachoric_errors
from psyirt.diagnostics.fitted_data import require_responses
from psyirt.diagnostics.pair_counts import PairCounts, pair_counts
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread
from psyirt.kernels.bivariate_normal import tetrachoric_matrix

Array = NDArray[np.float64]

SOURCE = "Olsson (1979), two-step maximum likelihood"
_ROWS_SHOWN = 12
_NAMED = 5
# an eigenvalue above minus this is rounding, not indefiniteness
_INDEFINITE = 1e-10
# smallest eigenvalue of a smoothed matrix, about
_SMALLEST = 1e-6
_SMOOTHING_STEPS = 100


@dataclass(frozen=True, eq=False)
class Tetrachoric(OwnsTables):
    """Tetrachoric correlations of all pairs of items.

    Attributes
    ----------
    correlations : DataFrame, shape (J, J)
        NaN for an item without variance and for a pair nobody answered; the notes say which.
    thresholds : Series, index item
        Normal quantile of the proportion wrong; NaN without variance.
    n : DataFrame, shape (J, J)
        Subjects (sum of weights) who answered both items.
    eigenvalues : DataFrame, index factor (1, 2, ...)
        Columns eigenvalue, share (of the number of items used), ratio (to the next eigenvalue; NaN for the last, and
        where the next is not positive). Empty if no matrix without gaps is left.
    smoothed : bool
        Whether the matrix was moved to the nearest positive definite one.
    notes : tuple of str
        What to know: items left out, empty cells, indefiniteness.
    estimated : EstimatedPairs
        What the standard errors are computed from.
    """

    correlations: pd.DataFrame
    thresholds: pd.Series
    n: pd.DataFrame
    eigenvalues: pd.DataFrame
    smoothed: bool
    notes: tuple[str, ...]
    estimated: EstimatedPairs = field(repr=False)

    @cached_property
    def se(self) -> pd.DataFrame:
        """Standard errors of the correlations as estimated (smoothing has none), shape (J, J).

        Asymptotic, thresholds being estimates too; 0 on the diagonal, NaN where the estimate is -1 or +1, or there is
        none.
        """
        return pd.DataFrame(tetrachoric_errors(self.estimated), index=self.n.index, columns=self.n.columns)

    def _head(self) -> str:
        """What it is, and the notes."""
        lines = [f"tetrachoric correlations of {len(self.thresholds)} items ({SOURCE})"]
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    def __repr__(self) -> str:
        """The notes, the first eigenvalues, and a corner of the matrix."""
        eigenvalues = self.eigenvalues.head(_ROWS_SHOWN).round(3).to_string()
        corner = self.correlations.round(3).to_string(max_rows=_ROWS_SHOWN, max_cols=_ROWS_SHOWN)
        return f"{self._head()}\n\n{eigenvalues}\n\n{corner}"

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        corner = self.correlations.round(3).to_html(max_rows=_ROWS_SHOWN, max_cols=_ROWS_SHOWN)
        return f"<pre>{html.escape(self._head())}</pre>{self.eigenvalues.head(_ROWS_SHOWN).round(3).to_html()}{corner}"


@one_blas_thread()
def tetrachoric(
    responses: ResponseSource, correction: float = 0.0, smooth: bool = False, *, weights: ArrayLike | None = None
) -> Tetrachoric:
    """Tetrachoric correlations, thresholds from each item's own responses, each pair over those who answered both.

    Parameters
    ----------
    responses : ResponseSource
        Subjects x items.
    correction : float
        Added to the empty cells of a pair's 2 x 2 table, e.g. 0.5. By default 0: the maximum likelihood estimate as it
        is, which is -1 or +1 where an empty cell lets the likelihood grow up to there (a note counts them).
    smooth : bool
        Move a matrix with negative eigenvalues to a near positive definite one (Higham 2002, by statsmodels).
        Correlations that are estimated pair by pair need not form a correlation matrix.
    weights : array_like, shape (subjects,), optional
        Frequency weights.

    Returns
    -------
    Tetrachoric

    Raises
    ------
    InputError
        If an argument is of another type, the correction is negative or not finite, or weights are not positive.

    Examples
    --------
    >>> import psyirt
    >>> answers = psyirt.Responses.from_array([[1, 1], [1, 1], [1, 0], [0, 1], [0, 0], [0, 0]])
    >>> round(float(tetrachoric(answers).correlations.loc["i1", "i2"]), 6)  # sin(2 pi (2/6 - 1/4))
    0.5
    """
    require_responses(responses, "tetrachoric")
    require(correction, Real, "correction", "tetrachoric", "Give 0 for none, or e.g. 0.5")
    require(smooth, (bool, np.bool_), "smooth", "tetrachoric", "Give True or False")
    if not 0.0 <= correction < np.inf:
        raise InputError(f"correction is {correction}", "tetrachoric", "Give 0 for none, or e.g. 0.5")
    patterns = collapse(responses, weights)
    answered = patterns.weights @ (patterns.codes >= 0)
    right = patterns.weights @ (patterns.codes == 1)
    varies = (right > 0.0) & (right < answered)
    below = np.full(len(right), np.nan)
    below[varies] = ndtri(right[varies] / answered[varies])
    counts = pair_counts(patterns.codes, patterns.weights)
    rho = tetrachoric_matrix(below, *_cells(counts, correction))
    estimated = EstimatedPairs(below, answered, counts, rho.copy())
    names = pd.Index(responses.item_names, name="item")
    notes = _notes(names, varies, rho, counts, correction)
    kept = np.flatnonzero(varies)
    square = rho[np.ix_(kept, kept)]
    smoothed = False
    if len(kept) and not np.isnan(square).any():
        square, more, smoothed = _settle(square, smooth)
        rho[np.ix_(kept, kept)] = square
        notes += more
    elif smooth:
        notes.append("not smoothed: the matrix has gaps")
    return Tetrachoric(
        pd.DataFrame(rho, index=names, columns=names),
        pd.Series(-below, index=names, name="threshold"),
        pd.DataFrame(counts.subjects, index=names, columns=names),
        _eigenvalues(square),
        smoothed,
        tuple(notes),
        estimated,
    )


def _cells(counts: PairCounts, correction: float) -> tuple[Array, Array, Array]:
    """Both, first only, neither; with the correction in the empty cells of pairs that somebody answered."""
    answered = counts.subjects > 0.0
    both, first, neither = (
        np.where(answered & (cell == 0.0), correction, cell)
        for cell in (counts.both, counts.first_only, counts.neither)
    )
    return both, first, neither


def _notes(names: pd.Index, varies: NDArray[np.bool_], rho: Array, counts: PairCounts, correction: float) -> list[str]:
    """Items without variance, pairs without subjects, empty cells."""
    notes = []
    if not varies.all():
        notes.append(f"no variance, so no correlation: {listed(names[~varies].to_list(), _NAMED)}")
    upper = np.triu(varies[:, None] & varies, 1)
    unanswered = np.argwhere(upper & (counts.subjects == 0.0))
    if len(unanswered):
        pairs = [f"{names[i]} with {names[j]}" for i, j in unanswered]
        notes.append(f"nobody answered both, so no correlation: {listed(pairs, _NAMED)}")
    empty = np.min([counts.both, counts.first_only, counts.second_only, counts.neither], axis=0) == 0.0
    cells = int((upper & empty & (counts.subjects > 0.0)).sum())
    extreme = int((upper & (np.abs(rho) == 1.0)).sum())
    if cells and correction > 0.0:
        notes.append(f"{cells} pairs have an empty cell, where {correction:g} was added")
    elif extreme:
        notes.append(f"{extreme} pairs have an empty cell and the estimate -1 or +1; correction=0.5 draws them in")
    return notes


def _settle(square: Array, smooth: bool) -> tuple[Array, list[str], bool]:
    """The matrix, smoothed if asked for and needed; what to say about it; whether it was smoothed."""
    lowest = float(np.linalg.eigvalsh(square)[0])
    if lowest > -_INDEFINITE:
        return square, [], False
    indefinite = f"not positive semi-definite: the smallest eigenvalue is {lowest:.3g}"
    if not smooth:
        return square, [f"{indefinite}; smooth=True moves it to the nearest correlation matrix"], False
    nearest = nearest_correlations(square)
    moved = float(np.abs(nearest - square).max())
    return nearest, [f"{indefinite}; smoothed, which moved a correlation by up to {moved:.3g}"], True


def nearest_correlations(square: Array) -> Array:
    """A positive definite correlation matrix near a symmetric one (Higham, 2002, algorithm 3.3).

    Alternating projections settle within some hundred steps and then only polish; statsmodels' own criterion is
    hardly ever met, so its warning is dropped and what is left of a negative eigenvalue is clipped.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IterationLimitWarning)
        nearest = np.asarray(corr_nearest(square, threshold=_SMALLEST, n_fact=_SMOOTHING_STEPS / len(square)))
    nearest = np.asarray(corr_clipped(nearest, threshold=_SMALLEST))
    np.fill_diagonal(nearest, 1.0)
    return 0.5 * (nearest + nearest.T)


def _eigenvalues(square: Array) -> pd.DataFrame:
    """Eigenvalues from the largest down, their shares and ratios; empty if the matrix has gaps."""
    values = np.array([]) if np.isnan(square).any() or not len(square) else np.linalg.eigvalsh(square)[::-1]
    ratio = np.full(len(values), np.nan)
    if len(values) > 1:
        np.divide(values[:-1], values[1:], out=ratio[:-1], where=values[1:] > 0.0)
    return pd.DataFrame(
        {"eigenvalue": values, "share": values / max(len(values), 1), "ratio": ratio},
        index=pd.RangeIndex(1, len(values) + 1, name="factor"),
    )
