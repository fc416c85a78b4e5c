"""What a command does with errors and warnings: one line each on stderr, and an exit code."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Collection, Iterator
from typing import ParamSpec, TextIO

import typer

from psyirt.cli.remedies import Vocabulary, vocabulary_of
from psyirt.errors import PsyirtError, PsyirtWarning

Parameters = ParamSpec("Parameters")

BAD_INPUT, NO_SCALE, INTERRUPTED = 2, 3, 130


def guarded(command: Callable[Parameters, None], columns: Collection[str] = ()) -> Callable[Parameters, None]:
    """A command whose expected errors end it with one line on stderr.

    psyirt's own errors and those of the operating system (no permission, disk full) exit with code 2, Ctrl-C with
    130. Anything else is a bug and keeps its traceback. Keywords of Python in messages become the command's flags.

    Parameters
    ----------
    command : callable
        The function behind a sub-command.
    columns : collection of str
        What its ``--columns`` can name.

    Returns
    -------
    callable
        The same signature.
    """
    words = vocabulary_of(command, columns)

    @functools.wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        try:
            with warnings_as_lines(words):
                command(*args, **kwargs)
        except PsyirtError as error:
            _stop(words.line(error), BAD_INPUT)
        except KeyboardInterrupt:
            _stop("interrupted; nothing half-written was left behind", INTERRUPTED)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            _stop(f"{place}{error.strerror or error}", BAD_INPUT)

    return run


@contextlib.contextmanager
def warnings_as_lines(words: Vocabulary) -> Iterator[None]:
    """Print each of psyirt's warnings once, as one line on stderr; other warnings as ever."""
    seen: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", PsyirtWarning)
        as_ever = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, PsyirtWarning):
                as_ever(message, category, filename, lineno, file, line)
            elif str(message) not in seen:
                seen.add(str(message))
                typer.echo(f"psyirt: warning: {words.said(str(message))}", err=True)

        warnings.showwarning = show
        yield


def _stop(line: str, code: int) -> None:
    """One line on stderr, then the exit code."""
    typer.echo(f"psyirt: {line}", err=True)
    raise typer.Exit(code)
