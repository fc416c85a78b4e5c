"""Log-likelihoods of response patterns as functions of ability, at shared nodes or at each pattern's own point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from psyirt.foundation.registry import Registry
from psyirt.kernels.ability_sums import ability_sums
from psyirt.models.parameters import ItemParameters

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# what a model may name in `fused_kernel`: (values, codes, theta, rows, out) fills out with the first and second
# derivative of the log-likelihood, the test information, and its derivative
ABILITY_KERNELS: Registry[Callable[..., None]] = Registry("ability kernel", {"logistic": ability_sums})


class PatternCurves:
    """log P(pattern | theta), its derivatives, and the test information of the items a pattern answered.

    It is the criterion that ML maximises (see :class:`psyirt.scoring.search.Criterion`) and a part of the others.

    Parameters
    ----------
    parameters : ItemParameters
        J items of one dimension.
    codes : ndarray of int8, shape (R, J)
        1, 0, -1 missing.
    """

    def __init__(self, parameters: ItemParameters, codes: NDArray[np.int8]) -> None:
        self.model = parameters.model
        self.values = parameters.values
        self.codes = np.ascontiguousarray(codes)
        self.right = np.ascontiguousarray(codes.T == 1)
        self.seen = np.ascontiguousarray(codes.T >= 0)
        self.complete = bool(self.seen.all())

    def __len__(self) -> int:
        """R, the number of patterns."""
        return int(self.right.shape[1])

    def at_nodes(self, nodes: Array) -> Array:
        """Log-likelihood of every pattern at shared nodes, shape (R, Q)."""
        table = self.model.log_probabilities(self.values, nodes[:, None])
        wrong = table[:, 0].sum(0) if self.complete else self.seen.T.astype(float) @ table[:, 0]
        return self.right.T.astype(float) @ (table[:, 1] - table[:, 0]) + wrong

    def information_at_nodes(self, nodes: Array) -> Array:
        """Test information of the answered items at shared nodes, shape (R, Q) or, if nothing is missing, (1, Q)."""
        each = self.model.information(self.values, nodes[:, None])
        return each.sum(0, keepdims=True) if self.complete else self.seen.T.astype(float) @ each

    def value(self, theta: Array, rows: Rows) -> Array:
        """Log-likelihood of pattern rows[n] at theta[n], shape (N,)."""
        return self._over_items(self.model.log_probabilities(self.values, theta[:, None]), rows)

    def slope(self, theta: Array, rows: Rows) -> Array:
        """Derivative of the log-likelihood of pattern rows[n] at theta[n], shape (N,)."""
        return self.derivatives(theta, rows)[0]

    def derivatives(self, theta: Array, rows: Rows) -> tuple[Array, Array]:
        """First and second derivative of the log-likelihood of pattern rows[n] at theta[n], each of shape (N,)."""
        if self.model.fused_kernel:
            sums = self._fused(theta, rows)
            return sums[:, 0], sums[:, 1]
        first, second = self.model.ability_derivatives(self.values, theta[:, None])
        return self._over_items(first, rows), self._over_items(second, rows)

    def limits(self) -> tuple[Array, Array]:
        """Log-likelihood of every pattern as theta goes to minus and to plus infinity, each of shape (R,)."""
        slope, intercept = self.values[:, 0], self.values[:, 1]
        lower, upper = expit(self.values[:, 2]), expit(self.values[:, 3])
        flat = lower + (upper - lower) * expit(intercept)
        low = np.select([slope > 0, slope < 0], [lower, upper], flat)
        high = np.select([slope > 0, slope < 0], [upper, lower], flat)
        with np.errstate(divide="ignore"):
            at_minus, at_plus = (np.stack([np.log1p(-p), np.log(p)], axis=1)[:, :, None] for p in (low, high))
        rows = np.arange(len(self))
        return self._over_items(at_minus, rows), self._over_items(at_plus, rows)

    def slope_and_information(self, theta: Array, rows: Rows) -> tuple[Array, Array, Array]:
        """Derivative of the log-likelihood, test information I and dI/dtheta at theta[n], each of shape (N,).

        With l = log P_k: I = sum_k P_k l'^2 and dI/dtheta = sum_k P_k l' (l'^2 + 2 l''), whatever the model.
        """
        if self.model.fused_kernel:
            sums = self._fused(theta, rows)
            return sums[:, 0], sums[:, 2], sums[:, 3]
        first, second = self.model.ability_derivatives(self.values, theta[:, None])
        mass = np.exp(self.model.log_probabilities(self.values, theta[:, None])) * first
        slope = self._over_items(first, rows)
        second *= 2.0
        second += first**2
        first *= mass
        second *= mass
        seen = True if self.complete else self.seen[:, rows]
        information = (first[:, 0] + first[:, 1]).sum(0, where=seen)
        return slope, information, (second[:, 0] + second[:, 1]).sum(0, where=seen)

    def _fused(self, theta: Array, rows: Rows) -> Array:
        """What the model's kernel sums, shape (N, 4); see ``ABILITY_KERNELS``."""
        out = np.empty((len(theta), 4))
        ABILITY_KERNELS[self.model.fused_kernel](self.values, self.codes, theta, rows, out)
        return out

    def _over_items(self, table: Array, rows: Rows) -> Array:
        """Sum over the items pattern rows[n] answered of the entry its response picks from (J, 2, N), shape (N,)."""
        picked = np.where(self.right[:, rows], table[:, 1], table[:, 0])
        if not self.complete:
            picked[~self.seen[:, rows]] = 0.0
        return picked.sum(0)
