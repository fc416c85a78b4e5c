"""How far a crowd agrees: majority shares, Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.grading import answer_codes, gold_codes
from psyirt.data.label_map import LabelMap
from psyirt.data.label_table import LabelTable
from psyirt.foundation.words import counted

MAJORITY, SUPERMAJORITY = (1, 2), (2, 3)  # shares as fractions: "more than two thirds" is decided in whole numbers


def majority_share(counts: ArrayLike, share: tuple[int, int] = MAJORITY) -> float:
    """Share of items on which one label has more than `share` of the answers.

    Parameters
    ----------
    counts : array_like of int, shape (items, categories)
        How often each label was given to each item.
    share : pair of int
        Numerator and denominator.

    Returns
    -------
    float
        Among the items with answers; NaN if there is none.
    """
    table = np.asarray(counts)
    return _share_above(table.max(axis=1, initial=0), table.sum(axis=1), share)


def gold_share(counts: ArrayLike, gold: ArrayLike, share: tuple[int, int] = MAJORITY) -> float:
    """Share of items on which the gold label has more than `share` of the answers.

    Parameters
    ----------
    counts : array_like of int, shape (items, categories)
        How often each label was given to each item.
    gold : array_like of int, shape (items,)
        Each item's gold category, -1 where there is none; such items do not count.
    share : pair of int
        Numerator and denominator.

    Returns
    -------
    float
        NaN if no item has both gold and answers.
    """
    table, right = np.asarray(counts), np.asarray(gold)
    table, right = table[right >= 0], right[right >= 0]
    return _share_above(table[np.arange(len(table)), right], table.sum(axis=1), share)


def fleiss_kappa_overall(counts: ArrayLike) -> float:
    """Fleiss' (1971) kappa over all categories, by statsmodels.

    Parameters
    ----------
    counts : array_like of int, shape (items, categories)
        Every item with the same number (two or more) of answers.

    Returns
    -------
    float
        NaN if the items differ in their number of answers, or only one category occurs.
    """
    # statsmodels takes a second to load, and reading labels does not need it.
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = np.asarray(counts)
    return float(fleiss_kappa(table)) if fleiss_obstacle(table) == "" else float("nan")


def fleiss_kappa_by_category(counts: ArrayLike) -> NDArray[np.float64]:
    """Fleiss' (1971, p. 381) kappa of each category: agreement on that category against all the others.

    With n answers to each of N items, n_ij of them j, and p_j the share of j: the probability that a second answer
    is j given that the first one is, ``P_j = (sum_i n_ij^2 - N n p_j) / (N n (n - 1) p_j)``, and
    ``kappa_j = (P_j - p_j) / (1 - p_j)``.

    Parameters
    ----------
    counts : array_like of int, shape (items, categories)
        Every item with the same number (two or more) of answers.

    Returns
    -------
    ndarray of float, shape (categories,)
        NaN where a category never occurs or is the only one, and everywhere if the items differ in their number of
        answers.
    """
    table = np.asarray(counts, dtype=float)
    if fleiss_obstacle(table):
        return np.full(table.shape[1], np.nan)
    raters = table[0].sum()
    given = table.sum(axis=0)
    share = given / given.sum()
    usable = (share > 0) & (share < 1)
    again = ((table**2).sum(axis=0) - given) / np.where(usable, given * (raters - 1), 1)
    return np.where(usable, (again - share) / np.where(usable, 1 - share, 1), np.nan)


def fleiss_obstacle(counts: ArrayLike) -> str:
    """Why Fleiss' kappa cannot be had from these counts; an empty text if it can."""
    table = np.asarray(counts)
    if not len(table):
        return "no items"
    raters = table.sum(axis=1)
    if raters.min() != raters.max():
        return f"items have {int(raters.min())} to {int(raters.max())} answers: Fleiss' kappa needs the same number"
    if raters[0] < 2:
        return "items have fewer than two answers"
    if np.count_nonzero(table.sum(axis=0)) < 2:
        return "only one label occurs"
    return ""


def krippendorff_alpha(counts: ArrayLike) -> float:
    """Krippendorff's alpha for nominal labels; any number of answers per item.

    ``1 - D_o / D_e`` from the coincidence matrix (Krippendorff 2011, "Computing Krippendorff's alpha-reliability",
    section C; Hayes and Krippendorff 2007). With m_i answers to item i, n_ij of them j, n_j and n their sums over the
    items with at least two answers: ``D_o = sum_i (m_i^2 - sum_j n_ij^2) / (m_i - 1) / n`` and
    ``D_e = (n^2 - sum_j n_j^2) / (n (n - 1))``.

    Parameters
    ----------
    counts : array_like of int, shape (items, categories)
        How often each label was given to each item; items with fewer than two answers hold no information.

    Returns
    -------
    float
        NaN if fewer than two labels occur among the items with two answers or more.
    """
    table = np.asarray(counts, dtype=float)
    table = table[table.sum(axis=1) >= 2]
    answers, given = table.sum(axis=1), table.sum(axis=0)
    total = given.sum()
    if np.count_nonzero(given) < 2:
        return float("nan")
    observed = ((answers**2 - (table**2).sum(axis=1)) / (answers - 1)).sum() / total
    expected = (total**2 - (given**2).sum()) / (total * (total - 1))
    return float(1 - observed / expected)


def agreement_of(labels: LabelTable, meanings: LabelMap) -> pd.DataFrame:
    """The agreement table of labels whose meanings are known.

    Entries without an answer count nowhere, except in Fleiss' kappa, which needs the same number of answers to every
    item: there they are one more category (its own kappa is not listed).

    Parameters
    ----------
    labels : LabelTable
        The labels.
    meanings : LabelMap
        What they mean; its options are the categories.

    Returns
    -------
    DataFrame, index (measure, scope)
        Measures ``majority`` (more than 1/2) and ``supermajority`` (more than 2/3), scopes ``any label`` and
        ``gold label``: shares of items; ``fleiss_kappa``, scopes ``overall`` and each category; and
        ``krippendorff_alpha``, scope ``overall``. Columns ``value`` (NaN where it cannot be had), ``n_items``,
        ``n_labels`` (answers behind the value) and ``note`` (why, or what was left out).
    """
    answers, gold = answer_codes(labels, meanings), gold_codes(labels, meanings)
    counts = answer_counts(labels, answers, len(meanings.options))
    rows = [_share_row(counts, gold, name, share, scope) for name, share in (
        ("majority", MAJORITY), ("supermajority", SUPERMAJORITY)) for scope in ("any label", "gold label")]  # fmt: skip
    rows += _fleiss_rows(labels, answers, meanings.options)
    paired = counts[counts.sum(axis=1) >= 2]
    alpha = krippendorff_alpha(counts)
    note = "fewer than two labels occur among items with two answers or more" if np.isnan(alpha) else ""
    rows.append(("krippendorff_alpha", "overall", alpha, len(paired), int(paired.sum()), note))
    table = pd.DataFrame(rows, columns=["measure", "scope", "value", "n_items", "n_labels", "note"])
    return table.set_index(["measure", "scope"])


def answer_counts(labels: LabelTable, answers: NDArray[np.intp], categories: int) -> NDArray[np.int64]:
    """How often each category was given to each item, shape (items, categories)."""
    given = answers >= 0
    cells = labels.item_index[given].astype(np.int64) * categories + answers[given]
    size = len(labels.item_names) * categories
    return np.bincount(cells, minlength=size).reshape(len(labels.item_names), categories)


def _share_above(most: NDArray[np.int64], answers: NDArray[np.int64], share: tuple[int, int]) -> float:
    answered = answers > 0
    above = most * share[1] > answers * share[0]
    return float(above[answered].mean()) if answered.any() else float("nan")


def _share_row(
    counts: NDArray[np.int64], gold: NDArray[np.intp], name: str, share: tuple[int, int], scope: str
) -> tuple[str, str, float, int, int, str]:
    """One row of the table: a majority measure for any label or for the gold label."""
    used = counts if scope == "any label" else counts[gold >= 0]
    value = majority_share(used, share) if scope == "any label" else gold_share(counts, gold, share)
    items = int(np.count_nonzero(used.sum(axis=1)))
    without = len(counts) - items
    note = f"{counted(without, 'item')} without {'answers' if scope == 'any label' else 'gold or answers'} left out"
    return name, scope, value, items, int(used.sum()), note if without else ""


def _fleiss_rows(
    labels: LabelTable, answers: NDArray[np.intp], options: tuple[str, ...]
) -> list[tuple[str, str, float, int, int, str]]:
    """Fleiss' kappa overall and by category."""
    blank = answers < 0
    counts = answer_counts(labels, np.where(blank, len(options), answers), len(options) + 1)
    counts = counts[counts.sum(axis=1) > 0]
    note = fleiss_obstacle(counts)
    if not note and blank.any():
        note = (
            counted(
                int(blank.sum()), "unanswered entry is a category of its", "unanswered entries are a category of their"
            )
            + " own"
        )
    size = (len(counts), int(counts.sum()))
    rows = [("fleiss_kappa", "overall", fleiss_kappa_overall(counts), *size, note)]
    kappas, given = fleiss_kappa_by_category(counts), counts.sum(axis=0)
    for k, option in enumerate(options):
        rows.append(("fleiss_kappa", option, float(kappas[k]), *size, note if given[k] else "nobody gave this label"))
    return rows
