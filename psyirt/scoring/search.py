"""Global maxima of many smooth functions of one variable: a scan finds the peaks, root finding polishes them.

Nothing here knows what the functions mean. They may have several local maxima (the likelihood of the 3PL has), so
every local maximum that could be the highest is polished.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import EstimationError

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

TOLERANCE = 1e-12
_STEPS = 100
# half-widths at which a logistic function has reached its asymptote to double precision
_TAIL = 40.0


class Criterion(Protocol):
    """R functions of one variable."""

    def at_nodes(self, nodes: Array) -> Array:
        """Every function at shared points, shape (R, Q)."""

    def value(self, theta: Array, rows: Rows) -> Array:
        """Function rows[n] at theta[n], shape (N,)."""

    def slope(self, theta: Array, rows: Rows) -> Array:
        """Derivative of function rows[n] at theta[n], shape (N,)."""


@dataclass(frozen=True, eq=False)
class Peaks:
    """Local maxima on a mesh: an interval that holds each, and a first guess.

    Attributes
    ----------
    rows : ndarray of int, shape (N,)
        Which function has the peak; a function may have several or none.
    low, start, high : ndarray, shape (N,)
        Interval and guess.
    slope : ndarray, shape (N,)
        Guessed second derivative of the function at the peak, below 0.
    """

    rows: Rows
    low: Array
    start: Array
    high: Array
    slope: Array


def mesh(centres: Array, widths: Array) -> Array:
    """Points fine enough to see every feature and far enough out to pass every tail.

    Parameters
    ----------
    centres, widths : ndarray, shape (K,)
        Where the functions bend and over which distance (for a logistic item: b and 1 / |a|).

    Returns
    -------
    ndarray, shape (Q,)
        Increasing. The gap is half a width at a centre and grows as an eighth of the distance from it; the ends lie
        40 widths outside. Without features, three points: nothing bends.
    """
    if len(centres) == 0:
        return np.array([-1.0, 0.0, 1.0])
    point, end = float(np.min(centres - _TAIL * widths)), float(np.max(centres + _TAIL * widths))
    points = [point]
    while point < end:
        point += float(np.min(np.maximum(widths / 2.0, np.abs(centres - point) / 8.0)))
        points.append(point)
    return np.array(points)


def find_peaks(points: Array, values: Array) -> Peaks:
    """Local maxima that may be their function's highest.

    Parameters
    ----------
    points : ndarray, shape (Q,)
        Increasing.
    values : ndarray, shape (R, Q)
        R functions at the points.

    Returns
    -------
    Peaks
        Of each function, the inner points not below their neighbours whose peak may reach the function's highest
        value: a smooth peak rises above its point by less than the point rises above its lower neighbour.
    """
    middle = values[:, 1:-1]
    with np.errstate(invalid="ignore"):
        rise = middle - np.minimum(values[:, :-2], values[:, 2:])
        local = (middle >= values[:, :-2]) & (middle > values[:, 2:])
        local &= middle + rise >= values.max(axis=1, keepdims=True)
    rows, at = np.nonzero(local)
    at += 1
    left, right = points[at] - points[at - 1], points[at + 1] - points[at]
    with np.errstate(invalid="ignore"):
        up = (values[rows, at] - values[rows, at - 1]) / left
        down = (values[rows, at] - values[rows, at + 1]) / right
        slope = -2.0 * (up + down) / (left + right)
        start = points[at] + (down * left - up * right) / (left + right) / slope
    # a neighbour of minus infinity gives no parabola
    known = np.isfinite(slope) & np.isfinite(start) & (slope < 0)
    return Peaks(
        rows,
        points[at - 1],
        _cut(np.where(known, start, points[at])),
        points[at + 1],
        _cut(np.where(known, slope, -1.0 / (left * right))),
    )


def _cut(guess: Array) -> Array:
    """Single precision: the scan's last bits (they may depend on the number of threads) stay out of the result."""
    return guess.astype(np.float32).astype(float)


def highest_peaks(criterion: Criterion, points: Array) -> Array:
    """Where each function has its highest local maximum.

    Parameters
    ----------
    criterion : Criterion
        R functions.
    points : ndarray, shape (Q,)
        The mesh.

    Returns
    -------
    ndarray, shape (R,)
        NaN for a function without a maximum inside the mesh.
    """
    scan = criterion.at_nodes(points)
    peaks = find_peaks(points, scan)
    at = polish(criterion, peaks)
    best = np.full(len(scan), np.nan)
    if len(np.unique(peaks.rows)) < len(peaks.rows):
        order = np.argsort(criterion.value(at, peaks.rows), kind="stable")
        best[peaks.rows[order]] = at[order]
    else:
        best[peaks.rows] = at
    return best


def polish(criterion: Criterion, peaks: Peaks, tolerance: float = TOLERANCE) -> Array:
    """Where the slope crosses zero from above: secant steps, bisection where they leave the interval.

    Parameters
    ----------
    criterion : Criterion
        The functions.
    peaks : Peaks
        N peaks.
    tolerance : float
        A peak is done when what is left is below this times (1 + |point|).

    Returns
    -------
    ndarray, shape (N,)

    Raises
    ------
    EstimationError
        If a peak is not found.
    """
    low, high, slope, point = peaks.low.copy(), peaks.high.copy(), peaks.slope.copy(), peaks.start.copy()
    active = np.arange(len(point))
    last_point, last_value = np.full(len(point), np.nan), np.full(len(point), np.nan)
    for _ in range(_STEPS):
        here = point[active]
        value = criterion.slope(here, peaks.rows[active])
        low[active] = np.where(value >= 0, here, low[active])
        high[active] = np.where(value <= 0, here, high[active])
        came = here - last_point[active]
        with np.errstate(divide="ignore", invalid="ignore"):
            secant = (value - last_value[active]) / came
        falling = np.isfinite(secant) & (secant < 0)
        slope[active] = np.where(falling, secant, slope[active])
        last_point[active], last_value[active] = here, value
        after = here - value / slope[active]
        outside = (after < low[active]) | (after > high[active])
        after = np.where(outside, 0.5 * (low[active] + high[active]), after)
        point[active] = after
        step, scale = np.abs(after - here), 1.0 + np.abs(after)
        # what a secant step leaves is of the order of the product of the last two steps
        small = falling & ~outside & (step * np.abs(came) < 1e-2 * tolerance * scale)
        # a step that is not a number is not small
        active = active[~(small | (step <= tolerance * scale))]
        if active.size == 0:
            return point
    raise EstimationError(
        f"{active.size} maxima not found in {_STEPS} steps", "scoring", "Check the item parameters for extreme values"
    )
