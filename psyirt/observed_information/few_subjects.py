"""Each item's block of the inverse of Louis's information, where few subjects answered too many items for the whole.

What is missing is a sum over subjects of posterior covariances of the complete-data score, and the posterior of a
subject with many answers is so narrow that the score is nearly a straight line over it. Projected on the first d
polynomials that are orthonormal under the posterior, the covariance is U_i U_i' with d columns. With D the
block-diagonal rest, L its Cholesky factor, U all subjects' columns and V = L^-1 U, the information is L (1 - V V') L',
and its inverse

    L'^-1 (1 + V (1 - V'V)^-1 V') L^-1

needs one matrix of subjects * d rows and columns (Woodbury's identity), while items are walked through in blocks. What
d polynomials leave out of an item's own block is kept in D; it tells how large d must be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular

from psyirt.foundation.threads import one_blas_thread
from psyirt.models.base import Array
from psyirt.observed_information.narrow_posteriors import orthonormal_polynomials, posterior_weights
from psyirt.observed_information.point import FitPoint

# rows of the one matrix, at most
LARGEST = 8000
# polynomials that are tried, and the share of an item's information that may fall between items for those left out
_DEGREES, _LEFT_OUT = (1, 2, 3, 4, 6, 8), 1e-6
# the same share for any item, of which the sample saw only some
_TOLERATED = 10 * _LEFT_OUT
# items that tell how many polynomials are needed; doubles of a block of items
_ITEMS_ASKED, _BLOCK_NUMBERS = 200, 8_000_000
# a parameter that loads this share of the largest loading carries a direction
_CARRIES = 0.1
# posterior weights below it add nothing to a sum of doubles
_NO_WEIGHT = 1e-20


@dataclass(frozen=True, eq=False)
class InverseBlocks:
    """Blocks of the inverse information, estimation scale.

    Attributes
    ----------
    items : ndarray, shape (J, S, S)
        One for each item, 0 where a slot is fixed or not used.
    latent : ndarray, shape (M, M)
        That of the free latent moments.
    carriers : ndarray of int
        Positions in the free vector that carry directions in which the information is not positive; none where it is
        positive definite. The blocks mean nothing otherwise.
    """

    items: Array
    latent: Array
    carriers: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Block:
    """Consecutive items, or the latent moments, as an item of their own.

    Attributes
    ----------
    items : ndarray of int, shape (B,)
        Which items; empty for the moments.
    rest : ndarray, shape (B, S, S)
        D: complete-data information and priors, less what the polynomials leave out; the identity in slots not used.
    columns : ndarray, shape (B, S, d N)
        U.
    left_out : float
        The largest share of a diagonal element that the polynomials leave out.
    """

    items: NDArray[np.intp]
    rest: Array
    columns: Array
    left_out: float


@one_blas_thread()
def inverse_blocks(point: FitPoint, use: NDArray[np.bool_]) -> InverseBlocks | None:
    """Louis's information inverted, priors included, item by item.

    Parameters
    ----------
    point : FitPoint
        Where; items must share no parameter.
    use : ndarray of bool, shape (size,)
        Parameters that are not taken as known.

    Returns
    -------
    InverseBlocks or None
        None where subjects are too many, or their posteriors too wide, for a matrix of at most `LARGEST` rows.
    """
    for few in _FewSubjects.with_enough_polynomials(point, use):
        found = few.inverse()
        if found is not None:
            return found
    return None


@dataclass(frozen=True, eq=False)
class _FewSubjects:
    point: FitPoint
    use: NDArray[np.bool_]
    nodes: NDArray[np.intp]
    posterior: Array
    degree: int

    @classmethod
    def with_enough_polynomials(cls, point: FitPoint, use: NDArray[np.bool_]) -> Iterator[_FewSubjects]:
        """As many polynomials as a sample of items asks for, and more; none where that is too many."""
        if point.patterns.rows > LARGEST:
            return
        posterior = posterior_weights(point)
        nodes = np.flatnonzero((posterior > _NO_WEIGHT).any(axis=0))
        step = -(-len(point.values) // _ITEMS_ASKED)
        for degree in _DEGREES:
            if degree * len(posterior) > LARGEST:
                return
            few = cls(point, use, nodes, posterior[:, nodes], degree)
            if max(block.left_out for block in few.blocks(step)) <= _LEFT_OUT:
                yield few

    @cached_property
    def slots(self) -> NDArray[np.intp]:
        """Slots that any item uses."""
        return np.flatnonzero(self.used_slots.any(axis=0))

    @cached_property
    def used_slots(self) -> NDArray[np.bool_]:
        """Which slots of which item are used, shape (J, S)."""
        index = self.point.layout.index
        return np.asarray((index >= 0) & self.use[np.maximum(index, 0)])

    @cached_property
    def weighted_basis(self) -> Array:
        """Orthonormal polynomials times posterior weights and the root of the subject's weight, shape (d + 1, R, Q)."""
        theta = self.point.grid.nodes[self.nodes, 0]
        basis = orthonormal_polynomials(theta, self.posterior, self.degree)
        return np.asarray(basis * self.posterior * np.sqrt(self.point.patterns.weights)[:, None])

    def blocks(self, every: int = 1) -> Iterator[_Block]:
        """Blocks of items (every so many of them), then the latent moments."""
        rows = len(self.posterior) * (self.degree + 1)
        step = max(1, _BLOCK_NUMBERS // (len(self.slots) * max(rows, 4 * len(self.nodes))))
        chosen = np.arange(0, len(self.point.values), every)
        for start in range(0, len(chosen), step):
            yield self._of_items(chosen[start : start + step])
        if self.point.layout.free_moments:
            yield self._of_moments()

    def _of_items(self, items: NDArray[np.intp]) -> _Block:
        model, values, nodes = self.point.model, self.point.values[items], self.point.grid.nodes[self.nodes]
        codes = self.point.patterns.columns(items)
        weighted = self.posterior * self.point.patterns.weights[:, None]
        counts = np.stack([(codes == k).T.astype(float) @ weighted for k in range(model.categories)], axis=1)
        scores = model.scores(values, nodes)[..., self.slots]
        complete = model.derivatives(values, nodes, counts, "observed").information[:, self.slots][:, :, self.slots]
        within = np.einsum("jkq,jkqs,jkqt->jst", counts, scores, scores, optimize=True)
        projected = np.zeros((self.degree + 1, len(codes), *values.shape[:1], len(self.slots)))
        for k in range(model.categories):
            answered = (codes == k)[:, :, None]
            flat = np.ascontiguousarray(np.moveaxis(scores[:, k], 0, 1)).reshape(len(nodes), -1)
            projected += (self.weighted_basis @ flat).reshape(projected.shape) * answered
        used = self.used_slots[items][:, self.slots]
        priors = np.where(used, self.point.prior_information[self.point.layout.index[items][:, self.slots]], 0.0)
        return self._block(items, complete, within, projected, used, priors)

    def _of_moments(self) -> _Block:
        first, second = (part[..., self.nodes] for part in self.point.latent_scores)
        node_counts = self.point.patterns.weights @ self.posterior
        within = (first * node_counts) @ first.T
        projected = (self.weighted_basis @ first.T)[:, :, None, :]
        at = self.point.layout.item_size
        used, priors = self.use[None, at:], self.point.prior_information[None, at:]
        return self._block(
            np.array([], dtype=np.intp), -(second @ node_counts)[None], within[None], projected, used, priors
        )

    def _block(
        self,
        items: NDArray[np.intp],
        complete: Array,
        within: Array,
        projected: Array,
        used: NDArray[np.bool_],
        priors: Array,
    ) -> _Block:
        """Split the missing information into columns and what the polynomials leave out of it."""
        by_item = np.moveaxis(projected, (0, 1), (2, 3)).reshape(*used.shape, -1)
        left_out = within - by_item @ np.swapaxes(by_item, 1, 2)
        rest = complete - left_out
        slots = np.arange(used.shape[1])
        rest[:, slots, slots] += priors
        share = left_out[:, slots, slots][used] / np.abs(rest[:, slots, slots][used])
        both = used[:, :, None] & used[:, None, :]
        rest = np.where(both, rest, np.eye(len(slots)))
        columns = by_item[..., len(self.posterior) :] * used[..., None]
        return _Block(items, rest, columns, float(np.max(share, initial=0.0)))

    def inverse(self) -> InverseBlocks | None:
        """The blocks of the inverse; None where an item needs more polynomials than the sample did."""
        layout, size = self.point.layout, self.degree * len(self.posterior)
        inner = np.eye(size)
        for block in self.blocks():
            if block.left_out > _TOLERATED:
                return None
            roots, bad = _inverse_roots(block.rest)
            if bad.any():
                return self._not_positive(self._positions(block)[bad].ravel())
            scaled = (roots @ block.columns).reshape(-1, size)
            inner -= scaled.T @ scaled
        try:
            factor = cholesky(inner, lower=True)
        except LinAlgError:
            return self._not_positive(self._carriers(eigh(inner, subset_by_index=[0, 0])[1][:, 0]))
        items = np.zeros((len(self.point.values), *layout.index.shape[1:], layout.index.shape[1]))
        latent = np.zeros((len(layout.free_moments),) * 2)
        for block in self.blocks():
            roots, _ = _inverse_roots(block.rest)
            scaled = (roots @ block.columns).reshape(-1, size)
            solved = solve_triangular(factor, scaled.T, lower=True).T.reshape(block.columns.shape)
            found = np.swapaxes(roots, 1, 2) @ (np.eye(roots.shape[1]) + solved @ np.swapaxes(solved, 1, 2)) @ roots
            if len(block.items):
                used = self.used_slots[block.items][:, self.slots]
                places = np.ix_(block.items, self.slots, self.slots)
                items[places] = np.where(used[:, :, None] & used[:, None, :], found, 0.0)
            else:
                latent[:] = found[0]
        return InverseBlocks(items, latent, np.array([], dtype=np.intp))

    def _positions(self, block: _Block) -> NDArray[np.intp]:
        """Positions in the free vector of a block's slots, shape (B, S); -1 where they are not used."""
        layout = self.point.layout
        if not len(block.items):
            return np.arange(layout.item_size, layout.size)[None]
        used = self.used_slots[block.items][:, self.slots]
        return np.where(used, layout.index[block.items][:, self.slots], -1)

    def _carriers(self, direction: Array) -> NDArray[np.intp]:
        """Parameters with the largest loadings on a direction in which the information is not positive, in order."""
        loadings, places = [], []
        for block in self.blocks():
            roots, _ = _inverse_roots(block.rest)
            loadings.append(np.abs(roots @ block.columns @ direction).ravel())
            places.append(self._positions(block).ravel())
        size = np.concatenate(loadings)
        order = np.argsort(-size, kind="stable")
        return np.asarray(np.concatenate(places)[order][size[order] > _CARRIES * size.max()], dtype=np.intp)

    def _not_positive(self, carriers: NDArray[np.intp]) -> InverseBlocks:
        index = self.point.layout.index
        moments = len(self.point.layout.free_moments)
        return InverseBlocks(
            np.zeros((*index.shape, index.shape[1])), np.zeros((moments,) * 2), carriers[carriers >= 0]
        )


def _inverse_roots(rest: Array) -> tuple[Array, NDArray[np.bool_]]:
    """L^-1 with L L' = rest for each block, and which blocks are not positive definite."""
    bad = ~(np.linalg.eigvalsh(rest)[:, 0] > 0.0)
    factors = np.linalg.cholesky(np.where(bad[:, None, None], np.eye(rest.shape[1]), rest))
    return np.asarray(np.linalg.inv(factors)), bad
