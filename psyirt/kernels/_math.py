"""Scalar pieces shared by the kernels: exp, log(1 + x) and log that the compiler can vectorise.

Numba's np.exp calls the C library once per element (about 6 ns); the polynomial below is written so that the
compiler turns a loop over it into vector instructions (about 1.3 ns). Relative error below 2e-15 on [-600, 0].
Change this file only together with the `_MATH_SOURCE` constant in each caller: numba's cache does not notice
edits made here.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93145751953125e-1
_LN2_LOW = 1.42860682030941723212e-6
# adding and subtracting 1.5 * 2^52 rounds to the nearest integer without a library call
_ROUND = 6755399441055744.0
# the bits of sqrt(1/2)
_ROOT_HALF = 0x3FE6A09E667F3BCD
# exp of this is far enough above the smallest normal number that no product of weights becomes subnormal (and slow)
LOWEST = -600.0


# only contraction (a multiplication and an addition in one step) is allowed, by name, for a caller's fastmath would be
# inherited: reassociation would cancel the rounding trick
@njit(cache=True, error_model="numpy", fastmath={"contract"}, nogil=True)
def exp_row(x, out, bits, scale):  # type: ignore[no-untyped-def]
    """out[q] = exp(max(x[q], -600)) for x <= 0.

    Parameters
    ----------
    x, out : ndarray of float64, shape (Q,)
        Two arrays: where they might overlap, the compiler's check sends the loop down its scalar path (four times
        slower).
    bits : ndarray of int64, shape (Q,)
        Work space.
    scale : ndarray of float64, shape (Q,)
        ``bits.view(np.float64)``: the same memory read as powers of two.
    """
    for q in range(x.shape[0]):
        value = x[q] if x[q] > LOWEST else LOWEST
        power = (value * _LOG2_E + _ROUND) - _ROUND
        r = (value - power * _LN2_HIGH) - power * _LN2_LOW
        bits[q] = (np.int64(power) + 1023) << 52
        p = 1.6059043836821613e-10
        p = p * r + 2.08767569878681e-09
        p = p * r + 2.505210838544172e-08
        p = p * r + 2.755731922398589e-07
        p = p * r + 2.7557319223985893e-06
        p = p * r + 2.48015873015873e-05
        p = p * r + 1.984126984126984e-04
        p = p * r + 1.388888888888889e-03
        p = p * r + 8.333333333333333e-03
        p = p * r + 4.1666666666666664e-02
        p = p * r + 1.6666666666666666e-01
        p = p * r + 0.5
        p = p * r + 1.0
        out[q] = p * r + 1.0
    for q in range(x.shape[0]):
        out[q] *= scale[q]


@njit(cache=True, error_model="numpy", fastmath={"contract"}, nogil=True)
def log1p_row(t, out):  # type: ignore[no-untyped-def]
    """out[q] = log(1 + t[q]) for 0 <= t <= 1; two arrays of shape (Q,).

    log(1 + t) = 2 artanh(u) with u = t / (2 + t) <= 1/3, whose series is a polynomial in u^2; relative error below
    4e-16.
    """
    for q in range(t.shape[0]):
        u = t[q] / (2.0 + t[q])
        v = u * u
        p = 1.0 / 33.0
        p = p * v + 1.0 / 31.0
        p = p * v + 1.0 / 29.0
        p = p * v + 1.0 / 27.0
        p = p * v + 1.0 / 25.0
        p = p * v + 1.0 / 23.0
        p = p * v + 1.0 / 21.0
        p = p * v + 1.0 / 19.0
        p = p * v + 1.0 / 17.0
        p = p * v + 1.0 / 15.0
        p = p * v + 1.0 / 13.0
        p = p * v + 1.0 / 11.0
        p = p * v + 1.0 / 9.0
        p = p * v + 1.0 / 7.0
        p = p * v + 1.0 / 5.0
        p = p * v + 1.0 / 3.0
        out[q] = 2.0 * u * (1.0 + p * v)


@njit(cache=True, error_model="numpy", fastmath={"contract"}, nogil=True)
def log_row(x, out, bits, mantissa):  # type: ignore[no-untyped-def]
    """out[q] = log(x[q]) for positive x that are not subnormal.

    x = 2^k m with m within a factor sqrt(2) of 1; log m = 2 artanh(u), u = (m - 1) / (m + 1), as a polynomial in u^2.
    Relative error below 4e-16, near 1 (where the logarithm vanishes) too.

    Parameters
    ----------
    x, out : ndarray of float64, shape (Q,)
        Two arrays.
    bits : ndarray of int64, shape (Q,)
        Work space.
    mantissa : ndarray of float64, shape (Q,)
        ``bits.view(np.float64)``: the same memory read as numbers.
    """
    source = x.view(np.int64)
    for q in range(x.shape[0]):
        # the high bits of the exponent, moved so that m lies in [sqrt(1/2), sqrt(2))
        power = (source[q] - _ROOT_HALF) >> 52
        bits[q] = source[q] - (power << 52)
        out[q] = np.float64(power)
    for q in range(x.shape[0]):
        m = mantissa[q]
        u = (m - 1.0) / (m + 1.0)
        v = u * u
        p = 1.0 / 23.0
        p = p * v + 1.0 / 21.0
        p = p * v + 1.0 / 19.0
        p = p * v + 1.0 / 17.0
        p = p * v + 1.0 / 15.0
        p = p * v + 1.0 / 13.0
        p = p * v + 1.0 / 11.0
        p = p * v + 1.0 / 9.0
        p = p * v + 1.0 / 7.0
        p = p * v + 1.0 / 5.0
        p = p * v + 1.0 / 3.0
        out[q] = out[q] * _LN2_HIGH + (2.0 * u * (1.0 + p * v) + out[q] * _LN2_LOW)


# a node this far (in log-likelihood) below the best one carries nothing a double could hold
HOPELESS = 40.0
_CHUNK = 8


@njit(cache=True, error_model="numpy", nogil=True)
def largest(row):  # type: ignore[no-untyped-def]
    """The largest of one number or more, in four chains of comparisons instead of one that waits for itself."""
    size = row.shape[0]
    top0 = top1 = top2 = top3 = row[0]
    whole = size - size % 4
    for q in range(0, whole, 4):
        top0 = row[q] if row[q] > top0 else top0
        top1 = row[q + 1] if row[q + 1] > top1 else top1
        top2 = row[q + 2] if row[q + 2] > top2 else top2
        top3 = row[q + 3] if row[q + 3] > top3 else top3
    for q in range(whole, size):
        top0 = row[q] if row[q] > top0 else top0
    return max(max(top0, top1), max(top2, top3))


@njit(cache=True, error_model="numpy", nogil=True)
def _any_above(row, least):  # type: ignore[no-untyped-def]
    """Whether a number is at least `least`; any is where that is minus infinity."""
    found = False
    for q in range(row.shape[0]):
        found |= row[q] >= least
    return found


@njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc", "arcp", "nsz"}, nogil=True)
def posterior_row(row, weight, below, bits, scale):  # type: ignore[no-untyped-def]
    """From log-likelihoods plus log-weights of the nodes to a posterior that sums to `weight`, where there is any.

    Parameters
    ----------
    row : ndarray, shape (Q,)
        Overwritten between the two nodes that are returned; hopeless nodes before and after are passed over.
    weight : float
        Subject weight.
    below, bits, scale : ndarray, shape (Q,)
        Work space; see :func:`exp_row`.

    Returns
    -------
    tuple of (float, int, int)
        log sum exp(row), first node, and one past the last.
    """
    size, top = row.shape[0], largest(row)
    # of an impossible pattern the highest is minus infinity, and minus that is no number
    shift = top if top > -np.inf else 0.0
    first, last = 0, size
    # an impossible pattern keeps its nodes: none of them is better than another
    least = shift - HOPELESS if top > -np.inf else -np.inf
    while last - first > _CHUNK and not _any_above(row[first : first + _CHUNK], least):
        first += _CHUNK
    while last - first > _CHUNK and not _any_above(row[last - _CHUNK : last], least):
        last -= _CHUNK
    used, room = row[first:last], below[: last - first]
    for q in range(last - first):
        room[q] = used[q] - shift
    exp_row(room, used, bits, scale)
    total = 0.0
    for q in range(last - first):
        total += used[q]
    share = weight / total
    for q in range(last - first):
        used[q] *= share
    return top + np.log(total), first, last


@njit(cache=True, error_model="numpy", nogil=True)
def logistic(x):  # type: ignore[no-untyped-def]
    """1 / (1 + exp(-x)), exact at +-inf."""
    if x >= 0.0:
        return 1.0 / (1.0 + np.exp(-x))
    t = np.exp(x)
    return t / (1.0 + t)


# kinds of prior density of a parameter x
NO_PRIOR, NORMAL, BETA_OF_LOGIT, LOG_NORMAL = 0.0, 1.0, 2.0, 3.0


@njit(cache=True, error_model="numpy", nogil=True)
def prior_terms(prior, x):  # type: ignore[no-untyped-def]
    """Log-density of a parameter, up to a constant, and its first and second derivatives.

    Parameters
    ----------
    prior : ndarray, shape (3,)
        A kind and its two numbers: mean and sd; the beta shapes of a probability whose logit is x; mean and sd of
        log x.
    x : float
        The parameter.

    Returns
    -------
    tuple of float
        (0, 0, 0) without a prior; a log-density of -inf outside the support.
    """
    kind, first, second = prior[0], prior[1], prior[2]
    if kind == NORMAL:
        away = (x - first) / second
        return -0.5 * away * away, -away / second, -1.0 / (second * second)
    if kind == BETA_OF_LOGIT:
        p, q = logistic(x), logistic(-x)
        # log p and log q from the smaller of them: neither is ever the logarithm of 0
        small = np.log1p(np.exp(-abs(x)))
        log_p, log_q = min(x, 0.0) - small, min(-x, 0.0) - small
        bend = -(first + second - 2.0) * p * q
        return (first - 1.0) * log_p + (second - 1.0) * log_q, (first - 1.0) * q - (second - 1.0) * p, bend
    if kind == LOG_NORMAL:
        if not x > 0.0:
            return -np.inf, 0.0, 0.0
        log_x = np.log(x)
        away = (log_x - first) / second
        pull = 1.0 + away / second
        bend = (pull - 1.0 / (second * second)) / (x * x)
        return -0.5 * away * away - log_x, -pull / x, bend
    return 0.0, 0.0, 0.0
