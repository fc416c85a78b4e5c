"""p-values adjusted for the number of tests made at once, and the flags that follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.registry import Registry

Array = NDArray[np.float64]


def holm(p: Array) -> Array:
    """Holm's (1979) step-down adjustment: the k-th smallest of n p-values times n - k + 1, made non-decreasing.

    Parameters
    ----------
    p : ndarray, shape (n,)
        p-values, none NaN.

    Returns
    -------
    ndarray, shape (n,)
    """
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return out


def benjamini_hochberg(p: Array) -> Array:
    """Benjamini & Hochberg's (1995) adjustment of n p-values, none NaN, shape (n,)."""
    return np.asarray(false_discovery_control(p, method="bh"))


def unadjusted(p: Array) -> Array:
    """The p-values as they are."""
    return p


@dataclass(frozen=True)
class Adjustment:
    """A way to adjust p-values.

    Attributes
    ----------
    function : callable
        p-values without NaN -> adjusted ones.
    description : str
        What a table says about it.
    """

    function: Callable[[Array], Array]
    description: str

    def apply(self, p: Array) -> Array:
        """Adjusted p-values, shape as given; NaN stays NaN and does not count as a test."""
        out = p.copy()
        known = ~np.isnan(p)
        if known.any():
            out[known] = self.function(p[known])
        return out


# statsmodels' multipletests has these too, but collects all garbage on each call: 60 ms where 0.1 would do
ADJUSTMENTS: Registry[Adjustment] = Registry(
    "p-value adjustment",
    {
        "holm": Adjustment(holm, "adjusted by Holm (1979): familywise error"),
        "fdr_bh": Adjustment(benjamini_hochberg, "adjusted by Benjamini & Hochberg (1995): false discovery rate"),
        "none": Adjustment(unadjusted, "not adjusted for the number of tests"),
    },
)


@dataclass(frozen=True, eq=False)
class Decision:
    """What follows from the p-values of one table.

    Attributes
    ----------
    p_adjusted : ndarray, shape (tests,)
        NaN where p is.
    flag : ndarray of bool, shape (tests,)
        Whether the null hypothesis is rejected; False where p is NaN.
    adjustment, flagged_when : str
        Both in words.
    """

    p_adjusted: Array
    flag: NDArray[np.bool_]
    adjustment: str
    flagged_when: str


def require_level(alpha: float) -> None:
    """Refuse an alpha that is no level of a test."""
    require(alpha, Real, "alpha", "", "Give a level between 0 and 1, e.g. 0.05")
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha is {alpha}", "", "Give a level between 0 and 1, e.g. 0.05")


def decide(p: Array, adjust: str, alpha: float) -> Decision:
    """Adjust p-values and compare them with a level.

    Parameters
    ----------
    p : ndarray, shape (tests,)
        NaN where there is no test.
    adjust : {"holm", "fdr_bh", "none"}
        See ``ADJUSTMENTS``.
    alpha : float
        Level, between 0 and 1.

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        If the adjustment is unknown or alpha is no level.
    """
    require_level(alpha)
    adjustment = ADJUSTMENTS[adjust]
    adjusted = adjustment.apply(p)
    return Decision(adjusted, adjusted < alpha, adjustment.description, f"p_adjusted < {alpha:g}")
