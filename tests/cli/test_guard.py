"""Errors and warnings become one line and an exit code; bugs keep their traceback."""

from __future__ import annotations

import warnings

import pytest
import typer
from typer.testing import CliRunner, Result

from psyirt.cli.guard import guarded
from psyirt.errors import ConvergenceWarning, DataWarning, EstimationError, InputError


def end_of(action: object) -> Result:
    """How a command ends that raises `action`, or calls it."""
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    @guarded
    def command() -> None:
        if isinstance(action, BaseException):
            raise action
        action()  # type: ignore[operator]

    return CliRunner().invoke(app, [])


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("is empty", "labels.csv", "Check it"), 2, "psyirt: labels.csv: is empty. Check it.\n"),
        (EstimationError("cannot be fitted"), 2, "psyirt: cannot be fitted.\n"),
        (PermissionError(13, "Permission denied", "out.csv"), 2, "psyirt: out.csv: Permission denied\n"),
        (OSError(28, "No space left on device"), 2, "psyirt: No space left on device\n"),
        (KeyboardInterrupt(), 130, "psyirt: interrupted; nothing half-written was left behind\n"),
    ],
)
def test_expected_errors_are_one_line(error: BaseException, code: int, line: str) -> None:
    """A traceback for a misspelt file name teaches users to ignore tracebacks; a wrong code misleads scripts."""
    result = end_of(error)
    assert (result.exit_code, result.stderr, result.stdout) == (code, line, "")


def test_a_bug_keeps_its_traceback() -> None:
    """A bug that is reported in one line cannot be mended."""
    result = end_of(ZeroDivisionError("a bug"))
    assert isinstance(result.exception, ZeroDivisionError)
    assert result.exit_code == 1


def test_each_warning_is_shown_once_as_a_line() -> None:
    """A warning per item of a bank buries the result; one with a source line looks like a crash."""

    def warn() -> None:
        for _ in range(3):
            warnings.warn(DataWarning("item 'q1' is constant", "", "It is set aside"), stacklevel=1)
        warnings.warn(ConvergenceWarning("stopped at the limit"), stacklevel=1)

    result = end_of(warn)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "psyirt: warning: item 'q1' is constant. It is set aside.",
        "psyirt: warning: stopped at the limit.",
    ]


def test_other_warnings_are_not_swallowed() -> None:
    """A warning of numpy's, say, is a sign of a bug; tests turn it into an error, and the guard must not undo that."""

    def warn() -> None:
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)

    assert isinstance(end_of(warn).exception, RuntimeWarning)
