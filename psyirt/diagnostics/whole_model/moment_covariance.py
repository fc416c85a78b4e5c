"""The covariance matrix of first and second moments as an operator: never formed, so that 1,000 items fit into memory.

Given ability the items are independent, so that at a node z_j = away_j + e_j with independent e_j of variance spread_j,
and a sum x'c over moments has the conditional mean s = sum_j away_j (x_j + A_j / 2), A_j = sum_k x_jk away_k, and the
linear part sum_j (x_j + A_j) e_j. Covariances with the moments follow from products of (nodes x items) with (items x
items) matrices: 4 Q J^2 operations where the matrix itself would take J^4 / 4 numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.whole_model.item_moments import AnswerSets, ExpectedItems, Moments

Array = NDArray[np.float64]

# numbers in a block of (answer sets x nodes, items): what the cache holds (measured)
_BLOCK_NUMBERS = 50_000


@dataclass(frozen=True, eq=False)
class MomentCovariance:
    """Covariance of sqrt(counts) times the moments, under the model and missing completely at random.

    A subject adds c / count to each moment whose items he or she answered. So the covariance of two moments is
    Cov(c, c') n(both) / (n n'), n(both) the subjects who answered all items of the two: here summed over the distinct
    sets of answered items.

    Parameters
    ----------
    expected : ExpectedItems
        The items at the nodes.
    sets : AnswerSets
        Who answered what.
    moments : Moments
        Which moments, and how many subjects each is a mean over.
    """

    expected: ExpectedItems
    sets: AnswerSets
    moments: Moments

    @cached_property
    def variances(self) -> Array:
        """The diagonal, shape (S + T,)."""
        first, second = self.moments.first, self.moments.second
        of_pairs = self.expected.square_products[first, second] - self.expected.covariances[first, second] ** 2
        return np.concatenate([self.expected.variances[self.moments.items], of_pairs])

    def __matmul__(self, vector: Array) -> Array:
        """The matrix times a vector, shape (S + T,)."""
        moments, roots = self.moments, self._roots
        items = len(self.expected.means)
        scaled, split = vector / roots, len(moments.items)
        singles, pairs = np.zeros(items), np.zeros((items, items))
        singles[moments.items] = scaled[:split]
        pairs[moments.first, moments.second] = pairs[moments.second, moments.first] = scaled[split:]
        of_singles, of_pairs = np.zeros(items), np.zeros((items, items))
        for block in self._blocks():
            block.add(singles, pairs, of_singles, of_pairs)
        of_pairs += of_pairs.T
        out = np.concatenate([of_singles[moments.items], of_pairs[moments.first, moments.second]]) / roots
        out[split:] += self._own * vector[split:]
        return out

    @cached_property
    def _roots(self) -> Array:
        return np.sqrt(self.moments.counts)

    @cached_property
    def _own(self) -> Array:
        """Variance of e_j e_k, which no other moment shares."""
        return self.expected.spread_products[self.moments.first, self.moments.second]

    def _blocks(self) -> Iterator[_Block]:
        """Answer sets, a few at a time; all of complete responses are one."""
        if len(self.sets.answered) == 1 and self.sets.answered.all():
            yield self._complete
            return
        nodes, items = self.expected.away.shape
        step = max(1, _BLOCK_NUMBERS // (nodes * items))
        for start in range(0, len(self.sets.answered), step):
            answered = self.sets.answered[start : start + step, None, :]
            weights = self.sets.subjects[start : start + step, None] * self.expected.weights
            away, spread = answered * self.expected.away, answered * self.expected.spread
            yield _Block(weights, self.expected.weights, away, spread)

    @cached_property
    def _complete(self) -> _Block:
        expected = self.expected
        return _Block(
            self.sets.subjects[:, None] * expected.weights, expected.weights, expected.away[None], expected.spread[None]
        )


@dataclass(frozen=True, eq=False)
class _Block:
    """G answer sets at Q nodes.

    Attributes
    ----------
    weights : ndarray, shape (G, Q)
        Expected subjects at each node.
    nodes : ndarray, shape (Q,)
        Population weights.
    away, spread : ndarray, shape (G, Q, J)
        As in ExpectedItems, 0 where an item was not answered.
    """

    weights: Array
    nodes: Array
    away: Array
    spread: Array

    def add(self, singles: Array, pairs: Array, of_singles: Array, of_pairs: Array) -> None:
        """Add the covariances of x'c with z_j to `of_singles`, with z_j z_k to `of_pairs` in two halves."""
        items = len(singles)
        away, spread = self.away.reshape(-1, items), self.spread.reshape(-1, items)
        half = 0.5 * (away @ pairs)
        half += singles
        means = np.einsum("rj,rj->r", away, half).reshape(self.weights.shape)
        means -= (means @ self.nodes)[:, None]
        # singles + A: the linear part at its full size
        half *= 2.0
        half -= singles
        half *= spread
        half *= self.weights.reshape(-1, 1)
        between = (self.weights * means).reshape(-1)
        of_singles += half.sum(axis=0) + between @ away
        half += (0.5 * between)[:, None] * away
        of_pairs += half.T @ away
