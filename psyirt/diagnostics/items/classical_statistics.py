"""Classical item statistics: difficulty, item-total correlations, alpha, omega."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import collapse
from psyirt.data.responses import ResponseSource
from psyirt.diagnostics.fitted_data import require_responses
from psyirt.diagnostics.items.internal_consistency import Coefficient, alpha_coefficient, omega_coefficient
from psyirt.estimation.item_rest import item_rest_correlations, item_total_correlations
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread

Array = NDArray[np.float64]

_ROWS_SHOWN = 60
# omega of more items takes longer than printing should
_OMEGA_SHOWN = 300


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
    alpha_se : float
        Its standard error, free of assumptions about the answers' distribution (Yuan, Guarnaccia & Hayslip 2003).
    alpha_interval : tuple of float
        Its 95 % confidence interval (Feldt 1965), which takes scores for normal and items for alike.
    subjects : float
        Sum of the subjects' weights.
    notes : tuple of str
        How missing responses were dealt with.
    """

    items: pd.DataFrame
    alpha: float
    alpha_se: float
    alpha_interval: tuple[float, float]
    subjects: float
    notes: tuple[str, ...]
    patterns: PatternSource = field(repr=False)

    @property
    def omega(self) -> float:
        """Omega total for items that are 0 or 1 (Green & Yang 2009), from one factor of the tetrachoric correlations.

        NaN where there is none: :attr:`omega_note` says why. Computed when first asked for.
        """
        return self._omega.value

    @property
    def omega_note(self) -> str:
        """What to know about omega; empty where there is nothing to say."""
        return self._omega.note

    @cached_property
    def _omega(self) -> Coefficient:
        with one_blas_thread():
            return omega_coefficient(self.patterns)

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
        """Size, alpha, omega where it is quick, and notes."""
        alpha, omega, notes = "not available", "", list(self.notes)
        if not np.isnan(self.alpha):
            low, high = self.alpha_interval
            alpha = f"{self.alpha:.4f} (SE {self.alpha_se:.4f}; 95 % interval {low:.4f} to {high:.4f})"
        if len(self) <= _OMEGA_SHOWN:
            omega = f", omega {self.omega:.4f}" if np.isfinite(self.omega) else ", omega not available"
            notes += [self.omega_note] if self.omega_note else []
        size = f"classical statistics: {len(self)} items, {self.subjects:g} subjects"
        return "\n".join([size, f"Cronbach's alpha {alpha}{omega}", *(f"note: {note}" for note in notes)])

    def __repr__(self) -> str:
        """Alpha, notes and items."""
        return f"{self._head()}\n\n{self.items.round(4).to_string(max_rows=_ROWS_SHOWN)}"

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return f"<pre>{html.escape(self._head())}</pre>{self.items.round(4).to_html(max_rows=_ROWS_SHOWN)}"


@one_blas_thread()
def classical(responses: ResponseSource, *, weights: ArrayLike | None = None) -> ClassicalStatistics:
    """Difficulty, item-total and item-rest correlations, alpha with and without each item, omega.

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
    whole = bool(complete.all())
    alpha = alpha_coefficient(patterns) if whole else Coefficient(np.nan)
    dropped = _alphas_if_dropped(patterns) if whole else np.full(items, np.nan)
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
    frame["note"] = _item_notes(n, right, rest, dropped, whole)
    notes = []
    if not whole:
        lacking = f"{patterns.weights[~complete].sum():g} of {patterns.total:g} subjects have missing responses"
        notes.append(
            f"{lacking}: correlations are with the proportion correct of the items answered; alpha and "
            "alpha_if_dropped are not given"
        )
    elif alpha.note:
        notes.append(alpha.note)
    interval = (alpha.lower, alpha.upper)
    return ClassicalStatistics(frame, alpha.value, alpha.se, interval, patterns.total, tuple(notes), patterns)


def _alphas_if_dropped(patterns: PatternSource) -> Array:
    """Alpha of complete patterns without each item, shape (J,); NaN for one item or a sum without variance."""
    items, codes = patterns.items, patterns.codes
    gaps = codes - patterns.weights @ codes / max(patterns.total, 1e-300)
    covariance = gaps.T @ (gaps * patterns.weights[:, None])
    variance, whole = np.diag(covariance), covariance.sum()
    without = whole - 2.0 * covariance.sum(axis=1) + variance
    if items < 3:
        return np.full(items, np.nan)
    parts = variance.sum() - variance
    share = np.divide(parts, without, out=np.full(items, np.nan), where=without > 0.0)
    return np.asarray((items - 1) / (items - 2) * (1.0 - share))


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
