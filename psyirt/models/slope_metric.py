"""What a slope says on other scales: normal-ogive loading, communality; and when it is no estimate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# a logistic slope divided by this is close to a normal-ogive slope, which loadings are defined by (Haley 1952)
NORMAL_OGIVE = 1.702
# beyond this slope a curve is a step between neighbouring nodes: the data separate right from wrong answers, and the
# estimate keeps growing
RUNAWAY_SLOPE = 20.0


def loading(slopes: ArrayLike) -> Array:
    """Correlation of an item's normal-ogive response variable with the ability.

    Parameters
    ----------
    slopes : array_like
        Logistic slopes a.

    Returns
    -------
    ndarray
        (a / 1.702) / sqrt(1 + (a / 1.702)^2), between -1 and 1, the shape of `slopes` (Takane & de Leeuw 1987;
        McDonald 1999).
    """
    ogive = np.asarray(slopes, dtype=float) / NORMAL_OGIVE
    # hypot does not overflow where a slope runs away
    return np.asarray(ogive / np.hypot(1.0, ogive))


def communality(slopes: ArrayLike) -> Array:
    """Share of an item's normal-ogive response variable that is ability: the squared :func:`loading`, 0 to 1."""
    return loading(slopes) ** 2


def slope_of_loading(loadings: ArrayLike) -> Array:
    """The inverse of :func:`loading`; a communality h has the slope of the loading sqrt(h).

    Parameters
    ----------
    loadings : array_like
        Between -1 and 1, both excluded.

    Returns
    -------
    ndarray
        1.702 r / sqrt(1 - r^2), the shape of `loadings`.
    """
    r = np.asarray(loadings, dtype=float)
    return np.asarray(NORMAL_OGIVE * r / np.sqrt(1.0 - r**2))
