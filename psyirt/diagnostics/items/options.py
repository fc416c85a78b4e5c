"""Option analysis: who chooses each answer of an item, the key and the distractors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr

from psyirt.data.grading import answer_codes, gold_codes
from psyirt.data.label_map import NA_LABELS
from psyirt.data.labels import CrowdLabels
from psyirt.diagnostics.adjustment import decide
from psyirt.foundation.arguments import require
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

# so few people who chose an option do not tell how able those are who do
_FEW = 2


def option_analysis(
    labels: CrowdLabels,
    label_map: Mapping[str, str] | None = None,
    *,
    calibration: Calibration | None = None,
    options: Sequence[str] | None = None,
    na_labels: Sequence[str] = NA_LABELS,
    adjust: str = "holm",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """How often each option of each item was chosen, and how able those are who chose it.

    A distractor that the more able choose rather than the key means a wrong key, or an item with two right answers.

    Parameters
    ----------
    labels : CrowdLabels
        Raw labels with gold; items without gold are left out.
    label_map, options, na_labels
        See ``CrowdLabels.explain``.
    calibration : Calibration, optional
        Of the same workers: their abilities (EAP) are averaged too.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over all distractors.
    alpha : float
        Level of the flag.

    Returns
    -------
    DataFrame
        Index (item, option). Columns ``is_key``; ``n`` (who chose it); ``proportion`` (of those who answered the item);
        ``point_biserial`` (correlation of choosing it with the rest score, over those who answered); ``rest_score``
        (mean proportion right of the other items among those who chose it); ``theta`` (their mean ability; with
        `calibration` only; it includes the item itself, which favours the key); ``t``, ``p``, ``p_adjusted`` (Welch's
        (1947) test, one-sided, that those who chose the distractor have the higher rest score than those who chose the
        key; NaN for the key itself); ``flag`` (p_adjusted < alpha); ``note``, which says why a number is NaN.

    Raises
    ------
    InputError
        If there is no gold, a label stays unexplained, or an option is unknown.

    Examples
    --------
    >>> import psyirt
    >>> study = psyirt.simulate_crowd_study(workers=300, groups=("contradiction", "neutral"), seed=1)
    >>> items = ["neutral-01", "neutral-02", "contradiction-01"]
    >>> table = psyirt.option_analysis(study.labels.select(items=items), study.label_map)
    >>> table.loc["neutral-01", "is_key"].to_dict()
    {'contradiction': False, 'neutral': True}
    """
    require(labels, CrowdLabels, "labels", "option_analysis", "Use CrowdLabels.from_frame or read_labels")
    if calibration is not None:
        require(calibration, Calibration, "calibration", "option_analysis", "Fit one with fit_mml, or use fix")
    meanings = labels.explain(label_map, options=options, na_labels=na_labels)
    answers, gold = answer_codes(labels, meanings), gold_codes(labels, meanings)
    used = (answers >= 0) & (gold[labels.item_index] >= 0)
    worker, item, answer = labels.worker_index[used], labels.item_index[used], answers[used]
    rest = _rest_scores(worker, (answer == gold[item]).astype(float), len(labels.worker_names))
    keyed = np.flatnonzero(gold >= 0)
    count = len(meanings.options)
    shape = (len(gold), count)
    cell = item * count + answer
    table = _choices(cell, item, rest, shape)
    if calibration is not None:
        table["theta"] = _mean_by(cell, _abilities(labels, calibration)[worker], shape)[0]
    is_key = np.arange(count) == gold[:, None]
    table |= _against_key(cell, rest, gold, shape)
    names = pd.MultiIndex.from_product(
        [[labels.item_names[k] for k in keyed], meanings.options], names=["item", "option"]
    )
    frame = pd.DataFrame({name: values[keyed].ravel() for name, values in table.items()}, index=names)
    frame.insert(0, "is_key", is_key[keyed].ravel())
    decision = decide(frame["p"].to_numpy(), adjust, alpha)
    return frame.assign(p_adjusted=decision.p_adjusted, flag=decision.flag, note=_notes(frame))


def _rest_scores(worker: Codes, right: Array, workers: int) -> Array:
    """Each entry's proportion right of the worker's other answers; NaN where there are none."""
    total, number = np.bincount(worker, weights=right, minlength=workers), np.bincount(worker, minlength=workers)
    others = number[worker] - 1.0
    return np.divide(total[worker] - right, others, out=np.full(len(worker), np.nan), where=others > 0)


def _abilities(labels: CrowdLabels, calibration: Calibration) -> Array:
    """Ability of every worker, NaN for those the calibration does not know."""
    found = calibration.abilities("EAP")["theta"]
    return found.reindex(pd.Index(labels.worker_names)).to_numpy(float)


def _mean_by(cell: Codes, values: Array, shape: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Mean, variance (n - 1) and number of the values of each item's option, NaN left out; each of that shape."""
    known = ~np.isnan(values)
    size = shape[0] * shape[1]
    n = np.bincount(cell[known], minlength=size).astype(float)
    total = np.bincount(cell[known], weights=values[known], minlength=size)
    mean = np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
    squares = np.bincount(cell[known], weights=(values[known] - mean[cell[known]]) ** 2, minlength=size)
    variance = np.divide(squares, n - 1.0, out=np.full(size, np.nan), where=n > 1)
    return mean.reshape(shape), variance.reshape(shape), n.reshape(shape)


def _choices(cell: Codes, item: Codes, rest: Array, shape: tuple[int, int]) -> dict[str, Array]:
    """Numbers, proportions, point-biserials and mean rest scores of all options, each of shape (items, options)."""
    n = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
    answered = n.sum(1, keepdims=True)
    mean, _, known = _mean_by(cell, rest, shape)
    whole, variance, size = (each[:, 0:1] for each in _mean_by(item, rest, (shape[0], 1)))
    share = np.divide(known, size, out=np.zeros(shape), where=size > 0)
    # correlation of a 0/1 variable: difference of its mean from the whole's, over the standard deviation
    spread = np.sqrt(variance * (size - 1.0) / np.maximum(size, 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = (mean - whole) / spread * np.sqrt(share / (1.0 - share))
    correlation[~np.isfinite(correlation)] = np.nan
    return {
        "n": n,
        "proportion": np.divide(n, answered, out=np.full(shape, np.nan), where=answered > 0),
        "point_biserial": correlation,
        "rest_score": mean,
    }


def _against_key(cell: Codes, rest: Array, gold: Codes, shape: tuple[int, int]) -> dict[str, Array]:
    """Welch's t and its p-value, each option against the item's key; NaN for the key and for too few people."""
    mean, variance, n = _mean_by(cell, rest, shape)
    at = np.maximum(gold, 0)[:, None]
    key_mean, key_variance, key_n = (np.take_along_axis(each, at, 1) for each in (mean, variance, n))
    with np.errstate(divide="ignore", invalid="ignore"):
        own, other = variance / n, key_variance / key_n
        t = (mean - key_mean) / np.sqrt(own + other)
        df = (own + other) ** 2 / (own**2 / (n - 1.0) + other**2 / (key_n - 1.0))
    t[(n < _FEW) | (key_n < _FEW) | ~np.isfinite(t) | ~np.isfinite(df)] = np.nan
    np.put_along_axis(t, at, np.nan, 1)
    return {"t": t, "p": np.where(np.isnan(t), np.nan, stdtr(np.where(np.isnan(t), 1.0, df), -t))}


def _notes(frame: pd.DataFrame) -> list[str]:
    """Why a row has no test, or no correlation; what to know of a key."""
    notes = []
    for is_key, n, correlation, t in zip(frame["is_key"], frame["n"], frame["point_biserial"], frame["t"], strict=True):
        parts = ["the key"] if is_key else []
        if n == 0:
            parts.append("nobody chose it")
        elif np.isnan(correlation):
            parts.append("no correlation: everybody chose it, or rest scores do not vary")
        elif is_key and correlation < 0.0:
            parts.append("the less able choose it")
        if n > 0 and not is_key and np.isnan(t):
            parts.append("no test: too few people chose it or the key")
        notes.append("; ".join(parts))
    return notes
