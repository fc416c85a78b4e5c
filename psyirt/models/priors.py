"""Priors on item parameters, as values.

Each prior says on which scale its density lives and, with it, on which scale its mode is taken: the density is
added to the log-likelihood as it stands, without a Jacobian. ``NormalOnLogit`` on c is a normal density of
logit c (the mode is the mode of logit c); ``Beta`` on c is a density of c itself. Second arguments are standard
deviations, never variances. Parameters are passed on the scale they are estimated on: slopes and intercepts as
they are, c and d as logits.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from numbers import Real
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit

from psyirt.errors import InputError
from psyirt.foundation.arguments import require

Array = NDArray[np.float64]
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
# squares of standard deviations and shapes in this range are numbers
_SMALLEST, _LARGEST = 1e-100, 1e100
_LOG_LARGEST = math.log(sys.float_info.max)


class Prior(Protocol):
    """What estimation asks of a prior; x is the parameter on the estimation scale."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots it may be put on."""

    @property
    def scale(self) -> Literal["natural", "logit"]:
        """The scale its density and its standard deviation live on."""

    @property
    def sd(self) -> float:
        """Its standard deviation, on that scale."""

    def log_density(self, x: Array) -> Array:
        """Log of the normalised density; -inf outside the support."""

    def gradient(self, x: Array) -> Array:
        """d log density / dx."""

    def curvature(self, x: Array) -> Array:
        """d2 log density / dx2."""


def _finite(name: str, value: float) -> None:
    require(value, Real, name, "prior", "Give a number")
    if not math.isfinite(value):
        raise InputError(f"{name} is {value}", "prior", "Give a number")


def _positive(name: str, value: float) -> None:
    require(value, Real, name, "prior", "Give a positive number")
    if not _SMALLEST <= value <= _LARGEST:
        raise InputError(f"{name} is {value}", "prior", f"Give a positive number, from {_SMALLEST:g} to {_LARGEST:g}")


@dataclass(frozen=True)
class Normal:
    """Normal density of a slope or an intercept.

    Parameters
    ----------
    mean : float
        Mean.
    sd : float
        Standard deviation, above 0.
    """

    mean: float
    sd: float

    slots = ("a", "intercept")
    scale: Literal["natural", "logit"] = "natural"

    def __post_init__(self) -> None:
        """Refuse a mean that is no number and a standard deviation that is not positive."""
        _finite("mean", self.mean)
        _positive("sd", self.sd)

    def log_density(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return -0.5 * ((x - self.mean) / self.sd) ** 2 - math.log(self.sd) - _HALF_LOG_2PI

    def gradient(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return (self.mean - x) / self.sd**2

    def curvature(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return np.full_like(x, -1.0 / self.sd**2)


@dataclass(frozen=True)
class NormalOnLogit(Normal):
    """Normal density of logit c or logit d (R's mirt: ``norm`` on g); the mode is that of the logit.

    Parameters
    ----------
    mean : float
        Mean of the logit, e.g. -1.386 for a guessing parameter around 1/5.
    sd : float
        Standard deviation of the logit, above 0.
    """

    slots = ("c", "d")
    scale: Literal["natural", "logit"] = "logit"


@dataclass(frozen=True)
class Beta:
    """Beta density of c or d itself; the mode is that of c, not of logit c.

    Parameters
    ----------
    alpha, beta : float
        Shapes, above 0: mode (alpha - 1) / (alpha + beta - 2) where both exceed 1.
    """

    alpha: float
    beta: float

    slots = ("c", "d")
    scale: Literal["natural", "logit"] = "natural"

    def __post_init__(self) -> None:
        """Refuse shapes that are not positive."""
        _positive("alpha", self.alpha)
        _positive("beta", self.beta)

    @property
    def sd(self) -> float:
        """Standard deviation of c."""
        total = self.alpha + self.beta
        return math.sqrt(self.alpha * self.beta / (total**2 * (total + 1.0)))

    def log_density(self, x: Array) -> Array:
        """See :class:`Prior`: log c is written -log(1 + exp(-x)), exact for very small c."""
        log_c, log_1mc = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
        return (self.alpha - 1) * log_c + (self.beta - 1) * log_1mc - float(betaln(self.alpha, self.beta))

    def gradient(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return (self.alpha - 1) * expit(-x) - (self.beta - 1) * expit(x)

    def curvature(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return -(self.alpha + self.beta - 2) * expit(x) * expit(-x)


@dataclass(frozen=True)
class LogNormal:
    """Lognormal density of a slope; slopes are positive under it, and the mode is that of the slope.

    Parameters
    ----------
    mean_log, sd_log : float
        Mean and standard deviation of log a.
    """

    mean_log: float
    sd_log: float

    slots = ("a",)
    scale: Literal["natural", "logit"] = "natural"

    def __post_init__(self) -> None:
        """Refuse a mean that is no number and a standard deviation that is not positive."""
        _finite("mean_log", self.mean_log)
        _positive("sd_log", self.sd_log)

    @property
    def sd(self) -> float:
        """Standard deviation of the slope; infinite where it is beyond any number (sd_log 27 or more, say)."""
        variance = self.sd_log**2
        log_sd = self.mean_log + variance + 0.5 * math.log(-math.expm1(-variance))
        return math.exp(log_sd) if log_sd < _LOG_LARGEST else math.inf

    def log_density(self, x: Array) -> Array:
        """See :class:`Prior`."""
        log_x = np.log(np.where(x > 0, x, 1.0))
        inside = -0.5 * ((log_x - self.mean_log) / self.sd_log) ** 2 - log_x - math.log(self.sd_log) - _HALF_LOG_2PI
        return np.where(x > 0, inside, -np.inf)

    def gradient(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return -(1.0 + (np.log(x) - self.mean_log) / self.sd_log**2) / x

    def curvature(self, x: Array) -> Array:
        """See :class:`Prior`."""
        return (1.0 + (np.log(x) - self.mean_log - 1.0) / self.sd_log**2) / x**2


def guessing_prior(options: float | None) -> NormalOnLogit:
    """The default prior on c: normal on logit c, centred at 1 / options, sd 0.5 (1/5 where unknown).

    Parameters
    ----------
    options : float or None
        Number of answer options, at least 2.
    """
    if options is None or math.isnan(options):
        options = 5.0
    if options < 2:
        raise InputError(f"{options:g} answer options", "", "An item needs at least 2")
    return NormalOnLogit(-math.log(options - 1.0), 0.5)


def feasibility_prior() -> NormalOnLogit:
    """The default prior on d: normal on logit d, centred at .95, sd 1 (95 % of its mass in .73 .. .99)."""
    return NormalOnLogit(math.log(0.95 / 0.05), 1.0)
