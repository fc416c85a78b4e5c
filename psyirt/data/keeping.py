"""In which form response patterns are kept: it follows from the responses and from how much memory there is."""

from __future__ import annotations

from numpy.typing import ArrayLike

from psyirt.data.any_responses import AnyResponses
from psyirt.data.packed_store import SIZE
from psyirt.data.pattern_source import PatternSource
from psyirt.data.patterns import checked_weights, collapse, is_sparse, rows_repeat
from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses
from psyirt.data.stored_patterns import StoredPatterns

# fewer cells than this are no matter of memory
_FEW_CELLS = 1_000_000


def kept_patterns(
    responses: AnyResponses, weights: ArrayLike | None = None, memory: int | None = None
) -> PatternSource:
    """Response patterns and their weights, in the form that suits them.

    Parameters
    ----------
    responses : Responses, SparseResponses or StoredResponses
        Subjects x items.
    weights : array_like, shape (subjects,), optional
        Subject weights, 1 by default.
    memory : int, optional
        Bytes that whatever is worked out may take. Packed answers that would take more than half of it are put into a
        temporary file.

    Returns
    -------
    PatternSource
        StoredPatterns for responses in a file, and, where `memory` is given, for a table that does not pay to
        collapse; otherwise what :func:`psyirt.data.patterns.collapse` gives.

    Raises
    ------
    InputError
        As ``collapse``.
    """
    if not _to_be_stored(responses, memory):
        return collapse(responses, weights)
    subjects, items = responses.shape
    each = None if weights is None else checked_weights(weights, subjects)
    packed = subjects * -(-items // SIZE[responses.is_complete])
    return StoredPatterns(responses, each, memory is not None and packed > memory / 2)


def _to_be_stored(responses: AnyResponses, memory: int | None) -> bool:
    """Whether answers are to be packed at once, without a table of them and without being collapsed."""
    subjects, items = responses.shape
    if subjects * items <= _FEW_CELLS or isinstance(responses, SparseResponses):
        return False
    if isinstance(responses, Responses):
        return memory is not None and not is_sparse(responses) and not rows_repeat(responses.codes)
    return True
