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
_MAX_STEPS = 100
# steps below this no longer change a correlation, or a probability, that anyone reads
_TOLERANCE = 1e-13
_TINY = 1e-300
# a density below this cannot be divided by without overflow, and no step from there is taken
_VANISHED = 1e-200


@njit(cache=True, error_model="numpy", nogil=True)
def _phi(x):  # type: ignore[no-untyped-def]
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@njit(cache=True, error_model="numpy", nogil=True)
def _both_below_high(h, k, rho):  # type: ignore[no-untyped-def]
    """P(X < h, Y < k) for rho near 1: P(X < min(h, k)) less the integral of exp(-b^2 / (2 x^2)) g(x) over x in 0..X.

    Here x = sqrt(1 - r^2) for r from 1 down to rho, b = |h - k| and g(x) = exp(-h k / (1 + r)) / r. The first factor
    jumps from 0 to 1 near x = b, which no rule with fixed points resolves when b is small; but its product with
    powers of x has a closed integral, so the terms 1, x^2, x^4 of g are integrated exactly and only the smooth,
    tiny rest by points (after Drezner & Wesolowsky, 1990, and Genz, 2004).
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


@njit(cache=True, error_model="numpy", nogil=True)
def both_below(h, k, rho):  # type: ignore[no-untyped-def]
    """P(X < h, Y < k) of standard normals with correlation rho.

    Plackett (1954): the derivative in rho is the density at (h, k), so the probability is its integral over the
    correlation: from 0, where rho = sin t makes the integrand smooth (Drezner & Wesolowsky, 1990), or from 1.

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
        return max(_phi(h) - _both_below_high(h, -k, -rho), 0.0)
    if rho > _HIGH:
        return _both_below_high(h, k, rho)
    half = 0.5 * math.asin(rho)
    square, product = 0.5 * (h * h + k * k), h * k
    total = 0.0
    for m in range(20):
        sine = math.sin(half * (_NODES[m] + 1.0))
        total += _WEIGHTS[m] * math.exp((sine * product - square) / (1.0 - sine * sine))
    return _phi(h) * _phi(k) + total * half / _TWO_PI


@njit(cache=True, error_model="numpy", nogil=True)
def _likeliest_overlap(h, k, n11, n10, n01, n00):  # type: ignore[no-untyped-def]
    """The P(X < h, Y < k) under which the four counts are likeliest, margins given; and its two bounds.

    The log-likelihood sum n log(cell) is concave in that probability, and needs no integral.
    """
    a, b = _phi(h), _phi(k)
    low, high = max(a + b - 1.0, 0.0), min(a, b)
    least, most = low, high
    total = n11 + n10 + n01 + n00
    # never start on a bound: the steps away from it are so small that they look like the end of the search
    inside = 1e-9 * (most - least)
    p = min(max(n11 / total, least + inside), most - inside)
    for _ in range(_MAX_STEPS):
        if not low < p < high:
            p = 0.5 * (low + high)
        p11, p10, p01, p00 = max(p, _TINY), max(a - p, _TINY), max(b - p, _TINY), max(1.0 - a - b + p, _TINY)
        slope = n11 / p11 - n10 / p10 - n01 / p01 + n00 / p00
        bend = n11 / p11**2 + n10 / p10**2 + n01 / p01**2 + n00 / p00**2
        if slope > 0.0:
            low = p
        else:
            high = p
        step = slope / bend
        p += step
        if abs(step) < _TOLERANCE * p11 or high - low < _TOLERANCE * high:
            break
    return p, least, most


@njit(cache=True, error_model="numpy", nogil=True)
def _start(p, a, b):  # type: ignore[no-untyped-def]
    """A correlation within about .02 of the tetrachoric one (Bonett & Price, 2005)."""
    smallest = min(min(a, 1.0 - a), min(b, 1.0 - b))
    power = 0.5 * (1.0 - 0.2 * abs(a - b) - (0.5 - smallest) ** 2)
    odds = max(p, _TINY) * max(1.0 - a - b + p, _TINY) / (max(a - p, _TINY) * max(b - p, _TINY))
    return math.cos(math.pi / (1.0 + odds**power))


@njit(cache=True, error_model="numpy", nogil=True)
def correlation_at(h, k, p):  # type: ignore[no-untyped-def]
    """The rho at which P(X < h, Y < k) is `p`, for p strictly between its bounds.

    Halley steps (the second derivative is the density's, in closed form) within a bracket, which is halved instead
    where the density bends too much for a step to be trusted, or a step is over half of the one before.
    """
    low, high = -1.0, 1.0
    allowed = math.inf
    rho = _start(p, _phi(h), _phi(k))
    for _ in range(_MAX_STEPS):
        if not low < rho < high:
            rho = 0.5 * (low + high)
        gap = p - both_below(h, k, rho)
        if gap > 0.0:
            low = rho
        else:
            high = rho
        rest = (1.0 - rho) * (1.0 + rho)
        form = h * h - 2.0 * rho * h * k + k * k
        density = math.exp(-0.5 * form / rest) / (_TWO_PI * math.sqrt(rest))
        growth = (rho + h * k - rho * form / rest) / rest
        newton = gap / max(density, _VANISHED)
        bend = 0.5 * newton * growth
        step = newton / (1.0 + max(bend, -0.5))
        if abs(bend) >= 1.0 or abs(step) >= allowed:
            step = 0.5 * (low + high) - rho
        allowed = 0.5 * abs(step)
        rho += step
        if abs(step) < _TOLERANCE or high - low < _TOLERANCE:
            break
    return min(max(rho, low), high)


@njit(cache=True, error_model="numpy", nogil=True)
def tetrachoric_matrix(below, both, first_only, neither):  # type: ignore[no-untyped-def]
    """Tetrachoric correlations of all pairs, given thresholds (two-step maximum likelihood; Olsson, 1979).

    Parameters
    ----------
    below : ndarray of float64, shape (J,)
        Normal quantile of each item's proportion correct (minus its threshold); not finite = no correlation.
    both, first_only, neither : ndarray of float64, shape (J, J)
        Subjects with both items correct; only the row's item; neither.

    Returns
    -------
    ndarray, shape (J, J)
        Symmetric, 1 on the diagonal; NaN for an item without variance or a pair without a common subject; -1 or
        +1 where the likelihood grows up to that bound (an empty cell).
    """
    items = len(below)
    out = np.eye(items)
    for i in range(items):
        if not math.isfinite(below[i]):
            out[i, i] = np.nan
        for j in range(i):
            n11, n10, n01, n00 = both[i, j], first_only[i, j], first_only[j, i], neither[i, j]
            rho = np.nan
            if math.isfinite(below[i]) and math.isfinite(below[j]) and n11 + n10 + n01 + n00 > 0.0:
                p, least, most = _likeliest_overlap(below[i], below[j], n11, n10, n01, n00)
                edge = 1e-11 * (most - least)
                if p - least < edge:
                    rho = -1.0
                elif most - p < edge:
                    rho = 1.0
                else:
                    rho = correlation_at(below[i], below[j], p)
            out[i, j] = rho
            out[j, i] = rho
    return out


@njit(cache=True, error_model="numpy", nogil=True)
def both_below_matrix(below, rho):  # type: ignore[no-untyped-def]
    """P(X_i < below_i, X_j < below_j) of all pairs, shape (J, J); NaN where a threshold or correlation is not finite.

    Parameters
    ----------
    below : ndarray of float64, shape (J,)
        Thresholds.
    rho : ndarray of float64, shape (J, J)
        Symmetric correlations.

    Returns
    -------
    ndarray, shape (J, J)
    """
    items = len(below)
    out = np.full((items, items), np.nan)
    for i in range(items):
        for j in range(i + 1):
            if math.isfinite(below[i]) and math.isfinite(below[j]) and math.isfinite(rho[i, j]):
                out[i, j] = both_below(below[i], below[j], rho[i, j])
                out[j, i] = out[i, j]
    return out
