"""Bivariate normal probabilities, and tetrachoric correlations found from them."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
# up to this |rho| the integral starts at rho = 0, beyond it at |rho| = 1, where the integrand bends sharply
_HIGH = 0.9
_TWO_PI = 2.0 * math.pi
_SQRT_TWO_PI = math.sqrt(_TWO_PI)
_MAX_STEPS = 60
# below this a step no longer changes the correlation
_TOLERANCE = 1e-12


@njit(cache=True, error_model="numpy", nogil=True)
def _phi(x):  # type: ignore[no-untyped-def]
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@njit(cache=True, error_model="numpy", nogil=True)
def _density(h, k, rho):  # type: ignore[no-untyped-def]
    """Standard bivariate normal density."""
    rest = (1.0 - rho) * (1.0 + rho)
    return math.exp(-0.5 * (h * h - 2.0 * rho * h * k + k * k) / rest) / (_TWO_PI * math.sqrt(rest))


@njit(cache=True, error_model="numpy", nogil=True)
def both_below(h, k, rho):  # type: ignore[no-untyped-def]
    """P(X < h, Y < k) of standard normals with correlation rho.

    Plackett (1954): the derivative in rho is the density at (h, k). With rho = sin t the integrand is smooth
    (Drezner & Wesolowsky, 1990): from rho = 0 for moderate correlations; near 1 the distance to the degenerate
    case P(min) is integrated instead, over a short interval.

    Parameters
    ----------
    h, k : float
        Finite thresholds.
    rho : float
        Correlation in [-1, 1].

    Returns
    -------
    float
        Absolute error below 1e-13.
    """
    if rho < -_HIGH:
        return max(_phi(h) - both_below_high(h, -k, -rho), 0.0)
    if rho > _HIGH:
        return both_below_high(h, k, rho)
    half = 0.5 * math.asin(rho)
    square, product = 0.5 * (h * h + k * k), h * k
    total = 0.0
    for m in range(20):
        sine = math.sin(half * (_NODES[m] + 1.0))
        total += _WEIGHTS[m] * math.exp((sine * product - square) / (1.0 - sine * sine))
    return _phi(h) * _phi(k) + total * half / _TWO_PI


@njit(cache=True, error_model="numpy", nogil=True)
def both_below_high(h, k, rho):  # type: ignore[no-untyped-def]
    """The same for rho near 1: P(X < min(h, k)) less the integral of exp(-b^2 / (2 x^2)) g(x) over x in 0..X.

    Here x = sqrt(1 - r^2) for r from 1 down to rho, b = |h - k| and g(x) = exp(-h k / (1 + r)) / r. The first factor
    jumps from 0 to 1 near x = b, which no rule with fixed points resolves when b is small; but its product with
    powers of x has a closed integral, so the terms 1, x^2, x^4 of g are integrated exactly and only the smooth,
    tiny rest by points (after Genz, 2004, section 2.4).
    """
    top = math.sqrt(max((1.0 - rho) * (1.0 + rho), 0.0))
    if top == 0.0:
        return _phi(min(h, k))
    b, c = abs(h - k), h * k
    square = b * b
    scale = math.exp(-0.5 * c)
    second, fourth = 0.5 - c / 8.0, 0.375 - c / 8.0 + c * c / 128.0
    edge = math.exp(-0.5 * square / (top * top))
    integral_0 = top * edge - b * _SQRT_TWO_PI * _phi(-b / top)
    integral_2 = (top**3 * edge - square * integral_0) / 3.0
    integral_4 = (top**5 * edge - square * integral_2) / 5.0
    total = scale * (integral_0 + second * integral_2 + fourth * integral_4)
    rest = 0.0
    for m in range(20):
        x = 0.5 * top * (_NODES[m] + 1.0)
        y = x * x
        r = math.sqrt(1.0 - y)
        smooth = math.exp(-c / (1.0 + r)) / r - scale * (1.0 + y * (second + y * fourth))
        rest += _WEIGHTS[m] * math.exp(-0.5 * square / y) * smooth
    return _phi(min(h, k)) - (total + 0.5 * top * rest) / _TWO_PI
