"""The people a scale was calibrated on: what later percentiles compare with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource

Array = NDArray[np.float64]

# more distinct abilities than this are kept as so many quantiles
MOST_VALUES = 2000
# abilities of patterns that tie (equal scores under Rasch) differ in their last digits
_DIGITS = 10


@dataclass(frozen=True)
class Crowd:
    """Abilities and scores of the calibration crowd.

    Attributes
    ----------
    n : float
        Subjects (the sum of their weights).
    thetas : tuple of float
        Distinct EAP abilities, increasing.
    counts : tuple of int
        How many people have each.
    exact : bool
        True: everybody is counted. False: more than 2,000 distinct values (or weights that are not whole numbers),
        so `thetas` are quantiles of 2,000 equal parts, and crowd percentiles and ties are good to about 0.05
        percentage points.
    n_complete : float
        Subjects who answered every item.
    number_correct : tuple of float
        How many of those had 0, 1, ..., J items right.
    mean_accuracy : float
        Share correct of all answers given, 0 to 1.
    recruitment : str
        Who they were and how they came, in the words of whoever built the scale.
    """

    n: float
    thetas: tuple[float, ...]
    counts: tuple[int, ...]
    exact: bool
    n_complete: float
    number_correct: tuple[float, ...]
    mean_accuracy: float
    recruitment: str = ""

    @property
    def at_ceiling(self) -> float:
        """Share of the complete answerers with every item right; NaN if nobody answered all items."""
        return self.number_correct[-1] / self.n_complete if self.n_complete else float("nan")

    @property
    def at_floor(self) -> float:
        """Share of the complete answerers with every item wrong; NaN if nobody answered all items."""
        return self.number_correct[0] / self.n_complete if self.n_complete else float("nan")

    def members(self) -> Array:
        """One ability for each person counted, increasing."""
        return np.repeat(np.array(self.thetas), np.array(self.counts, dtype=int))


def make_crowd(patterns: PatternSource, theta: Array, recruitment: str) -> Crowd:
    """Summarise a calibration's subjects.

    Parameters
    ----------
    patterns : PatternSource
        R response patterns over J items.
    theta : ndarray, shape (R,)
        Their EAP abilities.
    recruitment : str
        See :class:`Crowd`.

    Returns
    -------
    Crowd
    """
    weights, codes = patterns.weights, patterns.codes
    complete = (codes >= 0).all(1)
    right = np.bincount((codes[complete] == 1).sum(1), weights=weights[complete], minlength=codes.shape[1] + 1)
    answered = float(weights @ (codes >= 0).sum(1))
    values, counts, exact = _distinct(theta, weights)
    return Crowd(
        n=patterns.total,
        thetas=tuple(float(value) for value in values),
        counts=tuple(int(count) for count in counts),
        exact=exact,
        n_complete=float(weights[complete].sum()),
        number_correct=tuple(float(count) for count in right),
        mean_accuracy=float(weights @ (codes == 1).sum(1)) / answered if answered else float("nan"),
        recruitment=recruitment,
    )


def _distinct(theta: Array, weights: Array) -> tuple[Array, Array, bool]:
    """Distinct values with whole counts; quantiles where there are too many values or the weights are not whole."""
    values, place = np.unique(np.round(theta, _DIGITS), return_inverse=True)
    totals = np.bincount(place.ravel(), weights=weights, minlength=len(values))
    counts = np.rint(totals)
    if len(values) <= MOST_VALUES and np.array_equal(weights, np.rint(weights)):
        return values, counts, True
    share = np.cumsum(totals) / totals.sum()
    middles = (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES
    at = np.minimum(np.searchsorted(share, middles), len(values) - 1)
    chosen, copies = np.unique(at, return_counts=True)
    return values[chosen], copies.astype(float), False
