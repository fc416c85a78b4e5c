"""Guttman errors: easier items missed and harder ones answered, by the crowd's own order of the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from psyirt.data.pattern_source import PatternSource
from psyirt.data.responses import Responses
from psyirt.diagnostics.persons.answers import Subjects, subjects_of
from psyirt.diagnostics.persons.subject_table import subject_notes, subject_table
from psyirt.diagnostics.persons.tails import upper_tail
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.table import StatisticTable

Array = NDArray[np.float64]

WORDS = (
    "normed Guttman errors",
    "H0: given how many answers are right, which ones are right follows the crowd (high values: harder ones instead)",
    "van der Flier (1982), Meijer (1994), Emons (2008); items' proportions by kernel smoothing (Ramsay 1991)",
)
_WHY = "no errors are possible"
# where the items' proportions are smoothed, in normal quantiles of the crowd's scores
_POINTS = np.linspace(-3.0, 3.0, 61)
_CELLS = 1_000_000


@one_blas_thread()
def guttman(
    source: Any, *, responses: Responses | None = None, adjust: str = "fdr_bh", alpha: float = 0.05
) -> StatisticTable:
    """Normed Guttman errors of every subject; no model is needed, so that they can be had before any calibration.

    A Guttman error is a pair of items of which the one that fewer people get right is answered right and the other
    wrong; items as popular as each other count half. The number is divided by the largest possible one, right answers
    times wrong answers. p is the upper tail of the number's distribution given the number right, which needs each
    item's proportion correct among subjects with such a score: it is smoothed over the crowd's scores. So a crowd that
    is careless throughout hides its careless subjects.

    Parameters
    ----------
    source, responses, adjust, alpha
        See :func:`psyirt.diagnostics.persons.fit.person_fit`. Of a calibration only the responses and their weights are
        used. Popularities are those of the responses judged.

    Returns
    -------
    StatisticTable
        Index subject; also errors (their number), z, answered. With missing responses a score is the proportion right
        of the items answered, and subjects are compared as if they had been asked items at random (the table says so).
    """
    subjects = subjects_of(source, responses, WORDS[0])
    patterns = subjects.patterns
    popularity, curves, level = _crowd(patterns)
    errors, z, skewness = np.full((3, len(patterns.codes)), np.nan)
    step = max(1, _CELLS // max(patterns.codes.shape[1], 1))
    for start in range(0, len(errors), step):
        rows = slice(start, start + step)
        codes = patterns.codes[rows]
        easier = _easier_items(codes, popularity)
        right = (codes == 1).sum(1)
        errors[rows] = (easier * (codes == 1)).sum(1) - right * (right - 1) / 2.0
        z[rows], skewness[rows] = _standardised(codes, easier, curves, level[rows])
    return _table(subjects, errors, z, skewness, adjust, alpha)


def _table(subjects: Subjects, errors: Array, z: Array, skewness: Array, adjust: str, alpha: float) -> StatisticTable:
    most = subjects.right * (subjects.answered - subjects.right)
    z = np.where(most > 0, z, np.nan)
    shares = np.divide(errors, most, out=np.full(len(most), np.nan), where=(most > 0) & ~np.isnan(z))
    columns = {"statistic": shares, "p": upper_tail(z, skewness), "errors": errors, "z": z}
    notes = subject_notes(subjects, np.isnan(z), _WHY)
    about: tuple[str, ...] = ()
    if not subjects.patterns.is_complete:
        about = ("responses are missing: scores are proportions right, comparable only if items were asked at random",)
    return subject_table(subjects, columns, notes, WORDS, adjust, alpha, about)


def _crowd(patterns: PatternSource) -> tuple[Array, Array, Array]:
    """Popularity of each item (J,), items' smoothed proportions correct (points, J), each pattern's level (R,).

    A level is the normal quantile of the mid-rank of the pattern's proportion right. Curves are Nadaraya-Watson
    averages with a normal kernel of width 1.1 n^(-1/5) (Ramsay 1991).
    """
    seen, right = (patterns.codes >= 0).astype(float), (patterns.codes == 1).astype(float)
    weights = patterns.weights
    n = weights @ seen
    popularity = np.divide(weights @ right, n, out=np.zeros(len(n)), where=n > 0.0)
    answered = seen.sum(1)
    share = np.divide(right.sum(1), answered, out=np.zeros(len(answered)), where=answered > 0)
    level = _normal_ranks(share, np.where(answered > 0, weights, 0.0))
    width = 1.1 * max(float(weights.sum()), 1.0) ** -0.2
    kernel = np.exp(-0.5 * ((_POINTS[:, None] - level) / width) ** 2) * weights
    mass = kernel @ seen
    curves = np.divide(kernel @ right, mass, out=np.broadcast_to(popularity, mass.shape).copy(), where=mass > 1e-9)
    return popularity, curves, level


def _normal_ranks(values: Array, weights: Array) -> Array:
    """Normal quantiles of weighted mid-ranks; equal values share one."""
    _, place = np.unique(values, return_inverse=True)
    mass = np.bincount(place.ravel(), weights=weights)
    total = float(mass.sum())
    if total == 0.0:
        return np.zeros(len(values))
    middle = (np.cumsum(mass) - 0.5 * mass) / total
    return np.asarray(ndtri(np.clip(middle, 0.5 / (total + 1.0), 1.0 - 0.5 / (total + 1.0)))[place.ravel()])


def _easier_items(codes: NDArray[np.int8], popularity: Array) -> Array:
    """How many of the items a pattern answered are more popular than each, shape (rows, J); ties count half."""
    order = np.argsort(-popularity, kind="stable")
    _, first, inverse = np.unique(-popularity[order], return_index=True, return_inverse=True)
    seen = codes[:, order] >= 0
    upto = np.cumsum(np.pad(seen, ((0, 0), (1, 0))), axis=1)
    ends = np.append(first[1:], len(order))
    before, through = upto[:, first][:, inverse], upto[:, ends][:, inverse]
    out = np.empty(codes.shape)
    out[:, order] = before + (through - before - seen) / 2.0
    return out


def _standardised(codes: NDArray[np.int8], easier: Array, curves: Array, level: Array) -> tuple[Array, Array]:
    """z and skewness of each pattern's number of errors given its number right, each of shape (rows,).

    Given the number right, errors are the sum of `easier` over the right answers and a constant. Its moments are those
    of independent answers with the items' proportions at the pattern's level, conditioned on the number right by
    regression (van der Flier 1982, with the crowd's overall proportions).
    """
    place = np.clip((level - _POINTS[0]) / (_POINTS[1] - _POINTS[0]), 0.0, len(_POINTS) - 1.0)
    left = np.minimum(place.astype(int), len(_POINTS) - 2)
    part = (place - left)[:, None]
    seen, right = codes >= 0, codes == 1
    p = np.where(seen, (1.0 - part) * curves[left] + part * curves[left + 1], 0.0)
    spread = p * (1.0 - p)
    total = spread.sum(1)
    shared = np.divide((easier * spread).sum(1), total, out=np.zeros(len(total)), where=total > 0.0)
    weight = np.where(seen, easier - shared[:, None], 0.0)
    variance = (spread * weight**2).sum(1)
    sd = np.sqrt(np.where(variance > 1e-9, variance, np.nan))
    return (weight * (right - p)).sum(1) / sd, (spread * (1.0 - 2.0 * p) * weight**3).sum(1) / sd**3
