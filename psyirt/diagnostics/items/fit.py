"""Item fit by name: one line per statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psyirt.diagnostics.items.g2 import g2
from psyirt.diagnostics.items.infit import infit
from psyirt.diagnostics.items.outfit import outfit
from psyirt.diagnostics.items.pv_q1 import pv_q1
from psyirt.diagnostics.items.rmsd import rmsd
from psyirt.diagnostics.items.s_x2 import s_x2
from psyirt.diagnostics.items.x2 import x2
from psyirt.foundation.arguments import require_known_options
from psyirt.foundation.registry import Registry
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

# (calibration, *, adjust, alpha, and options of its own) -> a table with a row per item
ItemStatistic = Callable[..., StatisticTable]

ITEM_FIT: Registry[ItemStatistic] = Registry(
    "item-fit statistic",
    {"S-X2": s_x2, "PV-Q1": pv_q1, "X2": x2, "G2": g2, "infit": infit, "outfit": outfit, "RMSD": rmsd},
)


def item_fit(
    calibration: Calibration, method: str = "S-X2", *, adjust: str = "holm", alpha: float = 0.05, **options: Any
) -> StatisticTable:
    """How well each item fits its model.

    S-X2 is the test to judge items by; with missing responses it groups people by what their other answers say of their
    ability, and uses all of them. PV-Q1 is a test too. X2, G2, infit, outfit and RMSD describe: they have no null
    distribution, so their tables have no p-values (``has_null`` is False), and no pruning rule reads them.
    docs/explanation/diagnostics.md has the size and power of each.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses.
    method : {"S-X2", "PV-Q1", "X2", "G2", "infit", "outfit", "RMSD"}
        Which statistic; each has a file in ``psyirt.diagnostics.items`` that describes it and its options.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over the items.
    alpha : float
        Level of the flag.
    **options
        The statistic's own, e.g. ``min_expected=5`` or ``scoring="WLE"``; an unknown one is refused, with those it has.

    Returns
    -------
    StatisticTable
        Index item; columns statistic, df, p, p_adjusted, effect sizes, flag, note.

    Raises
    ------
    InputError
        If the method or an option's value is unknown.
    NotAvailableError
        If the calibration has no responses.

    Examples
    --------
    >>> import numpy as np, pandas as pd, psyirt
    >>> rng = np.random.default_rng(0)
    >>> bank = pd.DataFrame({"a": 1.2, "b": [-1.0, -0.5, 0.0, 0.5, 1.0]}, index=list("ABCDE"))
    >>> correct = rng.random((500, 5)) < 1 / (1 + np.exp(-1.2 * (rng.normal(size=(500, 1)) - bank["b"].to_numpy())))
    >>> answers = psyirt.Responses.from_array(correct, item_names=list("ABCDE"))
    >>> table = psyirt.item_fit(psyirt.fix(bank, "2PL", answers))
    >>> table["df"].tolist()
    [2.0, 2.0, 2.0, 2.0, 2.0]
    """
    statistic = ITEM_FIT[method]
    require_known_options(options, statistic, f"item_fit, {method}")
    return statistic(calibration, adjust=adjust, alpha=alpha, **options)
