"""Priors as numbers that a kernel can read."""

from __future__ import annotations

from typing import Any

import numpy as np

from psyirt.kernels._math import BETA_OF_LOGIT, LOG_NORMAL, NORMAL
from psyirt.models.base import Array
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import ParameterLayout
from psyirt.models.priors import Beta, LogNormal, Normal, NormalOnLogit

# by type and not by inheritance: a prior made from another may have a density of its own
_KINDS: dict[type, tuple[float, str, str]] = {
    Normal: (NORMAL, "mean", "sd"),
    NormalOnLogit: (NORMAL, "mean", "sd"),
    Beta: (BETA_OF_LOGIT, "alpha", "beta"),
    LogNormal: (LOG_NORMAL, "mean_log", "sd_log"),
}


def compiled_prior(prior: Any) -> tuple[float, float, float] | None:
    """A prior's kind and numbers for :func:`psyirt.kernels._math.prior_terms`; None for a prior of another kind."""
    if type(prior) not in _KINDS:
        return None
    kind, first, second = _KINDS[type(prior)]
    return kind, float(getattr(prior, first)), float(getattr(prior, second))


def compiled_priors(priors: FreePriors, layout: ParameterLayout) -> Array | None:
    """The priors on items' slots, where kernels know all of them.

    Parameters
    ----------
    priors : FreePriors
        By position in the free vector.
    layout : ParameterLayout
        In which no parameter is shared.

    Returns
    -------
    ndarray, shape (J, S, 3), or None
        Zeros where a slot has no prior; None if a kernel does not know one of the priors.
    """
    out = np.zeros((*layout.index.shape, 3))
    if not priors:
        return out
    place = np.empty(layout.size, dtype=np.intp)
    place[layout.index[layout.is_free]] = np.flatnonzero(layout.is_free)
    for prior, at in priors.placed:
        numbers = compiled_prior(prior)
        if numbers is None:
            return None
        out.reshape(-1, 3)[place[at]] = numbers
    return out
