"""The command `psyirt`: its sub-commands, and how it ends."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection
from typing import Annotated

import typer

from psyirt import __version__
from psyirt.cli import build, check, demo, fit, score
from psyirt.cli.guard import BAD_INPUT, guarded
from psyirt.cli.streams import STDOUT, install_streams, to_nowhere

app = typer.Typer(
    name="psyirt",
    help="Item response theory for people who evaluate NLP systems. New here: psyirt demo",
    epilog="Exit codes: 0 done, 1 a bug (with its traceback), 2 bad input (one line says what and where), "
    "3 psyirt build ended without any scale, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"psyirt {__version__}")
        raise typer.Exit


@app.callback()
def _whole(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options of the command as a whole; their callbacks do the work."""


def _add(name: str, command: Callable[..., None], example: str, columns: Collection[str] = ()) -> None:
    """Make a function a sub-command; its docstring is the help, a paragraph a line. `columns`: see :func:`guarded`."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    app.command(name, help=text, epilog=f"Example: {example}")(guarded(command, columns))


_add("demo", demo.demo_command, demo.EXAMPLE)
_add("build", build.build_command, build.EXAMPLE, build.COLUMNS)
_add("score", score.score_command, score.EXAMPLE, score.COLUMNS)
_add("fit", fit.fit_command, fit.EXAMPLE, fit.COLUMNS)
_add("check", check.check_command, check.EXAMPLE, check.COLUMNS)


def main() -> None:
    """Run the command line; a reader that stops reading (`| head`) changes nothing but what is seen."""
    install_streams()
    code: str | int | None = 0
    try:
        try:
            app()
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
    except OSError as error:
        to_nowhere(STDOUT)  # what Python itself flushes on its way out must not fail again
        if code == 0:
            typer.echo(f"psyirt: stdout: {error.strerror}", err=True)
            code = BAD_INPUT
    sys.exit(code)
