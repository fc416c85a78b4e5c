"""Classical item statistics: difficulty, item-total correlations, Cronbach's alpha."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.patterns import collapse
from psyirt.data.responses import ResponseSource
from psyirt.diagnostics.fitted_data import require_responses
from psyirt.estimation.item_rest import item_rest_correlations, item_total_correlations
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread

Array = NDArray[np.float64]

_ROWS_SHOWN = 60


@dataclass(frozen=True, eq=False)
class ClassicalStatistics(OwnsTables):
    """What a test shows before any model.

    Attributes
    ----------
    items : DataFrame
        Index item; columns n (subjects who answered), difficulty (proportion correct), item_total (correlation with
        the score on all items), item_rest (with the score on all other items), alpha_if_dropped, note.
    alpha : float
        Cronbach's (1951) alpha; NaN with missing responses (the notes say so).
    subjects : float
        Sum of the subjects' weights.
    notes : tuple of str
        How missing responses were dealt with.
    """

    items: pd.DataFrame
    alpha: float
    subjects: float
    notes: tuple[str, ...]

    def __getitem__(self, column: str) -> pd.Series:
        """One column of `items`."""
        return self.items[column]

    @property
    def loc(self) -> Any:
        """Rows of `items` by name, as in pandas."""
        return self.items.loc

    def __len__(self) -> int:
        """Number of items."""
        return len(self.items)

    def _head(self) -> str:
        """Size, alpha and notes."""
        alpha = "not available" if np.isnan(self.alpha) else f"{self.alpha:.4f}"
        lines = [f"classical statistics: {len(self)} items, {self.subjects:g} subjects", f"Cronbach's alpha {alpha}"]
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    def __repr__(self) -> str:
        """Alpha, notes and items."""
        return f"{self._head()}\n\n{self.items.round(4).to_string(max_rows=_ROWS_SHOWN)}"

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return f"<pre>{html.escape(self._head())}</pre>{self.items.round(4).to_html(max_rows=_ROWS_SHOWN)}"


@one_blas_thread()
def classical(responses: ResponseSource, *, weights: ArrayLike | None = None) -> ClassicalStatistics:
    """Difficulty, item-total and item-rest correlations, alpha and alpha if an item is dropped.

    A subject's score is the proportion correct of the items answered: with complete responses that orders subjects as
    the number correct does, so the correlations are the usual ones (Lord & Novick, 1968).

    Parameters
    ----------
    responses : ResponseSource
        Subjects x items.
    weights : array_like, shape (subjects,), optional
        Frequency weights.

    Returns
    -------
    ClassicalStatistics

    Raises
    ------
    InputError
        If the responses are no Responses, or weights are not positive numbers, one per subject.

    Examples
    --------
    >>> import psyirt
    >>> answers = psyirt.Responses.from_array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> classical(answers)["difficulty"].tolist()
    [0.75, 0.5, 0.25]
    >>> round(classical(answers).alpha, 2)
    0.75
    """
    require_responses(responses, "classical")
    patterns = collapse(responses, weights)
    items = len(responses.item_names)
    total, rest = item_total_correlations(patterns), item_rest_correlations(patterns)
    complete = patterns.answered == items
    alpha, dropped = np.nan, np.full(items, np.nan)
    if complete.all():
        alpha, dropped = _alphas(patterns.codes, patterns.weights)
    n, right = patterns.answer_counts()
    frame = pd.DataFrame(
        {
            "n": n,
            "difficulty": np.divide(right, n, out=np.full(items, np.nan), where=n > 0.0),
            "item_total": total,
            "item_rest": rest,
            "alpha_if_dropped": dropped,
        },
        index=pd.Index(responses.item_names, name="item"),
    )
    frame["note"] = _item_notes(n, right, rest, dropped, bool(complete.all()))
    notes = []
    if not complete.all():
        lacking = f"{patterns.weights[~complete].sum():g} of {patterns.total:g} subjects have missing responses"
        notes.append(
            f"{lacking}: correlations are with the proportion correct of the items answered; alpha is not given"
        )
    elif np.isnan(alpha):
        notes.append("alpha needs two items and scores that vary")
    return ClassicalStatistics(frame, float(alpha), patterns.total, tuple(notes))


def _alphas(codes: NDArray[np.int8], weights: Array) -> tuple[float, Array]:
    """Cronbach's alpha of all items, and without each, from complete patterns."""
    items = codes.shape[1]
    gaps = codes - weights @ codes / max(float(weights.sum()), 1e-300)
    covariance = gaps.T @ (gaps * weights[:, None])
    variance, whole = np.diag(covariance), covariance.sum()
    without = whole - 2.0 * covariance.sum(axis=1) + variance
    alpha = _alpha(items, np.array([variance.sum()]), np.array([whole]))
    return float(alpha[0]), _alpha(items - 1, variance.sum() - variance, without)


def _alpha(items: int, parts: Array, whole: Array) -> Array:
    """k / (k - 1) (1 - sum of item variances / variance of the sum); NaN for one item or a sum without variance."""
    if items < 2:
        return np.full(len(whole), np.nan)
    share = np.divide(parts, whole, out=np.full(len(whole), np.nan), where=whole > 0.0)
    return items / (items - 1) * (1.0 - share)


def _item_notes(n: Array, right: Array, rest: Array, dropped: Array, complete: bool) -> list[str]:
    """Why a number is absent, item by item."""
    notes = []
    for j in range(len(n)):
        if n[j] == 0.0:
            notes.append("no responses")
        elif right[j] in (0.0, n[j]):
            notes.append("no variance: all responses are alike")
        elif np.isnan(rest[j]):
            notes.append("no item-rest correlation: the score on the other items does not vary")
        elif complete and np.isnan(dropped[j]):
            notes.append("no alpha without it: fewer than two items, or a sum without variance")
        else:
            notes.append("")
    return notes
