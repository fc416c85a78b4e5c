"""Limited-memory quasi-Newton directions (Nocedal 1980), preconditioned by what the caller can invert."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from psyirt.models.base import Array

_MEMORY = 10
# curvature of a pair, as a share of the complete-data information along the step: less is noise, or a saddle
_LEAST_CURVATURE = 1e-6


class QuasiNewton:
    """Steps and the changes of gradient that came with them.

    The gradient is that of a function to be maximised. Kept for as few steps as the inverse of minus its second
    derivatives can be updated with at little cost (L-BFGS).
    """

    def __init__(self) -> None:
        self._pairs: list[tuple[Array, Array]] = []

    def learn(self, step: Array, fall: Array, information: Array) -> None:
        """Keep a pair, unless the function does not bend down along the step.

        Parameters
        ----------
        step : ndarray, shape (size,)
            From one point to the next.
        fall : ndarray, shape (size,)
            Gradient at the first minus gradient at the second.
        information : ndarray, shape (size,)
            Complete-data information: the units in which curvature is judged.
        """
        if float(step @ fall) > _LEAST_CURVATURE * float(information @ step**2):
            self._pairs.append((step, fall))
            del self._pairs[:-_MEMORY]

    def forget(self) -> None:
        """Start again from the preconditioner alone."""
        self._pairs.clear()

    def direction(self, gradient: Array, solve: Callable[[Array], Array]) -> Array:
        """The direction the pairs call uphill.

        Parameters
        ----------
        gradient : ndarray, shape (size,)
            At the last point.
        solve : callable
            A positive definite first guess of the inverse of minus the second derivatives, times a vector.

        Returns
        -------
        ndarray, shape (size,)
        """
        rest = gradient.copy()
        shares = []
        for step, fall in reversed(self._pairs):
            shares.append(float(step @ rest) / float(step @ fall))
            rest -= shares[-1] * fall
        found = solve(rest)
        for (step, fall), share in zip(self._pairs, reversed(shares), strict=True):
            found += step * (share - float(fall @ found) / float(step @ fall))
        return np.asarray(found)
