"""Messages of errors and warnings."""

from __future__ import annotations

import copy

import pytest

from psyirt.errors import DataWarning, InputError, NotAvailableError, PsyirtError, one_line


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("no rows",), "no rows."),
        (("no rows", "a.csv"), "a.csv: no rows."),
        (("no rows.", "a.csv", "Give some."), "a.csv: no rows. Give some."),
        (("two\nlines", "", "  "), "two lines."),
    ],
)
def test_a_message_is_one_line_with_cause_place_and_remedy(parts: tuple[str, ...], text: str) -> None:
    """A message over several lines breaks the command line's one-line promise and log parsers."""
    assert one_line(*parts) == text


def test_errors_can_be_caught_as_what_they_are() -> None:
    """Callers that catch ValueError or LookupError, as the library's habits suggest, must not miss ours."""
    assert issubclass(InputError, ValueError)
    assert issubclass(NotAvailableError, LookupError)
    assert issubclass(InputError, PsyirtError)
    with pytest.raises(ValueError, match=r"^file\.csv: empty\. Give rows\.$"):
        raise InputError("empty", "file.csv", "Give rows")


def test_errors_keep_their_text_across_processes() -> None:
    """An error raised in a worker process is rebuilt from its arguments on its way back; its text must survive."""
    error = InputError("empty", "file.csv", "Give rows")
    assert str(copy.copy(error)) == str(error)
    assert str(DataWarning("odd", "item i1")) == "item i1: odd."
