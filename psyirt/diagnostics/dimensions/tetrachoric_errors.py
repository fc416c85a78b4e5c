"""Standard errors of tetrachoric correlations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from psyirt.diagnostics.pair_counts import PairCounts
from psyirt.kernels.bivariate_normal import both_below_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EstimatedPairs:
    """Two-step estimates and what they are estimates from.

    Attributes
    ----------
    below : ndarray, shape (J,)
        Normal quantile of each item's proportion correct; NaN without variance.
    answered : ndarray, shape (J,)
        Subjects who answered an item.
    counts : PairCounts
        The 2 x 2 tables of all pairs.
    rho : ndarray, shape (J, J)
        Correlations, before any smoothing.
    """

    below: Array
    answered: Array
    counts: PairCounts
    rho: Array


def tetrachoric_errors(pairs: EstimatedPairs) -> Array:
    """Asymptotic standard errors of two-step estimates (Olsson 1979; thresholds are estimates too).

    With h, k the thresholds' estimates and U the score of rho, rho-hat - rho is, to first order, U / I less what the
    errors of h and k contribute; U is uncorrelated with both, because given one answer of a pair its expectation is 0.
    So var = 1 / I + (I_h^2 var h + I_k^2 var k + 2 I_h I_k cov(h, k)) / I^2, where I, I_h and I_k are the expected
    information of rho and its cross terms, over the pair's subjects. For complete data that is the delta method on the
    root of P(both below) = share of both (Hamdan 1970).

    Parameters
    ----------
    pairs : EstimatedPairs
        J items.

    Returns
    -------
    ndarray, shape (J, J)
        0 on the diagonal; NaN where there is no correlation, or one of -1 or +1 (an empty cell: no normal error).
    """
    below, answered, rho = pairs.below, pairs.answered, pairs.rho
    with np.errstate(invalid="ignore", divide="ignore"):
        h, k = below[:, None], below[None, :]
        inner = np.where(np.abs(rho) < 1.0, rho, np.nan)
        root = np.sqrt((1.0 - inner) * (1.0 + inner))
        density = np.exp(-0.5 * (h * h - 2.0 * inner * h * k + k * k) / root**2) / (2.0 * np.pi * root)
        # cells at the estimates
        share = ndtr(below)
        both = both_below_matrix(below, rho)
        cells = (both, share[:, None] - both, share[None, :] - both, 1.0 - share[:, None] - share[None, :] + both)
        spread = sum(1.0 / cell for cell in cells)
        # derivatives of P(both below) in h and k; those of the other cells follow from it
        by_h = _normal_density(h) * ndtr((k - inner * h) / root)
        by_k = _normal_density(k) * ndtr((h - inner * k) / root)
        n = pairs.counts.subjects
        information = n * density**2 * spread
        with_h = n * density * (by_h * spread - _normal_density(h) * (1.0 / cells[1] + 1.0 / cells[3]))
        with_k = n * density * (by_k * spread - _normal_density(k) * (1.0 / cells[2] + 1.0 / cells[3]))
        each = share * (1.0 - share) / (answered * _normal_density(below) ** 2)
        scale = answered[:, None] * answered[None, :] * _normal_density(h) * _normal_density(k)
        together = n * (both - share[:, None] * share[None, :]) / scale
        nuisance = with_h**2 * each[:, None] + with_k**2 * each[None, :] + 2.0 * with_h * with_k * together
        out = np.sqrt((information + nuisance) / information**2)
    out[~np.isfinite(out)] = np.nan
    np.fill_diagonal(out, np.where(np.isfinite(below), 0.0, np.nan))
    return np.asarray(out)


def _normal_density(x: Array) -> Array:
    return np.asarray(np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))
