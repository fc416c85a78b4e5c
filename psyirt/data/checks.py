"""What a reader of any result should know about the responses behind it: constant items, empty rows, blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.data.response_source import MISSING, ResponseSource
from psyirt.data.sparse_responses import SparseResponses
from psyirt.data.stored_responses import StoredResponses

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
    wrong, right = _answer_counts(responses)
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
    return tuple(responses.subject_names[k] for k in np.flatnonzero(empty_rows(responses)))


def empty_rows(responses: ResponseSource) -> NDArray[np.bool_]:
    """Which subjects have no response, shape (subjects,)."""
    if isinstance(responses, SparseResponses):
        return np.asarray(responses.answered == 0)
    if isinstance(responses, StoredResponses):
        return responses.survey.empty
    parts = [(block.codes == MISSING).all(axis=1) for block in responses.blocks(_ROWS)]
    return np.concatenate([np.zeros(0, dtype=bool), *parts])


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
    if isinstance(responses, SparseResponses):
        return _all_entries_identical(responses)
    if isinstance(responses, StoredResponses):
        return responses.survey.identical
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
    if isinstance(responses, SparseResponses):
        of_subject, of_item = _entry_components(responses)
        return _named_blocks(responses, of_subject, of_item, of_item >= 0)
    patterns, first_items = _observed_patterns(responses)
    of_item = _item_components(patterns, responses.shape[1])
    of_subject = np.where(first_items >= 0, of_item[first_items], -1)
    return _named_blocks(responses, of_subject, of_item, np.asarray(patterns.any(axis=0)))


def count_blocks(responses: ResponseSource) -> int:
    """How many blocks :func:`connected_blocks` would name."""
    if not isinstance(responses, StoredResponses):
        return len(connected_blocks(responses))
    answered = responses.survey.wrong + responses.survey.right > 0
    return len(np.unique(_item_components(responses.survey.linked, responses.shape[1])[answered]))


def _named_blocks(
    responses: ResponseSource,
    of_subject: NDArray[np.intp],
    of_item: NDArray[np.intp],
    answered: NDArray[np.bool_],
) -> list[Block]:
    """Blocks by name, from the component of each subject (-1: none) and of each item that was answered."""
    components = np.unique(of_item[answered])
    if len(components) == 1 and (of_subject >= 0).all() and answered.all():
        return [(responses.subject_names, responses.item_names)]
    blocks = [
        (
            tuple(responses.subject_names[k] for k in np.flatnonzero(of_subject == component)),
            tuple(responses.item_names[k] for k in np.flatnonzero((of_item == component) & answered)),
        )
        for component in components
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


def _answer_counts(responses: ResponseSource) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of wrong and of right answers to each item, each of shape (items,)."""
    items = responses.shape[1]
    if isinstance(responses, StoredResponses):
        return responses.survey.wrong, responses.survey.right
    if isinstance(responses, SparseResponses):
        counts = np.bincount(responses.entries, minlength=2 * items).reshape(-1, 2)
        return counts[:, 0], counts[:, 1]
    right, wrong = np.zeros(items, dtype=np.int64), np.zeros(items, dtype=np.int64)
    for block in responses.blocks(_ROWS):
        right += np.count_nonzero(block.codes == 1, axis=0)
        wrong += np.count_nonzero(block.codes == 0, axis=0)
    return wrong, right


def _all_entries_identical(responses: SparseResponses) -> bool:
    """The same as :func:`all_rows_identical`, answer by answer."""
    lengths = responses.answered[responses.answered > 0]
    if len(lengths) < 2 or (lengths != lengths[0]).any():
        return False
    return bool((responses.entries.reshape(len(lengths), -1) == responses.entries[: lengths[0]]).all())


def _entry_components(responses: SparseResponses) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The component of each subject and of each item where every answer links one with one; -1 without any."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    subjects, items = responses.shape
    starts = np.concatenate([responses.starts, np.full(items, responses.observed)])
    links = csr_array(
        (np.ones(responses.observed, dtype=np.int8), (responses.entries >> 1) + subjects, starts),
        shape=(subjects + items, subjects + items),
    )
    component = connected_components(links, directed=False)[1].astype(np.intp)
    of_subject = np.where(responses.answered > 0, component[:subjects], -1)
    answered = np.bincount(responses.entries >> 1, minlength=items) > 0
    return of_subject, np.where(answered, component[subjects:], -1)
