"""Standard errors that a study would have, before it is run."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.responses import MISSING, Responses
from psyirt.errors import PsyirtError, PsyirtWarning
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.models.item_types import ItemType
from psyirt.models.parameters import ItemParameters
from psyirt.models.slope_metric import RUNAWAY_SLOPE
from psyirt.results.item_table import item_table
from psyirt.simulation.graded import draw_outcomes, truth_table
from psyirt.simulation.streams import streams

Array = NDArray[np.float64]

# subjects that stand for the population in the expected information: cells at once, fewest, most
_CELLS, _FEWEST, _MOST = 2_000_000, 2_000, 20_000


def expected_errors(
    parameters: ItemParameters, kind: ItemType, subjects: int, answers: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Standard errors at the true parameters, from the information that a large simulated crowd has.

    Parameters
    ----------
    parameters : ItemParameters
        J items.
    kind : ItemType
        Which of their parameters would be estimated.
    subjects : int
        N: each simulated subject counts N / their number.
    answers : int
        Items that a subject answers, drawn at random.
    rng : numpy.random.Generator
        Where the crowd comes from.

    Returns
    -------
    DataFrame
        Index item; columns se_a (NaN where the type fixes the slope) and se_b.
    """
    size = int(np.clip(_CELLS // len(parameters), _FEWEST, _MOST))
    crowd = draw_crowd(parameters, size, answers, rng)
    known = fix(parameters, kind, crowd, weights=np.full(size, subjects / size))
    # the cross-product is positive definite at any parameters; the observed information only at a maximum
    return item_table(known, known.cov("crossprod"))[["se_a", "se_b"]]


def draw_crowd(parameters: ItemParameters, subjects: int, answers: int, rng: np.random.Generator) -> Responses:
    """Responses of subjects with theta ~ N(0, 1), each to `answers` items drawn at random."""
    codes = draw_outcomes(parameters, rng.normal(size=subjects), rng)
    if answers < len(parameters):
        # the ranks of random numbers are a random order
        ranks = np.argsort(np.argsort(rng.random(codes.shape), axis=1), axis=1)
        codes[ranks >= answers] = MISSING
    names = [f"s{k + 1}" for k in range(subjects)]
    return Responses(codes, tuple(names), parameters.item_names)


def simulated_errors(
    parameters: ItemParameters,
    kind: ItemType,
    subjects: int,
    answers: int,
    replications: int,
    seed: int,
    progress: Progress,
) -> pd.DataFrame:
    """Errors of fits to simulated studies of the planned size: what asymptotic standard errors leave out.

    Parameters
    ----------
    parameters, kind, subjects, answers
        As for :func:`expected_errors`.
    replications : int
        Simulated studies.
    seed : int
        Each study has a stream of its own.
    progress : callable
        Receives an event per study.

    Returns
    -------
    DataFrame
        Index item; columns se_a and se_b (root mean squared errors over the studies in which the item has a finite
        estimate), error_a and error_b (medians of the absolute errors), and lost (studies in which it has none).
    """
    truth = truth_table(parameters)[["a", "b"]]
    found = np.full((replications, *truth.shape), np.nan)
    for k, rng in enumerate(streams(seed, replications)):
        estimates = _estimates(draw_crowd(parameters, subjects, answers, rng), kind)
        found[k] = estimates.reindex(truth.index) - truth
        progress(ProgressEvent("simulated studies", k + 1, replications))
    summary = _summary(found, truth.index)
    if kind.slot("a").state == "fixed":
        summary[["se_a", "error_a"]] = np.nan
    return summary


def _estimates(crowd: Responses, kind: ItemType) -> pd.DataFrame:
    """a and b of the items that have a finite estimate."""
    with warnings.catch_warnings():
        # what goes wrong in a study is counted as lost, not told study by study
        warnings.simplefilter("ignore", PsyirtWarning)
        try:
            found = truth_table(fit_mml(crowd, kind).item_parameters)[["a", "b"]]
        except PsyirtError:
            return pd.DataFrame({"a": [], "b": []}, index=pd.Index([], dtype=str))
    return found[found["a"].abs().le(RUNAWAY_SLOPE) & np.isfinite(found["b"])]


def _summary(errors: Array, items: pd.Index) -> pd.DataFrame:
    """Over the studies, of shape (studies, J, 2); NaN where an item had no estimate in any."""
    columns: dict[str, Array] = {}
    for k, name in enumerate(("a", "b")):
        known = pd.DataFrame(errors[:, :, k])  # its means and medians leave NaN out
        columns[f"se_{name}"] = np.sqrt((known**2).mean().to_numpy())
        columns[f"error_{name}"] = known.abs().median().to_numpy()
    columns["lost"] = np.isnan(errors).any(axis=2).sum(axis=0)
    return pd.DataFrame(columns, index=items)
