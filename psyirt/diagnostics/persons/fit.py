"""Person fit by name: one line per statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psyirt.data.responses import Responses
from psyirt.diagnostics.persons.guttman import guttman
from psyirt.diagnostics.persons.mean_squares import infit, outfit
from psyirt.diagnostics.persons.standardized_likelihood import lz, lz_star
from psyirt.foundation.arguments import require_known_options
from psyirt.foundation.registry import Registry
from psyirt.results.table import StatisticTable

# (source, *, responses, adjust, alpha, and options of its own) -> a table with a row per subject
PersonStatistic = Callable[..., StatisticTable]

PERSON_FIT: Registry[PersonStatistic] = Registry(
    "person-fit statistic", {"lz*": lz_star, "lz": lz, "infit": infit, "outfit": outfit, "Guttman": guttman}
)


def person_fit(
    source: Any,
    method: str | None = None,
    *,
    responses: Responses | None = None,
    adjust: str = "fdr_bh",
    alpha: float = 0.05,
    **options: Any,
) -> StatisticTable:
    """How well each subject's answers agree with the model, or with the crowd.

    Every p-value is one-sided: small where answers are less orderly than expected, as those of a careless worker are.
    Missing responses are left out. Infinite estimates, extreme scores and very short tests are noted in their rows.

    Parameters
    ----------
    source : Calibration, Scale or Responses
        Whose subjects are judged: those of a calibration; with `responses`, others on a calibration or a scale (the
        systems you score, say). Responses alone do for Guttman errors.
    method : {"lz*", "lz", "infit", "outfit", "Guttman"}, optional
        Which statistic; "lz*" by default, "Guttman" for responses alone.
    responses : Responses, optional
        The answers of others; items in any order, any subset of the measure's.
    adjust : {"fdr_bh", "holm", "none"}
        Adjustment of p-values over the subjects. By default the share of good subjects among those flagged is kept to
        alpha.
    alpha : float
        Level of the flag.
    **options
        The statistic's own: ``scoring="EAP" | "MAP" | "ML" | "WLE"`` for all but Guttman errors (WLE by default for
        lz*, else EAP), ``reference="skewed" | "normal"`` for lz*; an unknown one is refused.

    Returns
    -------
    StatisticTable
        Index subject; columns statistic, df (NaN), p, p_adjusted, what belongs to the statistic, answered, flag, note.

    Raises
    ------
    InputError
        If the method or an option's value is unknown, an item has no parameters, or parameters or responses are needed.
    NotAvailableError
        If the calibration has no responses and none are given.

    Examples
    --------
    >>> import numpy as np, psyirt
    >>> crowd = psyirt.simulate_responses(subjects=300, items=20, model="2PL", seed=1)
    >>> codes = crowd.responses.codes.copy()
    >>> codes[0] = 1 - codes[0]
    >>> bank = psyirt.fix(crowd.item_parameters, "2PL", psyirt.Responses.from_array(codes))
    >>> bool(psyirt.person_fit(bank).loc["s1", "flag"])
    True
    """
    if method is None:
        method = "lz*" if hasattr(source, "item_parameters") else "Guttman"
    statistic = PERSON_FIT[method]
    require_known_options(options, statistic, f"person_fit, {method}")
    return statistic(source, responses=responses, adjust=adjust, alpha=alpha, **options)
