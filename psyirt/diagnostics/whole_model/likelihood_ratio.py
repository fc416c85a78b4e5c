"""Likelihood-ratio tests of nested fits; bounds on p where the null hypothesis lies at an edge."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import chdtrc

from psyirt.diagnostics.whole_model.nesting import Nesting
from psyirt.results.calibration import Calibration

_NAN = float("nan")
# by how much a sum of logs may fall short of another through rounding and tolerance alone
_SLACK = 1e-3
# and by how much two fits of one model may differ, whose nodes stand elsewhere on the scale
_EQUAL = 0.05


@dataclass(frozen=True)
class RatioTest:
    """A likelihood-ratio test; NaN where not available, `note` says why.

    Attributes
    ----------
    statistic : float
        Twice the difference of log-likelihoods.
    df, at_edge : int
        Restrictions, and how many of them lie at the edge of the general model.
    p : float
        Chi-square tail probability; NaN where there are only bounds.
    p_low, p_high : float
        What p lies between, whatever the mixture of chi-squares.
    note : str
        What to know.
    """

    statistic: float
    df: int
    at_edge: int
    p: float = _NAN
    p_low: float = _NAN
    p_high: float = _NAN
    note: str = ""


def ratio_test(restricted: Calibration, general: Calibration, nested: Nesting) -> RatioTest:
    """Test the restricted fit against the general one.

    With k restrictions at an edge and m others the statistic is, under the null hypothesis, a mixture of chi-squares
    with m to m + k degrees of freedom, whose weights depend on the information matrix (Self & Liang 1987). Whatever
    these are, p lies between those of half chi2(m) and half chi2(m + 1), and of half chi2(m + k - 1) and half
    chi2(m + k) (Perlman 1969).

    Parameters
    ----------
    restricted, general : Calibration
        Fits of the same responses.
    nested : Nesting
        How the one lies in the other.

    Returns
    -------
    RatioTest
    """
    statistic = 2.0 * (general.loglik - restricted.loglik)
    found = statistic, nested.df, nested.at_edge
    if "fixed" in (restricted.status, general.status):
        return RatioTest(*found, note="no test: parameters were given, not estimated")
    if nested.df == 0:
        same = "in other words" if abs(statistic) < _EQUAL else "with other estimates (priors, or not converged)"
        return RatioTest(*found, note=f"the same model {same}: nothing to test")
    if restricted.priors or general.priors:
        return RatioTest(*found, note="no chi-square: estimates under priors do not maximise the likelihood")
    if general.why_no_chi_square:
        return RatioTest(*found, note=f"no p: {general.why_no_chi_square}")
    unfinished = [fit.model_name for fit in (restricted, general) if not fit.converged]
    if unfinished:
        return RatioTest(*found, note=f"no p: the fit of {unfinished[0]} has not converged")
    if statistic < -_SLACK:
        return RatioTest(*found, note="no p: the general fit is the less likely one, so it is not at its maximum")
    inner, edge = nested.df - nested.at_edge, nested.at_edge
    high = _half(inner + edge - 1, statistic) + _half(inner + edge, statistic) if edge else _tail(inner, statistic)
    low = _half(inner, statistic) + _half(inner + 1, statistic) if edge else high
    if low == high:
        return RatioTest(*found, low, low, high)
    note = f"{edge} of {nested.df} restrictions lie at an edge: the chi-square mixture only bounds p"
    return RatioTest(*found, p_low=low, p_high=high, note=note)


def _tail(df: int, statistic: float) -> float:
    """P(chi2(df) >= statistic); chi2(0) is 0 with certainty."""
    if statistic <= 0.0:
        return 1.0
    return float(chdtrc(df, statistic)) if df > 0 else 0.0


def _half(df: int, statistic: float) -> float:
    return 0.5 * _tail(df, statistic)
