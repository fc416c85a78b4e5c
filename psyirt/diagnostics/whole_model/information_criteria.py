"""Information criteria: log-likelihood minus a price per parameter."""

from __future__ import annotations

import math

CRITERIA = ("AIC", "AICc", "BIC", "SABIC", "HQ")


def information_criteria(loglik: float, parameters: int | None, subjects: float) -> dict[str, float]:
    """The criteria of one fit, smaller is better.

    Parameters
    ----------
    loglik : float
        Log-likelihood.
    parameters : int or None
        k; None where parameters cannot be counted, and all criteria are NaN.
    subjects : float
        n: subjects, and not responses, are independent.

    Returns
    -------
    dict of str to float
        AIC = D + 2 k (Akaike 1974) with D = -2 loglik, AICc = AIC + 2 k (k + 1) / (n - k - 1) (Hurvich & Tsai 1989; NaN
        where n <= k + 1), BIC = D + k log n (Schwarz 1978), SABIC = D + k log((n + 2) / 24) (Sclove 1987),
        HQ = D + 2 k log log n (Hannan & Quinn 1979; NaN where n <= e).

    Examples
    --------
    >>> round(information_criteria(-2466.653, 10, 1000)["BIC"], 2)
    5002.38
    """
    if parameters is None:
        return dict.fromkeys(CRITERIA, math.nan)
    deviance, k = -2.0 * loglik, parameters
    room = subjects - k - 1.0
    return {
        "AIC": deviance + 2.0 * k,
        "AICc": deviance + 2.0 * k + 2.0 * k * (k + 1.0) / room if room > 0 else math.nan,
        "BIC": deviance + k * math.log(subjects),
        "SABIC": deviance + k * math.log((subjects + 2.0) / 24.0),
        "HQ": deviance + 2.0 * k * math.log(math.log(subjects)) if subjects > math.e else math.nan,
    }
