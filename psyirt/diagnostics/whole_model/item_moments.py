"""First and second moments of responses, observed beside expected, for statistics of limited information.

The moments are those of z_j = y_j - mu_j, mu_j the model's mean of item j: the J means of z_j and the J (J - 1) / 2
means of z_j z_k. They carry what the means of y_j and y_j y_k carry, and are nearly uncorrelated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.response_source import MISSING
from psyirt.diagnostics.fitted_data import FittedData

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# response rows turned into floats at once
_BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class ExpectedItems:
    """Items at the nodes, about their means.

    Attributes
    ----------
    weights : ndarray, shape (Q,)
        Population weights of the nodes.
    means : ndarray, shape (J,)
        mu_j = P(correct).
    away : ndarray, shape (Q, J)
        P_j(theta) - mu_j.
    spread : ndarray, shape (Q, J)
        P_j(theta) (1 - P_j(theta)).
    """

    weights: Array
    means: Array
    away: Array
    spread: Array

    @property
    def variances(self) -> Array:
        """mu_j (1 - mu_j), shape (J,)."""
        return self.means * (1.0 - self.means)

    @cached_property
    def covariances(self) -> Array:
        """Model covariance of each pair of items, shape (J, J); only what lies off the diagonal means anything."""
        return np.asarray((self.away.T * self.weights) @ self.away)

    @cached_property
    def spread_products(self) -> Array:
        """Mean over ability of the product of two items' conditional variances, shape (J, J)."""
        return np.asarray((self.spread.T * self.weights) @ self.spread)

    @cached_property
    def square_products(self) -> Array:
        """E(z_j^2 z_k^2), shape (J, J)."""
        squares = self.spread + self.away**2
        return np.asarray((squares.T * self.weights) @ squares)


def expected_items(data: FittedData) -> ExpectedItems:
    """The items of a calibration about their means."""
    means = data.correct @ data.weights
    away = np.ascontiguousarray((data.correct - means[:, None]).T)
    return ExpectedItems(data.weights, means, away, np.ascontiguousarray((data.correct * data.wrong).T))


@dataclass(frozen=True, eq=False)
class AnswerSets:
    """Which items were answered together, and by how many.

    Attributes
    ----------
    answered : ndarray of bool, shape (G, J)
        The distinct sets of answered items.
    subjects : ndarray, shape (G,)
        Sum of the weights of the subjects who answered just these.
    """

    answered: NDArray[np.bool_]
    subjects: Array

    @cached_property
    def together(self) -> Array:
        """Subjects who answered both items of a pair, on the diagonal those who answered the item, shape (J, J)."""
        sets = self.answered.astype(float)
        return np.asarray((sets.T * self.subjects) @ sets)


def answer_sets(patterns: PatternSource) -> AnswerSets:
    """The distinct sets of answered items of some responses."""
    if patterns.is_complete:
        return AnswerSets(np.ones((1, patterns.codes.shape[1]), dtype=bool), np.array([patterns.total]))
    answered = patterns.codes != MISSING
    _, first, index = np.unique(np.packbits(answered, axis=1), axis=0, return_index=True, return_inverse=True)
    subjects = np.bincount(index.ravel(), weights=patterns.weights, minlength=len(first))
    return AnswerSets(answered[first], subjects.astype(float))


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments that were observed, minus what the model expects of them.

    Attributes
    ----------
    items : ndarray of int, shape (S,)
        Items that anybody answered.
    first, second : ndarray of int, shape (T,)
        Pairs of items that anybody answered together, first < second.
    counts : ndarray, shape (S + T,)
        Subjects each moment is a mean over.
    residuals : ndarray, shape (S + T,)
        Observed minus expected: means of z_j, then means of z_j z_k minus their model covariance.
    """

    items: Index
    first: Index
    second: Index
    counts: Array
    residuals: Array

    def __len__(self) -> int:
        """How many moments there are."""
        return len(self.counts)


def observed_moments(patterns: PatternSource, expected: ExpectedItems, sets: AnswerSets) -> Moments:
    """Residuals of first and second order, each over the subjects who answered the items."""
    sums, products = centred_sums(patterns, expected.means)
    number = np.diag(sets.together)
    items = np.flatnonzero(number > 0)
    first, second = (at.astype(np.intp) for at in np.nonzero(np.triu(sets.together, 1) > 0))
    pairs = sets.together[first, second]
    second_order = products[first, second] / pairs - expected.covariances[first, second]
    return Moments(
        items,
        first,
        second,
        np.concatenate([number[items], pairs]),
        np.concatenate([sums[items] / number[items], second_order]),
    )


def centred_sums(patterns: PatternSource, means: Array) -> tuple[Array, Array]:
    """Weighted sums over subjects of y_j - means_j, shape (J,), and of products of two such, (J, J); 0 if missing."""
    items = patterns.codes.shape[1]
    sums, products = np.zeros(items), np.zeros((items, items))
    for start in range(0, len(patterns.codes), _BLOCK_ROWS):
        codes = patterns.codes[start : start + _BLOCK_ROWS]
        off = np.where(codes == MISSING, 0.0, codes - means)
        weighted = off * patterns.weights[start : start + _BLOCK_ROWS, None]
        sums += weighted.sum(axis=0)
        products += weighted.T @ off
    return sums, products
