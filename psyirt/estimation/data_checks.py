"""What responses must have for a fit, and what a reader of the fit should know about them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from psyirt.data.any_responses import AnyResponses
from psyirt.data.checks import all_rows_identical, constant_items, count_blocks, empty_rows
from psyirt.errors import DataWarning, InputError
from psyirt.foundation.words import counted
from psyirt.models.free_priors import PriorChoice
from psyirt.models.item_types import ItemType

_FEWEST_ITEMS = 3


def items_to_set_aside(
    responses: AnyResponses, types: Mapping[str, ItemType], priors: Mapping[str, PriorChoice] | None
) -> dict[str, str]:
    """Items whose intercept has no finite estimate; a prior on the intercept gives it one, and so does a known value.

    Parameters
    ----------
    responses : Responses
        All that was given.
    types : mapping of item to ItemType
        Which slots are estimated.
    priors : mapping, optional
        See ``fit_mml``.

    Returns
    -------
    dict of item to reason
    """
    words = {1: "every observed answer is right", 0: "every observed answer is wrong", -1: "nobody answered it"}
    protected = (priors or {}).get("intercept")
    covered = set(protected) if isinstance(protected, Mapping) else set(responses.item_names if protected else ())
    covered |= {item for item, kind in types.items() if kind.intercept.state == "fixed"}
    # a prior places an item that was answered; one that nobody answered would only repeat its prior
    return {
        item: words[value] for item, value in constant_items(responses).items() if value == -1 or item not in covered
    }


def refuse_too_few(responses: AnyResponses, fitted: AnyResponses) -> None:
    """Refuse data that carry no calibration.

    Parameters
    ----------
    responses : Responses
        All that was given.
    fitted : Responses
        The same without the items that are set aside.

    Raises
    ------
    InputError
        If there are no subjects, fewer than 3 items are kept, or all rows are identical.
    """
    subjects, items = responses.shape
    if subjects == 0:
        raise InputError("there are no subjects", "responses", "Give at least one row of responses")
    kept = fitted.shape[1]
    if kept >= _FEWEST_ITEMS:
        if all_rows_identical(fitted):
            raise InputError("all rows are identical", "responses", "Nothing can be learnt about items; check the file")
        return
    apart = items - kept
    detail = f"{apart} of {items} items are constant" if apart else f"there are {items} items"
    raise InputError(
        f"only {counted(kept, 'item varies', 'items vary')} ({detail})",
        "responses",
        f"A calibration needs at least {_FEWEST_ITEMS}",
    )


def without_empty(
    responses: AnyResponses, weights: ArrayLike | None
) -> tuple[AnyResponses, ArrayLike | None, tuple[str, ...]]:
    """The subjects who answered something: nobody else is a person measured, or counts in a sample size.

    Parameters
    ----------
    responses : Responses
        The items that are fitted.
    weights : array_like, shape (subjects,), optional
        Checked later, so they may be of another length here.

    Returns
    -------
    tuple of (Responses, array_like or None, tuple of str)
        Responses and weights of those who did, names of those who did not.
    """
    stays = ~empty_rows(responses)
    if stays.all() or not stays.any():
        return responses, weights, ()
    empty = tuple(responses.subject_names[k] for k in np.flatnonzero(~stays))
    if weights is not None and np.shape(weights) == stays.shape:
        weights = np.asarray(weights)[stays]
    return responses.select(subjects=stays), weights, empty


def warn_of_limits(
    fitted: AnyResponses, set_aside: Mapping[str, str], empty: Sequence[str], stacklevel: int
) -> tuple[str, ...]:
    """Warn of what limits the fit, at the line that called a public function; the same sentences are returned.

    Parameters
    ----------
    fitted : Responses
        Responses to the items that are fitted.
    set_aside : mapping of item to reason
        The others.
    empty : sequence of str
        Subjects without responses to the items that are fitted; they are no part of `fitted`.
    stacklevel : int
        How far up that line is, counted from here as ``warnings.warn`` counts.

    Returns
    -------
    tuple of str

    Warns
    -----
    DataWarning
        For items set aside, subjects without responses, subjects with one answer each, and blocks that share nothing.
    """
    found: list[DataWarning] = []
    if set_aside:
        names = ", ".join(list(set_aside)[:5]) + (", ..." if len(set_aside) > 5 else "")
        found.append(
            DataWarning(
                f"{counted(len(set_aside), 'constant item is', 'constant items are')} set aside ({names})",
                "",
                "They tell nothing about ability",
            )
        )
    if empty:
        number = counted(len(empty), "subject has no responses and counts", "subjects have no responses and count")
        found.append(DataWarning(f"{number} for nothing, the first is {empty[0]!r}", "", "Leave them out"))
    blocks = count_blocks(fitted)
    if fitted.observed <= fitted.shape[0]:
        found.append(
            DataWarning(
                "nobody answered two items: nothing tells how items hang together",
                "",
                "Slopes and the variance of ability stay where they start; collect two answers or more from a subject",
            )
        )
    elif blocks > 1:
        found.append(
            DataWarning(
                f"subjects and items fall into {blocks} blocks that share nothing",
                "",
                "Only the assumption of one population links their scales; collect common items or subjects",
            )
        )
    for warning in found:
        warnings.warn(warning, stacklevel=stacklevel)
    return tuple(str(warning) for warning in found)
