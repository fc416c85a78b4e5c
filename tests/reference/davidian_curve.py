"""A Davidian curve the slow, obvious way: powers of z, and every integral by quadrature.

Imports nothing from psyirt. The density is (r / s) P(z)^2 phi(z) at z = m + r (theta - mean) / s, where P^2 phi has
mean m and standard deviation r.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from scipy.integrate import quad

_FAR = 12.0


def polynomial(z: float, angles: Sequence[float]) -> float:
    """P(z): unit vector by angles, times Hermite's polynomials over the root of i!, written out."""
    left, vector = 1.0, []
    for angle in angles:
        vector.append(left * math.sin(angle))
        left *= math.cos(angle)
    hermite = [
        1.0,
        z,
        (z**2 - 1.0) / math.sqrt(2.0),
        (z**3 - 3.0 * z) / math.sqrt(6.0),
        (z**4 - 6.0 * z**2 + 3.0) / math.sqrt(24.0),
        (z**5 - 10.0 * z**3 + 15.0 * z) / math.sqrt(120.0),
        (z**6 - 15.0 * z**4 + 45.0 * z**2 - 15.0) / math.sqrt(720.0),
    ]
    return math.fsum(c * h for c, h in zip([left, *vector], hermite, strict=False))


def raw(z: float, angles: Sequence[float]) -> float:
    """P(z)^2 phi(z), before mean and standard deviation are taken out."""
    return polynomial(z, angles) ** 2 * math.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)


def integral(function: Callable[[float], float], low: float = -_FAR, high: float = _FAR) -> float:
    """By quadrature."""
    return float(quad(function, low, high, limit=400, epsabs=1e-13)[0])


@functools.cache
def moments(angles: tuple[float, ...]) -> tuple[float, float]:
    """Mean and standard deviation of P^2 phi."""
    centre = integral(lambda z: z * raw(z, angles))
    return centre, math.sqrt(integral(lambda z: (z - centre) ** 2 * raw(z, angles)))


def density(theta: float, angles: Sequence[float], mean: float = 0.0, variance: float = 1.0) -> float:
    """The density of theta."""
    centre, spread = moments(tuple(angles))
    rate = spread / math.sqrt(variance)
    return rate * raw(centre + rate * (theta - mean), angles)


def share_below(theta: float, angles: Sequence[float], mean: float = 0.0, variance: float = 1.0) -> float:
    """The distribution function, from the lower tail."""
    centre, spread = moments(tuple(angles))
    return integral(lambda z: raw(z, angles), high=centre + spread * (theta - mean) / math.sqrt(variance))


def power_polynomial(z: float, angles: Sequence[float]) -> float:
    """P(z) of order 1 or 2 as Woods & Lin (2009, eqs. 4-7) write it, in powers of z.

    m = B^-1 c with B'B = M the moments of the normal density, B the symmetric root, c = (sin, cos) of the angles.
    """
    if len(angles) == 1:
        return math.sin(angles[0]) + math.cos(angles[0]) * z
    first, second = angles
    c = (math.sin(first), math.cos(first) * math.sin(second), math.cos(first) * math.cos(second))
    # the symmetric root of [[1, 0, 1], [0, 1, 0], [1, 0, 3]]: [[p, 0, q], [0, 1, 0], [q, 0, r]]
    root = math.sqrt(4.0 + 2.0 * math.sqrt(2.0))
    p, q, r = (1.0 + math.sqrt(2.0)) / root, 1.0 / root, (3.0 + math.sqrt(2.0)) / root
    det = p * r - q * q
    return (r * c[0] - q * c[2]) / det + c[1] * z + (p * c[2] - q * c[0]) / det * z**2
