"""Dropping subjects who do not fit, and what that does to everybody's percentile."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.any_responses import RESPONSES, AnyResponses
from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import Patterns
from psyirt.diagnostics.persons.fit import person_fit
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scoring.percentiles import posterior_summary

Array = NDArray[np.float64]

_ROWS_SHOWN = 20
# abilities this close are ties: those of equal patterns may differ in their last digits
_TIE = 1e-9
_WARNING = (
    "Percentiles now speak of those who stay. That is right if the others did not try; if they are only unusual, they "
    "belong to the people the scale is about."
)


@dataclass(frozen=True, eq=False)
class SubjectScreening(OwnsTables):
    """Who was dropped, and where everybody stands before and after.

    Attributes
    ----------
    person_fit : StatisticTable
        What the subjects were judged by.
    dropped, kept : tuple of str
        Names of the flagged subjects, and of the others.
    percentiles : DataFrame, index subject
        Columns dropped; theta_before, theta_after (EAP; each on the scale of its own crowd, whose mean is 0);
        percentile_before, percentile_after (share of the normal population below, posterior mean, 0 to 100);
        crowd_before, crowd_after (mid-rank among all subjects, and among those who stay, 0 to 100).
    others : DataFrame or None
        The same for the systems that were given.
    item_parameters : ItemParameters
        The items fitted to those who stay (the old ones, where `notes` says so).
    statement : str
        The outcome in words.
    notes : tuple of str
        What to know about it.
    """

    person_fit: StatisticTable
    dropped: tuple[str, ...]
    kept: tuple[str, ...]
    percentiles: pd.DataFrame
    others: pd.DataFrame | None
    item_parameters: ItemParameters
    statement: str
    notes: tuple[str, ...] = ()

    def _head(self) -> str:
        return "\n".join([self.statement, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        """The statement, and the first rows of each table."""
        parts = [self._head()]
        if self.others is not None:
            parts.append(self.others.round(2).to_string(max_rows=_ROWS_SHOWN))
        parts.append(self.percentiles.round(2).to_string(max_rows=_ROWS_SHOWN))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        tables = [table for table in (self.others, self.percentiles) if table is not None]
        shown = "".join(table.round(2).to_html(max_rows=_ROWS_SHOWN) for table in tables)
        return f"<pre>{html.escape(self._head())}</pre>{shown}"


@one_blas_thread()
def screen_subjects(
    calibration: Calibration,
    method: str = "lz*",
    *,
    others: AnyResponses | None = None,
    adjust: str = "fdr_bh",
    alpha: float = 0.05,
    **options: Any,
) -> SubjectScreening:
    """Drop the subjects whose answers do not fit, fit the items again, and compare percentiles before and after.

    Dropping misfits changes the population that percentiles speak of: careless workers stand at the bottom, so that
    without them everybody else's percentile falls. One round only: those who stay are not judged again.

    Parameters
    ----------
    calibration : Calibration
        With its responses. Where nothing was estimated (``psyirt.fix``), the items keep their parameters, and only
        the crowd's percentiles can change.
    method : {"lz*", "lz", "infit", "outfit", "Guttman"}
        What subjects are judged by; see :func:`psyirt.person_fit`.
    others : Responses, optional
        Systems (or other people) to show before and after too. Their missing responses are left out.
    adjust, alpha, **options
        See :func:`psyirt.person_fit`.

    Returns
    -------
    SubjectScreening

    Raises
    ------
    InputError
        If an option is unknown, an item of `others` has no parameters, or everybody is flagged.
    NotAvailableError
        If the calibration has no responses.

    Examples
    --------
    >>> import psyirt
    >>> crowd = psyirt.simulate_responses(subjects=300, items=20, model="2PL", seed=1)
    >>> bank = psyirt.fit_mml(crowd.responses, "2PL")
    >>> screened = psyirt.screen_subjects(bank)
    >>> len(screened.dropped) + len(screened.kept)
    300
    """
    require(calibration, Calibration, "the calibration", "screen_subjects", "Fit one with fit_mml, or use fix")
    if others is not None:
        require(others, RESPONSES, "others", "screen_subjects", "Use Responses.from_frame or read_responses")
    table = person_fit(calibration, method, adjust=adjust, alpha=alpha, **options)
    responses, patterns = calibration.responses, calibration.patterns
    # person_fit has refused a calibration without responses
    assert responses is not None
    assert patterns is not None
    flag = table["flag"].to_numpy(bool)
    if flag.all():
        raise InputError("everybody is flagged", "screen_subjects", "Look at the model first: it fits nobody")
    stays = _without(patterns, flag)
    each = patterns.subject_weights
    parameters, population, notes = _fitted_again(calibration, stays) if flag.any() else _as_it_was(calibration)
    sides = {
        "before": (calibration.item_parameters, calibration.population, each),
        "after": (parameters, population, np.where(flag, 0.0, each)),
    }
    people = _stand(calibration.grid, sides, responses, responses)
    people.insert(0, "dropped", flag)
    systems = None if others is None else _stand(calibration.grid, sides, responses, others)
    names = np.array(responses.subject_names, dtype=object)
    return SubjectScreening(
        table,
        tuple(names[flag]),
        tuple(names[~flag]),
        people,
        systems,
        parameters,
        _statement(table, people, flag),
        notes,
    )


def _without(patterns: PatternSource, flag: NDArray[np.bool_]) -> PatternSource:
    """The patterns of the subjects who are not flagged; who has the same answers has the same flag."""
    keep = np.unique(patterns.index[~flag])
    place = np.full(len(patterns.codes), -1)
    place[keep] = np.arange(len(keep))
    return Patterns(np.ascontiguousarray(patterns.codes[keep]), patterns.weights[keep], place[patterns.index[~flag]])


def _as_it_was(calibration: Calibration) -> tuple[ItemParameters, Population, tuple[str, ...]]:
    return calibration.item_parameters, calibration.population, ()


def _fitted_again(
    calibration: Calibration, patterns: PatternSource
) -> tuple[ItemParameters, Population, tuple[str, ...]]:
    """Items and population from those who stay, and what to know about them."""
    if calibration.refit is None:
        note = "nothing was estimated: the items and the normal population stay as they are, only the crowd changes"
        return calibration.item_parameters, calibration.population, (note,)
    x, found = calibration.refit(patterns)
    if not found:
        note = "the items have no finite estimates without the dropped subjects: their parameters stay as they are"
        return calibration.item_parameters, calibration.population, (note,)
    layout = calibration.layout
    moments = dict(zip(layout.free_moments, x[layout.item_size :].tolist(), strict=True))
    parameters = ItemParameters.from_values(layout.item_names, layout.values(x))
    return parameters, calibration.population.moved(moments), ()


def _stand(
    grid: Grid,
    sides: dict[str, tuple[ItemParameters, Population, Array]],
    crowd: AnyResponses,
    judged: AnyResponses,
) -> pd.DataFrame:
    """theta and percentiles of some subjects before and after, each beside the crowd of its side."""
    columns: dict[str, Array] = {}
    for side, (parameters, population, weights) in sides.items():
        table = posterior_summary(parameters, population, grid, judged)
        members = table if judged is crowd else posterior_summary(parameters, population, grid, crowd)
        theta = table["theta"].to_numpy()
        columns[f"theta_{side}"] = theta
        columns[f"percentile_{side}"] = table["percentile"].to_numpy()
        columns[f"crowd_{side}"] = mid_ranks(theta, members["theta"].to_numpy(), weights)
    order = [f"{what}_{side}" for what in ("theta", "percentile", "crowd") for side in sides]
    return pd.DataFrame(columns, index=pd.Index(judged.subject_names, name="subject"))[order]


def mid_ranks(values: Array, crowd: Array, weights: Array) -> Array:
    """Percent of a weighted crowd below each value, and half of those who tie with it.

    Parameters
    ----------
    values : ndarray, shape (N,)
        Abilities.
    crowd, weights : ndarray, shape (M,)
        The crowd's abilities, and how many subjects each stands for (0 for those who do not count).

    Returns
    -------
    ndarray, shape (N,)
        0 to 100.
    """
    order = np.argsort(crowd, kind="stable")
    below = np.append(0.0, np.cumsum(weights[order]))
    low = np.searchsorted(crowd[order], values - _TIE, side="left")
    high = np.searchsorted(crowd[order], values + _TIE, side="right")
    return np.asarray(50.0 * (below[low] + below[high]) / below[-1])


def _statement(table: StatisticTable, people: pd.DataFrame, flag: NDArray[np.bool_]) -> str:
    """Who was dropped and what it changed, in words."""
    if not flag.any():
        return f"Nobody of {counted(len(flag), 'subject')} is flagged by {table.name} ({table.flagged_when})."
    stay = people[~flag]
    change = stay["crowd_after"] - stay["crowd_before"]
    where = float(people.loc[flag, "crowd_before"].median())
    return (
        f"{len(table.flagged)} of {counted(len(flag), 'subject')} are flagged by {table.name} ({table.flagged_when}) "
        f"and dropped; half of them stood below percentile {where:.0f}. Without them the percentile of those who stay "
        f"changes by {change.min():+.1f} to {change.max():+.1f} points (median {change.median():+.1f}). {_WARNING}"
    )
