"""Davidian curves: a squared polynomial times the normal density (Zhang & Davidian 2001; Woods & Lin 2009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.polynomial import hermite_e
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ndtr

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.latent.curve_path import Path, Shape
from psyirt.latent.grid_weights import of_scaled_weights, scaled_to_one
from psyirt.latent.hermite import angles_of, derived, hermite
from psyirt.latent.population import MEAN, VARIANCE, Grid

Array = NDArray[np.float64]

HIGHEST_ORDER = 6
# a polynomial this small has a density of 1e-300 there: its logarithm stays finite at a root
_TINY = 1e-150
# the normal density is 0 beyond, whatever polynomial it is multiplied by
_FAR = 40.0
# points between which the distribution function is inverted, per sd, and how far out
_POINTS_PER_SD, _REACH = 500, 10.0


def angle_names(order: int) -> tuple[str, ...]:
    """What the angles are called: "angle_1", ..."""
    return tuple(f"angle_{k + 1}" for k in range(order))


@dataclass(frozen=True)
class DavidianCurve:
    """theta with the density f(theta) = (r / s) P(z)^2 phi(z), z = m + r (theta - mean) / s, s^2 = variance.

    P is a polynomial of degree k with E[P(Z)^2] = 1 for a standard normal Z, so that P^2 phi is a density, with mean m
    and standard deviation r. Those are taken out: whatever the angles, theta has the mean and variance that are given
    (0 and 1 identify the scale of a 2PL). P is given by k angles, see :func:`psyirt.latent.hermite.unit_vector`; all 0
    is the normal density. Woods & Lin (2009) span the same polynomials with powers of z in place of orthogonal
    ones, so their angles have other values for the same curve.

    Parameters
    ----------
    angles : tuple of float
        k angles, in radians; order k, 0 to 6.
    mean, variance : float
        Of theta.
    """

    angles: tuple[float, ...] = ()
    mean: float = 0.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what is no density."""
        require(self.mean, Real, "mean", "Davidian curve", "Give a number")
        require(self.variance, Real, "variance", "Davidian curve", "Give a positive number")
        object.__setattr__(self, "angles", tuple(float(angle) for angle in self.angles))
        if len(self.angles) > HIGHEST_ORDER:
            raise InputError(f"order {len(self.angles)}", "Davidian curve", f"Give at most {HIGHEST_ORDER} angles")
        if not (np.isfinite([self.mean, *self.angles]).all() and 0 < self.variance < np.inf):
            raise InputError(
                f"mean {self.mean}, variance {self.variance}, angles {self.angles}",
                "Davidian curve",
                "Give finite numbers and a positive variance",
            )

    @property
    def order(self) -> int:
        """k, the degree of the polynomial."""
        return len(self.angles)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.variance))

    @property
    def is_smooth(self) -> bool:
        """Whether it has derivatives in theta."""
        return True

    @property
    def is_parametric(self) -> bool:
        """Whether all that is estimated of it is among the free parameters."""
        return True

    @property
    def text(self) -> str:
        """As a summary prints it."""
        shape = "normal" if self.order == 0 else f"skewness {self.skewness:.2f}, excess kurtosis {self.kurtosis:.2f}"
        return f"Davidian curve of order {self.order}, mean {self.mean:.4g}, variance {self.variance:.4g}, {shape}"

    @property
    def skewness(self) -> float:
        """Standardised third moment."""
        return self._standardised_moment(3)

    @property
    def kurtosis(self) -> float:
        """Standardised fourth moment minus 3."""
        return self._standardised_moment(4) - 3.0

    def _standardised_moment(self, power: int) -> float:
        # Gauss-Hermite nodes: exact for polynomials of this degree
        nodes, weights = hermite_e.hermegauss(self.order + 1 + power)
        shape = self.shape
        polynomial = self.coefficients @ hermite(nodes, self.order)
        total = weights @ (polynomial**2 * ((nodes - shape.centre) / shape.spread) ** power)
        return float(total / np.sqrt(2.0 * np.pi))

    def value(self, name: str) -> float:
        """A parameter by its name: "mean", "variance", "angle_1", ..."""
        return self._named[name]

    @property
    def _named(self) -> dict[str, float]:
        angles = dict(zip(angle_names(self.order), self.angles, strict=True))
        return {MEAN: self.mean, VARIANCE: self.variance, **angles}

    def canonical(self) -> DavidianCurve:
        """The same curve with every angle between -pi/2 and pi/2."""
        coefficients = self.coefficients if self.coefficients[0] >= 0.0 else -self.coefficients
        return replace(self, angles=tuple(angles_of(coefficients).tolist()))

    def moved(self, values: Mapping[str, float]) -> DavidianCurve:
        """The curve with some parameters at other values."""
        known = self._named | dict(values)
        angles = tuple(known[name] for name in angle_names(self.order))
        return replace(self, angles=angles, mean=known[MEAN], variance=known[VARIANCE])

    @cached_property
    def shape(self) -> Shape:
        """The polynomial, and the mean and standard deviation that are taken out."""
        return Shape(np.array(self.angles))

    @property
    def coefficients(self) -> Array:
        """c of the polynomial P = sum_i c_i h_i, shape (k + 1,), |c| = 1."""
        return self.shape.coefficients

    def at(self, theta: Array) -> Array:
        """z, where P and the normal density are taken, the shape of `theta`."""
        return np.asarray(self.shape.centre + self.shape.spread * (theta - self.mean) / self.sd)

    def log_weights(self, grid: Grid) -> Array:
        """Log of the node weights, shape (Q,); exp() of it sums to 1."""
        return scaled_to_one(self.log_density(grid.nodes[:, 0]))

    def log_density(self, theta: Array) -> Array:
        """Log of the density up to a constant, the shape of `theta`; finite also at a root of P."""
        z = self.at(theta)
        polynomial = np.einsum("i,i...->...", self.coefficients, hermite(z, self.order))
        return np.asarray(2.0 * np.log(np.maximum(np.abs(polynomial), _TINY)) - 0.5 * z**2)

    def density(self, theta: ArrayLike) -> Array:
        """The density at abilities, the shape of `theta`."""
        scale = self.shape.spread / (self.sd * np.sqrt(2.0 * np.pi))
        return np.asarray(scale * np.exp(self.log_density(np.asarray(theta, dtype=float))))

    def log_density_slopes(self, theta: Array) -> tuple[Array, Array]:
        """First and second derivative of :meth:`log_density` in theta, each the shape of `theta`."""
        z, rate = self.at(theta), self.shape.spread / self.sd
        once = derived(self.coefficients)
        basis = hermite(z, self.order)
        value, slope, bend = (np.tensordot(c, basis, 1) for c in (self.coefficients, once, derived(once)))
        value = away_from_zero(value)
        first = 2.0 * slope / value - z
        second = 2.0 * bend / value - 2.0 * (slope / value) ** 2 - 1.0
        return rate * first, rate**2 * second

    def bends(self) -> tuple[Array, Array]:
        """Where the log-density bends and over which distance: its centre, and the real parts of the roots of P."""
        roots = hermite_e.hermeroots(_plain(self.coefficients)) if self.order else np.empty(0)
        z = np.append(self.shape.centre, roots.real)
        width = self.sd / self.shape.spread
        # a pair of complex roots is a dip as wide as they lie off the real line
        dips = np.clip(np.abs(roots.imag), 0.05, 1.0)
        return self.mean + (z - self.shape.centre) * width, width * np.append(1.0, dips)

    def share_below(self, theta: ArrayLike) -> Array:
        """Share of the population below theta, 0 to 1, the shape of `theta`; NaN where theta is.

        With P^2 = sum_n d_n h_n: d_0 Phi(z) - phi(z) sum_(n > 0) d_n h_(n - 1)(z) / sqrt(n).
        """
        z = self.at(np.asarray(theta, dtype=float))
        far = np.abs(z) > _FAR
        inside = np.where(far, 0.0, z)
        squared = hermite_e.hermemul(_plain(self.coefficients), _plain(self.coefficients))
        degree = np.arange(1, len(squared))
        # d_n / sqrt(n), from coefficients of He_n to those of h_n
        terms = squared[1:] * np.exp(0.5 * gammaln(degree + 1.0)) / np.sqrt(degree)
        tail = np.tensordot(terms, hermite(inside, max(len(terms) - 1, 0))[: len(terms)], 1)
        density = np.where(far, 0.0, np.exp(-0.5 * inside**2)) / np.sqrt(2.0 * np.pi)
        # rounding may leave the last digit outside
        return np.asarray(np.clip(ndtr(z) - density * tail, 0.0, 1.0))

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Abilities drawn at random, shape (count,), by inverting the distribution function between close points."""
        points = self.mean + self.sd * np.linspace(-_REACH, _REACH, int(2 * _REACH * _POINTS_PER_SD) + 1)
        return np.interp(rng.random(count), self.share_below(points), points)

    def moment_scores(self, grid: Grid, moments: Sequence[str]) -> tuple[Array, Array]:
        """First and second derivatives of the log weights in some of "mean", "variance", "angle_1", ...

        Parameters
        ----------
        grid : Grid
            Q nodes.
        moments : sequence of str
            M names; may be empty.

        Returns
        -------
        tuple of ndarray, of shape (M, Q) and (M, M, Q)
        """
        parts = _Parts.of(self, grid, moments)
        z_second, c_second = parts.path.second()
        one, other = parts.z_first[:, None], parts.z_first[None]
        along = derived(parts.c_first) @ parts.basis
        second = c_second @ parts.basis + along[:, None] * other + along[None] * one + parts.bend * one * other
        second += parts.slope * z_second
        bends = 2.0 * second / parts.value - 2.0 * parts.first[:, None] * parts.first[None] / parts.value**2
        bends -= one * other + parts.path.z * z_second
        return of_scaled_weights(parts.slopes, bends, np.exp(self.log_weights(grid)))

    def weights_and_slopes(self, grid: Grid, moments: Sequence[str]) -> tuple[Array, Array]:
        """Node weights, shape (Q,), and first derivatives of their logarithms as in :meth:`moment_scores`, (M, Q)."""
        slopes, weights = _Parts.of(self, grid, moments).slopes, np.exp(self.log_weights(grid))
        return weights, slopes - np.sum(slopes * weights, axis=-1)[:, None]


@dataclass(frozen=True, eq=False)
class _Parts:
    """What first and second derivatives of the log-density at Q nodes in M parameters are made of.

    Attributes
    ----------
    path : Path
        z and the coefficients as functions of the parameters.
    basis : ndarray, shape (k + 1, Q)
        h_i(z).
    value, slope, bend : ndarray, shape (Q,)
        P and its derivatives in z.
    z_first, c_first, first : ndarray, shapes (M, Q), (M, k + 1), (M, Q)
        Derivatives in the parameters: of z, the coefficients, and P along both.
    """

    path: Path
    basis: Array
    value: Array
    slope: Array
    bend: Array
    z_first: Array
    c_first: Array
    first: Array

    @classmethod
    def of(cls, curve: DavidianCurve, grid: Grid, moments: Sequence[str]) -> _Parts:
        path = Path.of(curve.shape, curve.mean, curve.variance, grid.nodes[:, 0], moments)
        basis, once = hermite(path.z, curve.order), derived(curve.coefficients)
        value, slope, bend = (c @ basis for c in (curve.coefficients, once, derived(once)))
        z_first, c_first = path.first()
        first = c_first @ basis + slope * z_first
        return cls(path, basis, away_from_zero(value), slope, bend, z_first, c_first, first)

    @property
    def slopes(self) -> Array:
        """First derivatives of 2 log|P(z)| - z^2 / 2, shape (M, Q)."""
        return 2.0 * self.first / self.value - self.path.z * self.z_first


def away_from_zero(values: Array) -> Array:
    """Values to divide by: one that is a root to rounding becomes a number whose square is still above 0."""
    return np.where(np.abs(values) < _TINY, _TINY, values)


def _plain(coefficients: Array) -> Array:
    """Coefficients of He_i from those of h_i = He_i / sqrt(i!)."""
    return np.asarray(coefficients * np.exp(-0.5 * gammaln(np.arange(len(coefficients)) + 1.0)))
