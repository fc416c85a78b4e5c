"""The forms that graded responses are kept in: calibration and scoring take any of them."""

from __future__ import annotations

from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses

AnyResponses = Responses | SparseResponses
RESPONSES = (Responses, SparseResponses)
