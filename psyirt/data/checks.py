"""What a reader of any result should know about the responses behind it: constant items, empty rows, blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.data.response_source import MISSING, ResponseSource

# rows looked at at once: what is made of them must not outweigh the responses
_ROWS = 1 << 16

Block = tuple[tuple[str, ...], tuple[str, ...]]


def constant_items(responses: ResponseSource) -> dict[str, int]:
    """Items on which every response is the same: no model can place them.

    Parameters
    ----------
    responses : ResponseSource
        Graded responses.

    Returns
    -------
    dict of str to int
        Item -> its only observed value (0 or 1), or -1 for an item without responses.
    """
    right = np.zeros(responses.shape[1], dtype=np.int64)
    wrong = np.zeros(responses.shape[1], dtype=np.int64)
    for block in responses.blocks(_ROWS):
        right += np.count_nonzero(block.codes == 1, axis=0)
        wrong += np.count_nonzero(block.codes == 0, axis=0)
    value = np.where(right > 0, 1, np.where(wrong > 0, 0, MISSING))
    constant = (right == 0) | (wrong == 0)
    return {name: int(value[k]) for k, name in enumerate(responses.item_names) if constant[k]}


def empty_subjects(responses: ResponseSource) -> tuple[str, ...]:
    """Subjects without any response.

    Parameters
    ----------
    responses : ResponseSource
        Graded responses.

    Returns
    -------
    tuple of str
        Names, in row order.
    """
    names = responses.subject_names
    return tuple(
        names[block.start + k]
        for block in responses.blocks()
        for k in np.flatnonzero((block.codes == MISSING).all(axis=1))
    )


def all_rows_identical(responses: ResponseSource) -> bool:
    """Whether two subjects or more have responses, and all of them have the same ones.

    Parameters
    ----------
    responses : ResponseSource
        Graded responses; subjects without any response do not count.

    Returns
    -------
    bool
    """
    first: NDArray[np.int8] | None = None
    subjects = 0
    for block in responses.blocks(_ROWS):
        rows = block.codes[(block.codes != MISSING).any(axis=1)]
        if not len(rows):
            continue
        first = rows[0].copy() if first is None else first
        if (rows != first).any():
            return False
        subjects += len(rows)
    return subjects > 1


def connected_blocks(responses: ResponseSource) -> list[Block]:
    """Blocks of subjects and items that no response links.

    Between two blocks only the assumption of one population compares abilities or difficulties.

    Parameters
    ----------
    responses : ResponseSource
        Graded responses.

    Returns
    -------
    list of (subject names, item names)
        The block with the most subjects first. Subjects and items without any response belong to no block, so that
        ordinary data give one block and empty data none.
    """
    if responses.observed and responses.observed == responses.shape[0] * responses.shape[1]:
        return [(responses.subject_names, responses.item_names)]
    patterns, first_items = _observed_patterns(responses)
    of_item = _item_components(patterns, responses.shape[1])
    of_subject = np.where(first_items >= 0, of_item[first_items], -1)
    answered = patterns.any(axis=0)
    blocks = [
        (
            tuple(responses.subject_names[k] for k in np.flatnonzero(of_subject == component)),
            tuple(responses.item_names[k] for k in np.flatnonzero((of_item == component) & answered)),
        )
        for component in np.unique(of_item[answered])
    ]
    return sorted(blocks, key=lambda block: -len(block[0]))


def _observed_patterns(responses: ResponseSource) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Distinct patterns of observed items (patterns, items), and every subject's first observed item (or -1)."""
    items = responses.shape[1]
    seen: set[bytes] = set()
    first_items = []
    for block in responses.blocks(_ROWS):
        observed = block.codes != MISSING
        first_items.append(np.where(observed.any(axis=1), observed.argmax(axis=1) if items else -1, -1))
        packed = np.packbits(observed, axis=1)
        seen.update(packed.view(f"V{packed.shape[1]}").ravel().tolist() if packed.size else ())
    rows = [np.frombuffer(pattern, dtype=np.uint8) for pattern in sorted(seen)]
    patterns = np.unpackbits(np.array(rows, dtype=np.uint8).reshape(len(rows), -1), axis=1, count=items).astype(bool)
    return patterns, np.concatenate(first_items) if first_items else np.empty(0, dtype=np.intp)


def _item_components(patterns: NDArray[np.bool_], items: int) -> NDArray[np.intp]:
    """The component of each item when every subject links the items it answered, shape (items,)."""
    # imported where it is used: a tenth of a second that fits of complete data do not have to wait for
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.nonzero(patterns)
    # A subject's items are one component as soon as each is linked with the first of them.
    firsts = patterns.argmax(axis=1)[rows] if items else rows
    links = coo_array((np.ones(len(rows), dtype=np.int8), (firsts, columns)), shape=(items, items))
    return connected_components(links, directed=False)[1].astype(np.intp)
