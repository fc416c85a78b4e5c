"""Which items are calibrated together."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from psyirt.data.responses import Responses
from psyirt.errors import InputError

GroupChoice = str | Mapping[str, str] | None


def resolve_groups(responses: Responses, groups: GroupChoice) -> dict[str, list[str]]:
    """Group name -> its items, in the order of the responses.

    Parameters
    ----------
    responses : Responses
        The responses.
    groups : None, str or mapping
        None: one group "all". A string: a column of ``responses.item_info``, e.g. "gold". A mapping: item -> group.

    Returns
    -------
    dict
        In order of first occurrence.

    Raises
    ------
    InputError
        If the column or an item is unknown, or an item has no group.
    """
    if groups is None:
        return {"all": list(responses.item_names)}
    given = responses.item_column(groups) if isinstance(groups, str) else dict(groups)
    unknown = [item for item in given if item not in set(responses.item_names)]
    if unknown:
        raise InputError(f"a group for unknown item {unknown[0]!r}", "groups", "Check the item names")
    nameless = {item for item, group in given.items() if pd.isna(group) or not str(group).strip()}
    without = [item for item in responses.item_names if item not in given or item in nameless]
    if without:
        raise InputError(
            f"{len(without)} items have no group, the first is {without[0]!r}", "groups", "Give each item a group"
        )
    members: dict[str, list[str]] = {}
    for item in responses.item_names:
        members.setdefault(str(given[item]), []).append(item)
    return members
