"""Local dependence by name: one line per statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psyirt.diagnostics.pairs.jsi import jsi
from psyirt.diagnostics.pairs.ld_g2 import ld_g2
from psyirt.diagnostics.pairs.ld_x2 import ld_x2
from psyirt.diagnostics.pairs.q3 import q3
from psyirt.foundation.arguments import require_known_options
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.registry import Registry
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

# (calibration, *, adjust, alpha, bootstrap, seed, progress, and options of its own) -> a row per pair of items
PairStatistic = Callable[..., StatisticTable]

LOCAL_DEPENDENCE: Registry[PairStatistic] = Registry(
    "local-dependence statistic", {"LD-X2": ld_x2, "LD-G2": ld_g2, "Q3": q3, "JSI": jsi}
)


def local_dependence(
    calibration: Calibration,
    method: str = "LD-X2",
    *,
    adjust: str | None = None,
    alpha: float = 0.05,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
    **options: Any,
) -> StatisticTable:
    """Whether pairs of items share more (or less) than the ability explains.

    With `bootstrap` replications, p-values come from data simulated from the calibration itself: as many subjects with
    abilities from its population, who leave out what the real ones left out; each replication is fitted again, since
    fitted margins are what makes the chi-square reference of LD-X2 poor. p = (1 + replications at least as extreme) /
    (1 + replications). The same seed gives the same bits, whatever the number of threads or processes.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses (whose replications are not fitted).
    method : {"LD-X2", "LD-G2", "Q3", "JSI"}
        Which statistic; see the module of that name in ``psyirt.diagnostics.pairs``. Q3 and JSI have p-values only
        with a bootstrap.
    adjust : {"holm", "fdr_bh", "none", "max"}, optional
        Adjustment of p-values over the pairs: "holm" by default, with a bootstrap "max", which compares each pair with
        the largest statistic of every replication (Westfall & Young, 1993) and needs the fewest replications.
    alpha : float
        Level of the flag.
    bootstrap : int, optional
        How many replications: 500 for a cut-off at .05; none by default.
    seed : int, optional
        What the replications are drawn from; a bootstrap needs it.
    progress : callable, optional
        Receives a ProgressEvent per replication (of JSI without bootstrap: per item left out).
    **options
        The statistic's own; an unknown one is refused.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2), every pair once; columns statistic, df, p, p_adjusted, effect sizes, flag, note.

    Raises
    ------
    InputError
        If the method or an option's value is unknown, or a bootstrap has too few replications or no seed.
    NotAvailableError
        If the calibration has no responses, or a bootstrap weights that do not count subjects.
    EstimationError
        If no replication of a bootstrap could be fitted.

    Examples
    --------
    >>> import psyirt
    >>> responses = psyirt.simulate_responses(subjects=300, items=6, seed=1).responses
    >>> table = local_dependence(psyirt.fit_mml(responses, "2PL"), "Q3", bootstrap=20, seed=1)
    >>> len(table), len(table.flagged)
    (15, 0)
    """
    statistic = LOCAL_DEPENDENCE[method]
    require_known_options(options, statistic, f"local_dependence, {method}")
    return statistic(
        calibration, adjust=adjust, alpha=alpha, bootstrap=bootstrap, seed=seed, progress=progress, **options
    )
