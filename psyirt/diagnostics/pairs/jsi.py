"""Jackknife slope index: how much an item's slope owes to one other item (Edwards, Houts & Cai, 2018)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.pairs.pair_table import PairColumns, PairTest, pair_table
from psyirt.diagnostics.pairs.without_item import Remainder, slopes_without, varying_items
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

NAME = "JSI"
_TESTS = "H0: neither item's slope depends on the other's presence, against slopes that shrink when the other leaves"
_SOURCE = "Edwards, Houts & Cai (2018)"
_NO_REFERENCE = (
    "the index has no reference distribution: its pairs are compared with each other, large positive values first"
)
_FEWEST = 4


def jsi(
    calibration: Calibration,
    *,
    adjust: str | None = None,
    alpha: float = 0.05,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> StatisticTable:
    """Jackknife slope index of every pair.

    Each item k in turn is left out and the others are fitted again, from the calibration's estimates on. The slope of
    item j then changes by a_j - a_j(k), in units of its new standard error (from observed information): where two
    items share more than ability, each holds up the other's slope.

    It costs as many fits, with standard errors, as there are items, and a bootstrap so many in each replication: 90
    items and 1,000 subjects take seconds without one and many minutes with one.

    Parameters
    ----------
    calibration, adjust, alpha, bootstrap, seed, progress
        See :func:`psyirt.diagnostics.pairs.dependence.local_dependence`. p-values and flags need a bootstrap; they
        are one-sided. Without one `progress` receives an event per item.

    Returns
    -------
    StatisticTable
        Index (item_1, item_2); statistic = jsi_1 + jsi_2, where jsi_1 is the change of item_1's slope when item_2 is
        left out, and jsi_2 the reverse. A slope that is fixed or shared has no index, and its rows say so.
    """
    # the steps of a replication are not reported one by one
    each = progress if bootstrap is None else silent
    test = replace(JSI, columns=partial(_columns, progress=each))
    return pair_table(test, calibration, adjust, alpha, bootstrap, seed, progress)


@one_blas_thread()
def _columns(calibration: Calibration, progress: Progress = silent) -> PairColumns:
    """Both changes, their sum and a note for every pair."""
    items = len(calibration.item_names)
    first, second = np.triu_indices(items, 1)
    kept = varying_items(calibration)
    own = calibration.layout.is_free[:, 0] & ~calibration.layout.is_shared[:, 0]
    changes, failed = np.full((items, items), np.nan), np.full(items, "", dtype=object)
    if len(kept) >= _FEWEST and own.any():
        for number, k in enumerate(kept, 1):
            remainder = slopes_without(calibration, kept, int(k))
            changes[remainder.items, k] = _change(calibration, remainder)
            failed[k] = remainder.problem
            progress(ProgressEvent("jackknife", number, len(kept), f"without {calibration.item_names[k]}"))
    forward, backward = changes[first, second], changes[second, first]
    note = np.where(failed[first] != "", failed[first], failed[second])
    lost = np.isnan(forward + backward) & (note == "")
    note[lost] = "no standard error of a slope"
    note[~(own[first] & own[second])] = "a slope is fixed or shared by several items: it has no index of its own"
    constant = ~np.isin(np.arange(items), kept)
    note[constant[first] | constant[second]] = "an item does not vary"
    if len(kept) < _FEWEST:
        note[note != "an item does not vary"] = f"needs {_FEWEST} items that vary, so that 3 are left"
    return {"statistic": forward + backward, "jsi_1": forward, "jsi_2": backward, "note": note}


def _change(calibration: Calibration, remainder: Remainder) -> Array:
    """The slopes' changes in standard errors."""
    slopes = calibration.item_parameters.slopes[remainder.items, 0]
    change: Array = (slopes - remainder.slopes) / remainder.errors
    return change


JSI = PairTest(NAME, _TESTS, _SOURCE, _columns, extreme="statistic", has_reference=False, notes=(_NO_REFERENCE,))
