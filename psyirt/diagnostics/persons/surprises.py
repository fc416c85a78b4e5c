"""Surprising answers: what a subject or a system got right or wrong against what its other answers lead to expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.responses import Responses
from psyirt.diagnostics.adjustment import ADJUSTMENTS, require_level
from psyirt.diagnostics.persons.answers import Subjects, scoring_problem, subjects_of
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.latent.population import Grid
from psyirt.likelihood import log_probability_table
from psyirt.results.table import StatisticTable
from psyirt.scoring.eap import grid_posteriors
from psyirt.scoring.problem import ScoringProblem

Array = NDArray[np.float64]

NAME = "surprising answers"
TESTS = "H0: the answer is drawn from the model, given the subject's other answers"
SOURCE = "cross-validation predictive probabilities (Geisser 1975; Gelfand, Dey & Chang 1992)"
# nodes this much (in logs) below the highest cannot matter, whichever answer is left out
_DEEP = 60.0


@one_blas_thread()
def surprising_items(
    source: Any,
    responses: Responses | None = None,
    *,
    top: int | None = 10,
    adjust: str = "holm",
    alpha: float = 0.05,
) -> StatisticTable:
    """The answers of each subject that its other answers speak against most.

    A bank made on people need not fit machines: a system that fails what everybody can do, or knows by heart what
    nobody can, is scored all the same. Every answer is predicted from the subject's other answers: the probability of
    a right one is averaged over the posterior of ability without that answer.

    Parameters
    ----------
    source : Calibration or Scale
        What the items are known from.
    responses : Responses, optional
        The systems' (or people's) answers; a calibration's own subjects by default. Missing responses are left out,
        here and in the ability: a refusal shows nothing about an item.
    top : int or None
        How many answers to show of each subject, the most surprising first; None for all.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over all answers of a subject, shown or not.
    alpha : float
        Level of the flag.

    Returns
    -------
    StatisticTable
        Index (subject, item). statistic: answer minus expected, divided by sqrt(expected (1 - expected)): below 0
        unexpectedly wrong, above 0 unexpectedly right. p: the predicted probability of the answer given if that is the
        less likely one, else 1. Also response (0 or 1) and expected (the predicted probability of a right answer).

    Raises
    ------
    InputError
        If `top` is no positive number, an option is unknown, or there are no item parameters or no responses.
    NotAvailableError
        If a calibration was fixed without responses and none are given.

    Examples
    --------
    >>> import numpy as np, pandas as pd, psyirt
    >>> bank = psyirt.fix(pd.DataFrame({"a": 2.0, "b": np.linspace(-2, 2, 9)}, index=list("ABCDEFGHI")))
    >>> system = psyirt.Responses.from_array([[0, 1, 1, 1, 1, 1, 1, 0, 0]], item_names=list("ABCDEFGHI"))
    >>> psyirt.surprising_items(bank, system, top=1).frame.index[0]
    ('s1', 'A')
    """
    if top is not None:
        require(top, Integral, "top", NAME, "Give a whole number, 1 or more, or None")
        if top < 1:
            raise InputError(f"top is {top}", NAME, "Give a whole number, 1 or more, or None")
    require_level(alpha)
    adjustment = ADJUSTMENTS[adjust]
    subjects = subjects_of(source, responses, NAME)
    problem = scoring_problem(subjects, NAME)
    found = [
        _most_surprising(codes, expected, adjustment.apply, top)
        for codes, expected in zip(problem.patterns.codes, _expected(problem), strict=True)
    ]
    frame = _frame(subjects, problem.parameters.item_names, found, alpha)
    notes = [f"at most {counted(top, 'answer')} of each subject shown"] if top is not None else []
    silent = int((subjects.answered[subjects.patterns.index] == 0).sum())
    if silent:
        notes.append(f"{counted(silent, 'subject')} without responses left out")
    return StatisticTable(
        frame,
        NAME,
        TESTS,
        SOURCE,
        f"{adjustment.description}, over each subject's answers",
        f"p_adjusted < {alpha:g}",
        tuple(notes),
    )


@dataclass(frozen=True, eq=False)
class _Surprises:
    """Some answers of one pattern, the most surprising first; every array has shape (answers shown,)."""

    items: NDArray[np.intp]
    response: NDArray[np.int8]
    expected: Array
    p: Array
    p_adjusted: Array
    alone: NDArray[np.bool_]


def _most_surprising(
    codes: NDArray[np.int8], expected: Array, adjust: Callable[[Array], Array], top: int | None
) -> _Surprises:
    """The answers of one pattern of which the probability is lowest; p-values adjusted over all of them."""
    seen = np.flatnonzero(codes >= 0)
    given = np.where(codes[seen] == 1, expected[seen], 1.0 - expected[seen])
    p = np.where(given < 0.5, given, 1.0)
    adjusted = adjust(p)
    order = np.argsort(given, kind="stable")[:top]
    items = seen[order]
    alone = np.full(len(items), len(seen) == 1)
    return _Surprises(items, codes[items], expected[items], p[order], adjusted[order], alone)


def _frame(subjects: Subjects, items: tuple[str, ...], found: list[_Surprises], alpha: float) -> pd.DataFrame:
    """All subjects' answers in one table."""
    chosen = [found[row] for row in subjects.patterns.index]
    # an empty array of floats first: there may be nobody
    every = {
        field.name: np.concatenate([np.empty(0), *(getattr(one, field.name) for one in chosen)])
        for field in fields(_Surprises)
    }
    names = np.array(items, dtype=object)[every["items"].astype(int)]
    who = np.repeat(np.array(subjects.names, dtype=object), [len(one.items) for one in chosen])
    right, chance = every["response"], every["expected"]
    spread = np.sqrt(chance * (1.0 - chance))
    # a probability that rounds to 0 or 1 leaves no spread: infinite if the answer is the other one
    beyond = np.where(right == np.round(chance), 0.0, np.copysign(np.inf, right - 0.5))
    statistic = np.divide(right - chance, spread, out=beyond, where=spread > 0.0)
    columns = {
        "statistic": statistic,
        "df": np.nan,
        "p": every["p"],
        "p_adjusted": every["p_adjusted"],
        "response": right.astype(int),
        "expected": chance,
        "flag": every["p_adjusted"] < alpha,
        "note": np.where(every["alone"] == 1.0, "no other answer: expected of the population", ""),
    }
    return pd.DataFrame(columns, index=pd.MultiIndex.from_arrays([who, names], names=["subject", "item"]))


def _expected(problem: ScoringProblem) -> Array:
    """Predicted probability of a right answer to each item from the pattern's other answers, shape (R, J)."""
    out = np.empty((problem.patterns.rows, problem.patterns.items))
    for part in grid_posteriors(problem):
        for row, values in _on_grid(problem, part.grid, part.rows):
            out[row] = values
    return out


def _on_grid(problem: ScoringProblem, grid: Grid, rows: NDArray[np.intp]) -> Iterator[tuple[int, Array]]:
    """Rows and their predicted probabilities, integrated on `grid`."""
    table = log_probability_table(problem.parameters, grid)
    log_weights = problem.population.log_weights(grid)
    for row, codes in zip(rows, problem.patterns.take(rows).codes, strict=True):
        given = np.where((codes == 1)[:, None], table[:, 1], table[:, 0])
        given[codes < 0] = 0.0
        whole = log_weights + given.sum(0)
        # without one answer a node may gain what that answer took away
        near = np.flatnonzero(whole - given.min(0, initial=0.0) > whole.max() - _DEEP)
        others = whole[near] - given[:, near]
        weights = np.exp(others - others.max(1, keepdims=True))
        yield int(row), (weights * np.exp(table[:, 1, near])).sum(1) / weights.sum(1)
