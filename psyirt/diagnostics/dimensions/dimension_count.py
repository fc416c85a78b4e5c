"""How many abilities do the items measure? Every usual criterion, side by side."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.any_responses import AnyResponses, as_table
from psyirt.data.responses import Responses
from psyirt.diagnostics.dimensions import criteria
from psyirt.diagnostics.dimensions.criteria import Criterion
from psyirt.diagnostics.dimensions.empirical_kaiser import phi_correlations
from psyirt.diagnostics.dimensions.parallel_analysis import parallel_eigenvalues
from psyirt.diagnostics.dimensions.tetrachoric_matrix import Tetrachoric, tetrachoric
from psyirt.errors import InputError
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.threads import one_blas_thread

Array = NDArray[np.float64]

_FEWEST_ITEMS = 3
_ROWS_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Dimensionality(OwnsTables):
    """What each criterion says, and where they disagree.

    Attributes
    ----------
    criteria : DataFrame, index criterion
        Columns factors (missing where a criterion counts none or has no answer), answer, source, note.
    eigenvalues : DataFrame, index factor (1, 2, ...)
        Of the tetrachoric matrix: columns eigenvalue, share, ratio, random_mean, random_95 (parallel analysis), map,
        map_4 (mean power of partial correlations once that many components less one are partialled out); of Pearson
        correlations phi_eigenvalue, and empirical_kaiser, what it must exceed. What a scree plot shows.
    tetrachoric : Tetrachoric
        The correlations.
    verdict : str
        Agreement or disagreement in a sentence.
    notes : tuple of str
        What to know.
    """

    criteria: pd.DataFrame
    eigenvalues: pd.DataFrame
    tetrachoric: Tetrachoric
    verdict: str
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Verdict, criteria, and the first eigenvalues."""
        answers = [
            f"- {name}: {row.answer}{f' ({row.note})' if row.note else ''}; {row.source}"
            for name, row in self.criteria.iterrows()
        ]
        lines = [self.verdict, *answers, *(f"note: {note}" for note in self.notes), ""]
        return "\n".join([*lines, self.eigenvalues.head(_ROWS_SHOWN).round(3).to_string()])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        head = html.escape("\n".join([self.verdict, *(f"note: {note}" for note in self.notes)]))
        return f"<pre>{head}</pre>{self.criteria.to_html()}{self.eigenvalues.head(_ROWS_SHOWN).round(3).to_html()}"


@one_blas_thread()
def dimensionality(
    responses: AnyResponses,
    *,
    draws: int = 100,
    seed: int = 0,
    correction: float = 0.5,
    weights: ArrayLike | None = None,
    progress: Progress = silent,
) -> Dimensionality:
    """Count the dimensions by parallel analysis, MAP, the empirical Kaiser criterion, the scree and a fitted 2PL.

    Parameters
    ----------
    responses : Responses
        N subjects x J items; items without variance are left out and named.
    draws : int
        Shuffled data sets for parallel analysis, and simulated crowds for its modified form.
    seed : int
        Of both.
    correction : float
        Added to empty cells, see ``psyirt.tetrachoric``: a correlation of -1 or +1 would make eigenvalues of its own.
    weights : array_like, shape (subjects,), optional
        Frequency weights.
    progress : callable
        Receives an event per draw.

    Returns
    -------
    Dimensionality

    Raises
    ------
    InputError
        If fewer than 3 items vary, a pair of items has no common subject, or an argument is out of range.

    Examples
    --------
    >>> import psyirt
    >>> answers = psyirt.simulate_responses(subjects=500, items=10, model="2PL", seed=1).responses
    >>> int(psyirt.dimensionality(answers, draws=20).criteria.loc["parallel analysis (95th percentile)", "factors"])
    1
    """
    responses = as_table(responses, "dimensionality")
    matrix = tetrachoric(responses, correction, weights=weights)
    square = _without_gaps(matrix)
    roots = matrix.eigenvalues["eigenvalue"].to_numpy(float)
    common = matrix.n.to_numpy()[np.triu_indices(len(matrix.n), 1)]
    random = parallel_eigenvalues(
        responses, draws, seed=seed, correction=correction, weights=weights, progress=progress
    )
    from_random, mean, high = criteria.parallel(roots, random)
    squares, curve = criteria.average_partial(square, 2)
    fourths, curve_4 = criteria.average_partial(square, 4)
    kept = np.flatnonzero(matrix.thresholds.notna().to_numpy())
    phi = phi_correlations(matrix.estimated.counts)[np.ix_(kept, kept)]
    kaiser, phi_roots, references = criteria.empirical_kaiser(phi, float(np.median(common)))
    modified = criteria.one_ability(responses, float(roots[1]), weights, draws, seed, correction, progress)
    found = [*from_random, squares, fourths, kaiser, criteria.acceleration(roots), criteria.ratio(roots), modified]
    table = matrix.eigenvalues.assign(
        random_mean=mean,
        random_95=high,
        map=_padded(curve),
        map_4=_padded(curve_4),
        phi_eigenvalue=phi_roots,
        empirical_kaiser=references,
    )
    return Dimensionality(_frame(found), table, matrix, _verdict(found), _notes(matrix, responses))


def _without_gaps(matrix: Tetrachoric) -> Array:
    """The correlations of the items that vary; refused where there are too few, or pairs without subjects."""
    kept = matrix.thresholds.notna().to_numpy()
    if kept.sum() < _FEWEST_ITEMS:
        raise InputError(f"{int(kept.sum())} items vary", "dimensionality", f"Give at least {_FEWEST_ITEMS}")
    if not len(matrix.eigenvalues):
        gap = next(note for note in matrix.notes if "nobody answered both" in note)
        raise InputError(gap, "dimensionality", "Leave such items out: responses.select(items=)")
    return matrix.correlations.to_numpy(float)[np.ix_(kept, kept)]


def _padded(curve: Array) -> Array:
    return np.append(curve, np.nan)


def _frame(found: list[Criterion]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "factors": pd.array([one.factors for one in found], dtype="Int64"),
            "answer": [one.answer for one in found],
            "source": [one.source for one in found],
            "note": [one.note for one in found],
        },
        index=pd.Index([one.name for one in found], name="criterion"),
    )


def _verdict(found: list[Criterion]) -> str:
    """How many dimensions, by how many criteria, most frequent first; and who speaks against one."""
    named: dict[int, list[str]] = {}
    for one in found:
        if one.factors is not None:
            named.setdefault(one.factors, []).append(one.name)
    against = [one.name for one in found if one.factors is None and one.answer != "no answer"]
    more = f"; against one, without counting: {', '.join(against)}" if against else ""
    if not named:
        return f"Dimensions: no criterion has an answer{more}."
    said = [
        f"{factors} by {', '.join(names)}" for factors, names in sorted(named.items(), key=lambda item: -len(item[1]))
    ]
    words = "the criteria agree" if len(named) == 1 and not against else "the criteria disagree"
    return f"Dimensions: {words}: {'; '.join(said)}{more}."


def _notes(matrix: Tetrachoric, responses: Responses) -> tuple[str, ...]:
    if responses.is_complete:
        return matrix.notes
    missing = (
        "responses are missing: pairwise correlations are comparable only if they are missing completely at random"
    )
    return (*matrix.notes, missing)
