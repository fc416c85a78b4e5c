"""How the argument of a Davidian curve's polynomial, and its coefficients, move with the curve's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from psyirt.latent.hermite import moment_matrices, unit_vector, unit_vector_derivatives
from psyirt.latent.population import MEAN, VARIANCE

Array = NDArray[np.float64]

_MOMENTS = (MEAN, VARIANCE)


@dataclass(frozen=True, eq=False)
class Shape:
    """Mean m and standard deviation r of P(z)^2 phi(z) as functions of the k angles of P.

    Both moments are quadratic forms in the coefficients of P. Derivatives are taken when first asked for.

    Attributes
    ----------
    angles : ndarray, shape (k,)
        Of the polynomial.
    """

    angles: Array

    @cached_property
    def coefficients(self) -> Array:
        """c of P = sum_i c_i h_i, shape (k + 1,), |c| = 1."""
        return unit_vector(self.angles)

    @cached_property
    def _forms(self) -> tuple[Array, Array]:
        return moment_matrices(len(self.angles))

    @cached_property
    def centre(self) -> float:
        """m."""
        return float(self.coefficients @ self._forms[0] @ self.coefficients)

    @cached_property
    def spread(self) -> float:
        """r."""
        return float(np.sqrt(self.coefficients @ self._forms[1] @ self.coefficients - self.centre**2))

    @cached_property
    def along(self) -> tuple[Array, Array]:
        """First and second derivatives of the coefficients, shapes (k, k + 1) and (k, k, k + 1)."""
        return unit_vector_derivatives(self.angles)

    @cached_property
    def first(self) -> tuple[Array, Array]:
        """First derivatives of m and r, each of shape (k,)."""
        mean, square = (2.0 * self.along[0] @ form @ self.coefficients for form in self._forms)
        return mean, (square - 2.0 * self.centre * mean) / (2.0 * self.spread)

    @cached_property
    def second(self) -> tuple[Array, Array]:
        """Second derivatives of m and r, each of shape (k, k)."""
        once, twice = self.along
        mean, square = (2.0 * (once @ form @ once.T + twice @ form @ self.coefficients) for form in self._forms)
        centre, spread = self.first
        bend = square - 2.0 * (np.outer(centre, centre) + self.centre * mean)
        return mean, bend / (2.0 * self.spread) - np.outer(spread, spread) / self.spread


@dataclass(frozen=True, eq=False)
class Path:
    """z = m + r (theta - mean) / s and the coefficients of P as functions of M named parameters.

    Attributes
    ----------
    shape : Shape
        m, r and the coefficients, as functions of the angles.
    variance : float
        s^2.
    t : ndarray, shape (Q,)
        (theta - mean) / s.
    names : tuple of str
        M of "mean", "variance", "angle_1", ...
    """

    shape: Shape
    variance: float
    t: Array
    names: tuple[str, ...]

    @classmethod
    def of(cls, shape: Shape, mean: float, variance: float, theta: Array, names: Sequence[str]) -> Path:
        """At abilities `theta`, shape (Q,)."""
        return cls(shape, variance, (theta - mean) / float(np.sqrt(variance)), tuple(names))

    @property
    def z(self) -> Array:
        """Where P is taken, shape (Q,)."""
        return self.shape.centre + self.shape.spread * self.t

    def _moment(self, name: str) -> Array:
        """Derivative of t in the mean or the variance, shape (Q,)."""
        if name == MEAN:
            return np.full_like(self.t, -1.0 / np.sqrt(self.variance))
        return -self.t / (2.0 * self.variance)

    def _two_moments(self, one: str, other: str) -> Array:
        """Second derivative of t in two of the mean and the variance, shape (Q,)."""
        if one == other == MEAN:
            return np.zeros_like(self.t)
        if one == other:
            return 0.75 * self.t / self.variance**2
        return np.full_like(self.t, 0.5 * self.variance**-1.5)

    def first(self) -> tuple[Array, Array]:
        """First derivatives of z, shape (M, Q), and of the coefficients, shape (M, k + 1)."""
        z, coefficients = (
            np.zeros((len(self.names), len(self.t))),
            np.zeros((len(self.names), len(self.shape.coefficients))),
        )
        for i, name in enumerate(self.names):
            if name in _MOMENTS:
                z[i] = self.shape.spread * self._moment(name)
            else:
                a = _number(name)
                z[i] = self.shape.first[0][a] + self.shape.first[1][a] * self.t
                coefficients[i] = self.shape.along[0][a]
        return z, coefficients

    def second(self) -> tuple[Array, Array]:
        """Second derivatives of z, shape (M, M, Q), and of the coefficients, shape (M, M, k + 1)."""
        size, shape = len(self.names), self.shape
        z, coefficients = np.zeros((size, size, len(self.t))), np.zeros((size, size, len(shape.coefficients)))
        for i, one in enumerate(self.names):
            for j, other in enumerate(self.names):
                if one in _MOMENTS and other in _MOMENTS:
                    z[i, j] = shape.spread * self._two_moments(one, other)
                elif one in _MOMENTS:
                    z[i, j] = shape.first[1][_number(other)] * self._moment(one)
                elif other in _MOMENTS:
                    z[i, j] = shape.first[1][_number(one)] * self._moment(other)
                else:
                    a, b = _number(one), _number(other)
                    z[i, j] = shape.second[0][a, b] + shape.second[1][a, b] * self.t
                    coefficients[i, j] = shape.along[1][a, b]
        return z, coefficients


def _number(name: str) -> int:
    """Which angle a name means, counted from 0."""
    return int(name.removeprefix("angle_")) - 1
