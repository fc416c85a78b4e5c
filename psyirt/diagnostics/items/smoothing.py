"""A smooth curve through right and wrong answers: penalised B-splines on the logit scale (Eilers & Marx, 1996)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.special import expit, logit, xlogy

Array = NDArray[np.float64]

_INTERVALS, _DEGREE = 12, 3
# from an interpolation to (in the limit) a logistic curve
_PENALTIES = np.logspace(-2, 6, 17)
_MOST_STEPS, _ARRIVED = 50, 1e-8


@dataclass(frozen=True, eq=False)
class SmoothCurve:
    """Probability correct as a smooth function of x.

    Attributes
    ----------
    knots, coefficients : ndarray
        Of a cubic spline of the logit.
    covariance : ndarray
        Of the coefficients, given the penalty.
    effective : float
        Effective number of parameters: 2 for a logistic curve.
    """

    knots: Array
    coefficients: Array
    covariance: Array
    effective: float

    def at(self, x: Array) -> tuple[Array, Array]:
        """Logits and their standard errors, each of the shape of `x`; x outside the data is put at their ends."""
        basis = _basis(self.knots, x)
        return basis @ self.coefficients, np.sqrt(np.einsum("nk,kl,nl->n", basis, self.covariance, basis))


def smooth_answers(x: Array, right: Array, weights: Array) -> SmoothCurve:
    """The penalised maximum-likelihood curve, its smoothness chosen by BIC.

    Parameters
    ----------
    x : ndarray, shape (A,)
        Abilities, at least two different ones.
    right : ndarray, shape (A,)
        1 or 0, both occurring.
    weights : ndarray, shape (A,)
        How many subjects each stands for.

    Returns
    -------
    SmoothCurve
    """
    low, high = float(x.min()), float(x.max())
    step = (high - low) / _INTERVALS
    knots = np.asarray(low + step * np.arange(-_DEGREE, _INTERVALS + _DEGREE + 1), dtype=float)
    basis = _basis(knots, x)
    rough = np.diff(np.eye(basis.shape[1]), 2, axis=0)
    start = np.full(basis.shape[1], logit(np.average(right, weights=weights)))
    best, lowest = None, np.inf
    for penalty in _PENALTIES[::-1]:
        start, bend = _climb(basis, right, weights, penalty * rough.T @ rough, start)
        inverse = np.linalg.inv(bend + penalty * rough.T @ rough)
        effective = float(np.trace(inverse @ bend))
        p = expit(basis @ start)
        deviance = -2.0 * float(weights @ (xlogy(right, p) + xlogy(1.0 - right, 1.0 - p)))
        criterion = deviance + np.log(weights.sum()) * effective
        if criterion < lowest:
            best, lowest = SmoothCurve(knots, start, inverse, effective), criterion
    assert best is not None
    return best


def _basis(knots: Array, x: Array) -> Array:
    """Values of the B-splines at x, shape (N, K)."""
    inside = np.clip(x, knots[_DEGREE], knots[-_DEGREE - 1])
    return np.asarray(BSpline.design_matrix(inside, knots, _DEGREE).toarray())


def _climb(basis: Array, right: Array, weights: Array, penalty: Array, start: Array) -> tuple[Array, Array]:
    """Newton steps, halved while they fall, to the penalised maximum; the coefficients and the information there."""

    def height(at: Array) -> float:
        z = basis @ at
        return float(weights @ (right * z - np.logaddexp(0.0, z)) - 0.5 * at @ penalty @ at)

    x, level = start, height(start)
    for _ in range(_MOST_STEPS):
        p = expit(basis @ x)
        bend = (basis * (weights * p * (1.0 - p))[:, None]).T @ basis
        # a trace of ridge: a stretch without wrong (or right) answers has no finite slope
        ridge = 1e-6 * np.eye(len(x))
        step = np.linalg.solve(bend + penalty + ridge, basis.T @ (weights * (right - p)) - penalty @ x)
        while height(x + step) < level - _ARRIVED and np.abs(step).max() > _ARRIVED:
            step = step / 2.0
        x = x + step
        reached = height(x)
        if reached - level < _ARRIVED * (1.0 + abs(level)):
            break
        level = reached
    return x, bend + ridge
