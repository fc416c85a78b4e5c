"""Reliability: how much of the variance of a score is not error, by each of the field's definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import collapse
from psyirt.data.responses import ResponseSource
from psyirt.diagnostics.adjustment import require_level
from psyirt.diagnostics.fitted_data import require_responses
from psyirt.diagnostics.items.internal_consistency import Coefficient, alpha_coefficient, omega_coefficient
from psyirt.diagnostics.whole_model.model_reliability import marginal, number_correct
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.results.calibration import Calibration
from psyirt.scoring.abilities import METHODS
from psyirt.scoring.problem import ScoringProblem, require_one_dimension
from psyirt.scoring.sum_scores import sum_score_table

Array = NDArray[np.float64]

_NO_SE = "no SE: one from these estimates would leave out that the items are estimates too"
_DISTRIBUTION_FREE = "the SE makes no assumption about the answers; the interval is Feldt's (1965)"


@one_blas_thread()
def reliability(source: Any, *, scoring: str = "EAP", alpha: float = 0.05) -> pd.DataFrame:
    """Reliability of abilities and of the number right.

    Parameters
    ----------
    source : Calibration, Scale or Responses
        Responses give alpha and omega alone; parameters without responses what follows from them.
    scoring : {"EAP", "MAP", "ML", "WLE"}
        Estimates of the empirical coefficient.
    alpha : float
        1 - the level of the intervals.

    Returns
    -------
    DataFrame
        Index ``coefficient``; columns ``reliability``, ``se``, ``lower``, ``upper``, ``note``. NaN never stands without
        a note. The rows:

        - "marginal": population mean of I / (I + 1 / variance), I the test information (Green et al. 1984); what the
          model says of posterior means.
        - "number right": variance over the population of the expected number right / variance of the number right
          (Lord 1980; Kim & Feldt 2010): omega as the fitted model has it. Both have standard errors where items were
          fitted, by the delta method.
        - "empirical EAP" (or another method): variance of the estimates / (that + mean squared SE), as in R's mirt.
          Estimates by ML and WLE hold their errors already, so that this is too high; the row "..., errors taken out"
          is 1 - mean squared SE / variance.
        - "empirical sum-score EAP": the same for the table of :func:`psyirt.sum_score_table`; complete responses only.
        - "alpha", "omega": see :func:`psyirt.classical`.

        Intervals are symmetric in log(1 - reliability) (Bonett 2002), alpha's is Feldt's.

    Raises
    ------
    InputError
        If the method is unknown, `alpha` is no level, or the items measure several abilities.

    Examples
    --------
    >>> import psyirt
    >>> crowd = psyirt.simulate_responses(subjects=500, items=20, model="2PL", seed=1)
    >>> list(psyirt.reliability(crowd.responses).index)
    ['alpha', 'omega']
    """
    require_level(alpha)
    METHODS[scoring]
    rows: dict[str, Coefficient] = {}
    patterns: PatternSource | None
    if all(hasattr(source, part) for part in ("item_parameters", "population", "grid")):
        require_one_dimension(source.item_parameters)
        rows["marginal"], rows["number right"] = marginal(source), number_correct(source)
        patterns = getattr(source, "patterns", None)
        if patterns is not None:
            rows |= _empirical(source, patterns, scoring)
    else:
        patterns = _patterns(source)
    if patterns is not None:
        rows |= _classical(patterns, alpha)
    return pd.DataFrame([_row(found, alpha) for found in rows.values()], index=pd.Index(rows, name="coefficient"))


def _patterns(responses: ResponseSource) -> PatternSource:
    """The patterns of responses; anything else is refused."""
    require_responses(responses, "reliability")
    return collapse(responses)


def _row(found: Coefficient, alpha: float) -> dict[str, Any]:
    """One line of the table, with an interval where there is a standard error and none yet."""
    low, high = found.lower, found.upper
    if np.isnan(low) and np.isfinite(found.se) and found.value < 1.0:
        away = float(ndtri(1.0 - alpha / 2.0)) * found.se / (1.0 - found.value)
        low, high = (1.0 - (1.0 - found.value) * float(np.exp(side * away)) for side in (1.0, -1.0))
    return {"reliability": found.value, "se": found.se, "lower": low, "upper": high, "note": found.note}


def _classical(patterns: PatternSource, alpha: float) -> dict[str, Coefficient]:
    """Alpha and omega; notes say why there is no number or no standard error."""
    if patterns.is_complete:
        first = alpha_coefficient(patterns, 1.0 - alpha)
        shown = (
            first if first.note else Coefficient(first.value, first.se, first.lower, first.upper, _DISTRIBUTION_FREE)
        )
    else:
        shown = Coefficient(float("nan"), note="responses are missing: alpha is not given")
    omega = omega_coefficient(patterns)
    parts = [omega.note, "no SE"]
    if not patterns.is_complete:
        parts.append("responses are missing: each pair of items over those who answered both")
    return {"alpha": shown, "omega": Coefficient(omega.value, note="; ".join(filter(None, parts)))}


def _empirical(calibration: Calibration, patterns: PatternSource, scoring: str) -> dict[str, Coefficient]:
    """Coefficients of the fitted subjects' estimates."""
    problem = ScoringProblem(patterns, calibration.item_parameters, calibration.population, calibration.grid)
    theta, se = METHODS[scoring](problem)
    method = next(name for name in METHODS if name.casefold() == scoring.casefold())
    bare = method in ("ML", "WLE")
    over = "the estimates' variance holds their errors: too high" if bare else ""
    rows = {f"empirical {method}": _of_estimates(theta, se, patterns.weights, over)}
    if bare:
        rows[f"empirical {method}, errors taken out"] = _of_estimates(theta, se, patterns.weights, taken_out=True)
    name = "empirical sum-score EAP"
    if patterns.is_complete:
        table = sum_score_table(calibration)
        score = patterns.codes.sum(1, dtype=np.intp)
        rows[name] = _of_estimates(table["theta"].to_numpy()[score], table["se"].to_numpy()[score], patterns.weights)
    else:
        rows[name] = Coefficient(float("nan"), note="responses are missing: numbers right are not comparable")
    return rows


def _of_estimates(theta: Array, se: Array, weights: Array, about: str = "", *, taken_out: bool = False) -> Coefficient:
    """Empirical reliability of estimates."""
    known = np.isfinite(theta) & np.isfinite(se)
    lost = float(weights[~known].sum())
    parts = [about, f"{counted(lost, 'subject')} without a finite estimate left out" if lost else ""]
    theta, se, weights = theta[known], se[known], weights[known]
    n = float(weights.sum())
    if n < 2.0 or np.ptp(theta) == 0.0:
        return Coefficient(float("nan"), note="; ".join(filter(None, [*parts, "the estimates do not vary"])))
    variance = float(weights @ (theta - weights @ theta / n) ** 2) / (n - 1.0)
    error = float(weights @ se**2) / n
    value = 1.0 - error / variance if taken_out else variance / (variance + error)
    return Coefficient(value, note="; ".join(filter(None, [*parts, _NO_SE])))
