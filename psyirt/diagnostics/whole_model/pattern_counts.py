"""G2 and X2 of complete responses against the saturated multinomial over all 2^J patterns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import Patterns
from psyirt.likelihood import posteriors
from psyirt.results.calibration import Calibration

_NAN = float("nan")
# average expected count of a pattern below which the chi-square of G2 is void (Koehler & Larntz 1980 put it at 5 and
# below), and below which its value is one of empty cells
_FEWEST, _SPARSEST = 5.0, 1.0


@dataclass(frozen=True)
class PatternTest:
    """Outcome of :func:`pattern_test`; NaN where not available, `note` says why.

    Attributes
    ----------
    g2, x2 : float
        Likelihood ratio and Pearson statistic.
    df : float
        2^J - 1 - parameters.
    g2_p, x2_p : float
        Chi-square tail probabilities.
    note : str
        What to know.
    """

    g2: float = _NAN
    x2: float = _NAN
    df: float = _NAN
    g2_p: float = _NAN
    x2_p: float = _NAN
    note: str = ""


def pattern_test(calibration: Calibration, patterns: PatternSource) -> PatternTest:
    """G2 = 2 sum n log(n / (N pi)) and X2 = sum (n - N pi)^2 / (N pi) over patterns of probability pi.

    Parameters
    ----------
    calibration : Calibration
        With responses.
    patterns : PatternSource
        Its patterns.

    Returns
    -------
    PatternTest
    """
    items = len(calibration.item_names)
    if not patterns.is_complete:
        return PatternTest(note="G2, X2: not available, responses are missing")
    df = 2.0**items - 1.0 - calibration.n_parameters
    if df <= 0.0:
        return PatternTest(note="G2, X2: not available, as many parameters as patterns")
    average = patterns.total / 2.0**items
    if average < _SPARSEST:
        return PatternTest(note=f"G2, X2: not available, {patterns.total:g} subjects for 2^{items} patterns")
    codes, index = np.unique(patterns.codes, axis=0, return_inverse=True)
    observed = np.bincount(index.ravel(), weights=patterns.weights)
    blocks = list(posteriors(Patterns.of(codes), calibration.table, calibration.log_weights))
    logs = np.concatenate([block.log_likelihood for block in blocks]) + np.log(patterns.total)
    g2 = 2.0 * float(np.sum(observed * (np.log(observed) - logs)))
    # patterns that nobody gave add what they were expected to have
    with np.errstate(over="ignore"):
        x2 = float(np.sum(observed**2 * np.exp(-logs))) - patterns.total
    if average < _FEWEST:
        note = f"G2, X2: no p, the average pattern expects {average:.1f} subjects and a chi-square needs {_FEWEST:g}"
        return PatternTest(g2, x2, df, note=note)
    return PatternTest(g2, x2, df, float(chdtrc(df, g2)), float(chdtrc(df, x2)))
