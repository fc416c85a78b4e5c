"""py-irt's JSON lines: one subject per line."""

from __future__ import annotations

import json
import reprlib
from typing import Any

import numpy as np

from psyirt.data.coding import LongAnswers
from psyirt.data.readers.cells import BAD, response_codes
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import Source, in_file
from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses, kept_fittingly
from psyirt.errors import InputError
from psyirt.foundation.words import counted

OPTIONS = frozenset({"missing", "sparse"})
SHAPE = 'Each line is {"subject_id": "m1", "responses": {"q1": 1, "q2": 0}}'


def read_pyirt(source: Source, options: ReadOptions) -> Responses | SparseResponses:
    """Responses from py-irt's JSON lines, ``{"subject_id": "m1", "responses": {"q1": 1, "q2": 0}}``.

    Parameters
    ----------
    source : Source
        The file; an item that a line does not name, or names with null, is missing there.
    options : ReadOptions
        ``missing``, ``sparse``.

    Returns
    -------
    Responses or SparseResponses
        Items in the order in which the lines first name them.

    Raises
    ------
    InputError
        If a line is no such object, a subject has two lines or an item is named twice in one, or a value is not 0, 1
        or missing.
    """
    with in_file(source.path):
        subjects: dict[str, int] = {}
        items: dict[str, int] = {}
        rows: list[int] = []
        columns: list[int] = []
        values: list[Any] = []
        for number, line in enumerate(str(source.content).split("\n"), start=1):
            if not line.strip():
                continue
            subject, responses = _parsed(line, number)
            if subject in subjects:
                raise InputError(f"subject {subject!r} has more than one line", f"line {number}", "Merge its lines")
            subjects[subject] = len(subjects)
            rows += [subjects[subject]] * len(responses)
            columns += [items.setdefault(item, len(items)) for item in responses]
            values += list(responses.values())
        if not items:
            raise InputError("no line has a response", "", SHAPE)
        codes = _codes(values, options, list(subjects), list(items), rows, columns)
        places = np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
        return kept_fittingly(LongAnswers(*places, codes, tuple(subjects), tuple(items)), options.sparse)


def _parsed(line: str, number: int) -> tuple[str, dict[str, Any]]:
    """One line's subject and responses."""
    place = f"line {number}"
    try:
        entry = json.loads(line, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON ({error.msg}, column {error.colno})", place, SHAPE) from None
    except _RepeatedKeyError as error:
        raise InputError(f"{error} is named twice", place, "Keep one response for each item") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; lists within lists within lists
        raise InputError(f"cannot be read as JSON ({error})", place, SHAPE) from None
    subject = entry.get("subject_id") if isinstance(entry, dict) else None
    responses = entry.get("responses") if isinstance(entry, dict) else None
    if not isinstance(subject, str | int) or isinstance(subject, bool) or not isinstance(responses, dict):
        raise InputError("has no subject_id with responses", place, SHAPE)
    return str(subject).strip(), responses


class _RepeatedKeyError(ValueError):
    """A JSON object names a key twice."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; json itself would keep the last of two values for one key."""
    entry = dict(pairs)
    if len(entry) < len(pairs):
        seen: set[str] = set()
        raise _RepeatedKeyError(repr(next(key for key, _ in pairs if key in seen or seen.add(key))))  # type: ignore[func-returns-value]
    return entry


def _codes(
    values: list[Any], options: ReadOptions, subjects: list[str], items: list[str], rows: list[int], columns: list[int]
) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Values as codes; refuse one that is no response."""
    cells = [f"a {type(value).__name__}" if isinstance(value, list | dict) else value for value in values]
    codes = response_codes(np.array([*cells, None], dtype=object), options.missing_codes)[:-1]
    bad = np.flatnonzero(codes == BAD)
    if bad.size:
        at = bad[0]
        raise InputError(
            f"{reprlib.repr(values[at])} is not 0, 1 or null ({counted(len(bad), 'such value')})",
            f"subject {subjects[rows[at]]!r}, item {items[columns[at]]!r}",
            "Threshold fractional scores first",
        )
    return codes
