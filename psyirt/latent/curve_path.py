"""How the argument of a Davidian curve's polynomial, and its coefficients, move with the curve's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.latent.hermite import moment_matrices, unit_vector, unit_vector_derivatives
from psyirt.latent.population import MEAN, VARIANCE

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """Mean m and standard deviation r of P(z)^2 phi(z), with their derivatives in the k angles of P.

    Attributes
    ----------
    centre, spread : float
        m and r.
    centre_first, spread_first : ndarray, shape (k,)
        First derivatives.
    centre_second, spread_second : ndarray, shape (k, k)
        Second derivatives.
    first, second : ndarray, shapes (k, k + 1) and (k, k, k + 1)
        Derivatives of the coefficients of P.
    """

    centre: float
    spread: float
    centre_first: Array
    spread_first: Array
    centre_second: Array
    spread_second: Array
    first: Array
    second: Array

    @classmethod
    def of(cls, angles: Array) -> Shape:
        """From the angles: both moments are quadratic forms in the coefficients."""
        coefficients = unit_vector(angles)
        first, second = unit_vector_derivatives(angles)
        by_z, by_square = moment_matrices(len(angles))

        def form(matrix: Array) -> tuple[float, Array, Array]:
            image = matrix @ coefficients
            return float(coefficients @ image), 2.0 * first @ image, 2.0 * (first @ matrix @ first.T + second @ image)

        mean, mean_first, mean_second = form(by_z)
        square, square_first, square_second = form(by_square)
        spread = float(np.sqrt(square - mean**2))
        change = square_first - 2.0 * mean * mean_first
        bend = square_second - 2.0 * (np.outer(mean_first, mean_first) + mean * mean_second)
        spread_second = bend / (2.0 * spread) - np.outer(change, change) / (4.0 * spread**3)
        return cls(mean, spread, mean_first, change / (2.0 * spread), mean_second, spread_second, first, second)


@dataclass(frozen=True, eq=False)
class Path:
    """z = m + r (theta - mean) / s and the coefficients of P as functions of M parameters.

    Attributes
    ----------
    z : ndarray, shape (Q,)
        Where P is taken.
    z_first, z_second : ndarray, shapes (M, Q) and (M, M, Q)
        Derivatives of z.
    first, second : ndarray, shapes (M, k + 1) and (M, M, k + 1)
        Derivatives of the coefficients, 0 in the mean and the variance.
    """

    z: Array
    z_first: Array
    z_second: Array
    first: Array
    second: Array

    @classmethod
    def of(cls, shape: Shape, mean: float, variance: float, theta: Array, names: Sequence[str]) -> Path:
        """At the nodes `theta`, in parameters named "mean", "variance", "angle_1", ..."""
        sd, size = float(np.sqrt(variance)), shape.first.shape[1]
        t = (theta - mean) / sd
        # derivatives of t in the two moments
        along = {MEAN: np.full_like(t, -1.0 / sd), VARIANCE: -t / (2.0 * variance)}
        bent = {
            (MEAN, MEAN): np.zeros_like(t),
            (MEAN, VARIANCE): np.full_like(t, 1.0 / (2.0 * variance * sd)),
            (VARIANCE, VARIANCE): 0.75 * t / variance**2,
        }
        z_first, first = np.zeros((len(names), len(t))), np.zeros((len(names), size))
        z_second, second = np.zeros((len(names), *z_first.shape)), np.zeros((len(names), *first.shape))
        for i, one in enumerate(names):
            if one in along:
                z_first[i] = shape.spread * along[one]
            else:
                a = _number(one)
                z_first[i], first[i] = shape.centre_first[a] + shape.spread_first[a] * t, shape.first[a]
            for j, other in enumerate(names):
                moments, angles = [n for n in (one, other) if n in along], [n for n in (one, other) if n not in along]
                if len(moments) == 2:
                    z_second[i, j] = shape.spread * bent[MEAN if MEAN in moments else VARIANCE, max(moments)]
                elif moments:
                    z_second[i, j] = shape.spread_first[_number(angles[0])] * along[moments[0]]
                else:
                    a, b = _number(one), _number(other)
                    z_second[i, j] = shape.centre_second[a, b] + shape.spread_second[a, b] * t
                    second[i, j] = shape.second[a, b]
        return cls(shape.centre + shape.spread * t, z_first, z_second, first, second)


def _number(name: str) -> int:
    """Which angle a name means, counted from 0."""
    return int(name.removeprefix("angle_")) - 1
