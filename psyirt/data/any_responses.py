"""The forms that graded responses are kept in: calibration and scoring take any of them."""

from __future__ import annotations

from psyirt.data.pattern_source import refuse_large_table
from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses
from psyirt.data.stored_responses import StoredResponses
from psyirt.foundation.arguments import require

AnyResponses = Responses | SparseResponses | StoredResponses
RESPONSES = (Responses, SparseResponses, StoredResponses)


def as_table(responses: AnyResponses, place: str) -> Responses:
    """The responses as a table, for what cannot do without one.

    Parameters
    ----------
    responses : Responses, SparseResponses or StoredResponses
        Graded responses.
    place : str
        Who asks, for the message.

    Returns
    -------
    Responses

    Raises
    ------
    InputError
        If these are no responses.
    NotAvailableError
        If the table would have more than two billion cells, a byte each.
    """
    require(responses, RESPONSES, "responses", place, "Use Responses.from_frame or read_responses")
    if isinstance(responses, Responses):
        return responses
    refuse_large_table(*responses.shape)
    return responses.to_dense()
