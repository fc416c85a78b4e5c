"""Polynomials that are orthonormal under the normal density, and unit vectors of their coefficients by angles.

A polynomial P = sum_i c_i h_i with |c| = 1 has E[P(Z)^2] = 1 for Z ~ N(0, 1), so P^2 times the normal density is a
density. Here h_i is Hermite's polynomial He_i over the root of i!.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def hermite(z: Array, degree: int) -> Array:
    """h_0 ... h_degree at z, shape (degree + 1, *z.shape), by the three-term recurrence."""
    out = np.ones((degree + 1, *z.shape))
    for i in range(degree):
        out[i + 1] = (z * out[i] - (np.sqrt(i) * out[i - 1] if i else 0.0)) / np.sqrt(i + 1)
    return out


def derived(coefficients: Array) -> Array:
    """Coefficients of the derivative, along the last axis: h_i' = sqrt(i) h_(i - 1)."""
    out = np.zeros_like(coefficients)
    out[..., :-1] = coefficients[..., 1:] * np.sqrt(np.arange(1, coefficients.shape[-1]))
    return out


@lru_cache
def moment_matrices(degree: int) -> tuple[Array, Array]:
    """J and K of shape (degree + 1, degree + 1): c'Jc is the mean of P^2 times the normal density, c'Kc its E[z^2]."""
    root = np.sqrt(np.arange(1.0, degree + 2))
    times_z = np.diag(root, 1) + np.diag(root, -1)
    found = times_z[:-1, :-1], (times_z @ times_z)[:-1, :-1]
    for matrix in found:
        matrix.setflags(write=False)
    return found


def unit_vector(angles: Array) -> Array:
    """c of shape (k + 1,) from k angles; all angles 0 is (1, 0, ..., 0), the normal density.

    c_i = cos(angle 1) ... cos(angle i-1) sin(angle i) for i = 1 ... k, and c_0 the product of all cosines. An
    angle 0 at the end leaves the polynomial as it was, of one degree less.
    """
    left = np.cumprod(np.append(1.0, np.cos(angles)))
    return np.append(left[-1], left[:-1] * np.sin(angles))


def angles_of(coefficients: Array) -> Array:
    """The inverse of :func:`unit_vector` for a vector whose first entry is not negative, shape (k,)."""
    # cos(angle 1) ... cos(angle i): the length of what c_1 ... c_i leave
    left = np.sqrt(np.maximum(np.append(np.cumsum(coefficients[:0:-1] ** 2)[-2::-1], 0.0) + coefficients[0] ** 2, 0.0))
    return np.asarray(np.arctan2(coefficients[1:], left[: len(coefficients) - 1]))


def unit_vector_derivatives(angles: Array) -> tuple[Array, Array]:
    """First and second derivatives of :func:`unit_vector`, shapes (k, k + 1) and (k, k, k + 1)."""
    size = len(angles)
    plain, once, twice = _factors(angles)
    first, second = np.empty((size, size + 1)), np.empty((size, size, size + 1))
    for a in range(size):
        changed = plain.copy()
        changed[:, a] = once[:, a]
        first[a] = changed.prod(axis=1)
        for b in range(size):
            again = changed.copy()
            again[:, b] = twice[:, b] if a == b else once[:, b]
            second[a, b] = again.prod(axis=1)
    return first, second


def _factors(angles: Array) -> tuple[Array, Array, Array]:
    """What each angle contributes to each coefficient as a factor, and its two derivatives, shapes (k + 1, k)."""
    size = len(angles)
    sin, cos = np.sin(angles), np.cos(angles)
    place, angle = np.arange(size + 1)[:, None], np.arange(1, size + 1)
    before, own = (angle < place) | (place == 0), angle == place
    plain = np.where(before, cos, np.where(own, sin, 1.0))
    once = np.where(before, -sin, np.where(own, cos, 0.0))
    twice = np.where(before, -cos, np.where(own, -sin, 0.0))
    return plain, once, twice
