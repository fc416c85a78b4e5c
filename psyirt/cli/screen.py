"""What a command prints: text and tables for people, or one JSON document for programs."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH_WHEN_PIPED = 120
_BEYOND_ANY_TERMINAL = 10_000


@dataclass(frozen=True)
class Screen:
    """Where a command prints.

    Attributes
    ----------
    json : bool
        Whether stdout is kept for one JSON document; text for people then goes to stderr.
    """

    json: bool = False
    console: Console = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Open the console on the stream of the day (tests replace it)."""
        from rich.console import Console

        stream = sys.stderr if self.json else sys.stdout
        width = None if stream.isatty() else WIDTH_WHEN_PIPED
        object.__setattr__(
            self, "console", Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
        )

    def say(self, *lines: str) -> None:
        """Print lines as they are, wrapped at the terminal's width."""
        for line in lines:
            self.console.print(line, soft_wrap=not self.console.is_terminal)

    def heading(self, line: str) -> None:
        """Print a line in bold, after an empty one."""
        self.console.print()
        self.console.print(line, style="bold", soft_wrap=True)

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[str] | None], left: int = 1, split: int | None = None
    ) -> None:
        """Print a table.

        Parameters
        ----------
        columns : sequence of str
            The header.
        rows : iterable of sequences of str
            The cells; None draws a line.
        left : int
            How many columns at the beginning are text, set to the left; the others are numbers.
        split : int, optional
            Where to cut a table that is wider than the terminal in two; the second half repeats the first column.
        """
        from rich.measure import Measurement

        lines = list(rows)
        table = _drawn(columns, lines, left)
        unbound = self.console.options.update(max_width=_BEYOND_ANY_TERMINAL)
        width = Measurement.get(self.console, unbound, table).maximum
        if split is None or width <= self.console.width:
            self.console.print(table)
            return
        halves = [list(range(split)), [0, *range(split, len(columns))]]
        for places in halves:
            cut = [None if line is None else [line[k] for k in places] for line in lines]
            self.console.print(_drawn([columns[k] for k in places], cut, left))
            self.console.print()

    def document(self, content: Any) -> None:
        """Write the JSON document to stdout, if one was asked for."""
        if self.json:
            typer.echo(json_text(content))


def _drawn(columns: Sequence[str], rows: Iterable[Sequence[str] | None], left: int) -> Table:
    """A table as rich draws it; cells are text, whatever they look like."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True, header_style="bold")
    for place, name in enumerate(columns):
        table.add_column(Text(name), justify="left" if place < left else "right", overflow="fold")
    for row in rows:
        if row is None:
            table.add_section()
        else:
            table.add_row(*(Text(cell) for cell in row))
    return table


def json_text(content: Any) -> str:
    """Strict JSON: NaN is null, infinities are the texts "Infinity" and "-Infinity", numpy's scalars are numbers.

    Parameters
    ----------
    content : mapping
        Mappings, sequences, arrays, DataFrames (as a list of rows, the index first), texts and numbers.

    Returns
    -------
    str
        Indented, without a final line end.
    """
    import json

    return json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """`value` in the types of JSON."""
    if hasattr(value, "to_dict") and hasattr(value, "reset_index"):
        return [_plain(row) for row in value.reset_index().to_dict("records")]
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def number(value: float, digits: int = 2, missing: str = "-") -> str:
    """A number for a table; `missing` where it is NaN."""
    return missing if math.isnan(value) else f"{value:.{digits}f}"


def percent(value: float, digits: int = 0) -> str:
    """A share as a percentage."""
    return "-" if math.isnan(value) else f"{100 * value:.{digits}f} %"
