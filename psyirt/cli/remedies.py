"""Messages as the command line needs them: where the library names a keyword of Python, the flag of the command."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

from typer.models import OptionInfo

from psyirt.errors import PsyirtError, one_line

# how the library's messages name keywords: gold=, encoding='latin-1', only_gold=True, min_correct=7
_KEYWORD = re.compile(
    r"""(?<![\w'"=.\-])(?P<name>[a-z][a-z_]*)=(?:True\b|'(?P<text>[^']*)'|(?P<number>-?\d[\d.]*\d|\d)(?!\w)|(?![\w'"{\[=]))"""
)
FLAGS = {
    name: "--" + name.replace("_", "-")
    for name in (
        "adjust", "delimiter", "encoding", "force", "format", "gold", "ignore", "label_map", "max_iterations",
        "memory", "missing", "na_labels", "only_gold", "options", "population", "seed", "tolerance", "workers",
    )
} | {"min_correct": "--attention-correct", "min_share": "--attention-share"}  # fmt: skip
_ROWS = ("subject", "worker", "system")
COLUMNS = ("subject", "worker", "item", "label", "response")
# functions and classes whose arguments the commands take as options; their messages begin "tolerance is -1"
_PYTHON_PLACES = ("BuildOptions", "MMLOptions", "build_scale", "simulation")
_ROW_PLACE = re.compile(r"(^|, )(?:worker|subject) '")
_VALUE = re.compile(r"(?P<name>[a-z_]+)(?= is )")
# what the library says with names that are no keywords of the command at hand
PHRASES = {
    "force=True (--force on the command line)": "force=True",
    "MMLOptions(max_iterations=)": "max_iterations=",
    "read labels with read_labels and grade": "grade labels with psyirt build",
    "read it with read_labels and grade it": "give it to psyirt build, with its gold",
    "Graded responses: use read_responses": "Graded responses: use psyirt fit",
    "; remove them with select() if they should not": "",
}
# remedies that some commands have a flag for: what the library says, the flag, what the command says; without the flag
# they are said to be Python's
FLAG_PHRASES = (
    (
        "Give a prior on a, e.g. priors={'a': psyirt.priors.LogNormal(0, 0.5)}",
        "--slope-prior",
        "Give --slope-prior 0,0.5",
    ),
    ("Raise max_iterations=, or give priors", "--slope-prior", "Raise --max-iterations, or give --slope-prior"),
    ("MMLOptions(grid=Grid(201, -20, 20))", "--grid", ""),
    ("MMLOptions(grid=Grid(count, low, high))", "--grid", ""),
    ("with latent_variance=", "--latent-variance", ""),
    ("adaptive=True", "--adaptive", ""),
)
# where the rows are systems, the library's workers and subjects are these
SYSTEM_PHRASES = {
    f"{before}{kind}{after}": f"{before}system{after}"
    for kind in ("worker", "subject")
    for before, after in (
        ("", " '"), ("(", ", item)"), ("for each ", ""), ("no ", " is named"), ("Name the ", " in every row"),
        ("each ", " and item"), ("the ", "s' names"), ("Call it '", "'"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Vocabulary:
    """The words of one command.

    Attributes
    ----------
    flags : collection of str
        Its flags, such as ``--encoding``.
    columns : collection of str
        What its ``--columns`` can name, such as ``worker``.
    """

    flags: Collection[str] = ()
    columns: Collection[str] = ()

    def said(self, text: str) -> str:
        """A message's text with this command's flags in place of Python's keywords.

        A keyword or an option object the command has no flag for is left, and said to be Python's.
        """
        for phrase, other in (PHRASES | (SYSTEM_PHRASES if "system" in self.columns else {})).items():
            text = text.replace(phrase, other)
        for phrase, flag, other in FLAG_PHRASES:
            text = text.replace(phrase, other if flag in self.flags else f"{phrase} in Python")
        return _KEYWORD.sub(self._flag, text)

    def line(self, error: PsyirtError) -> str:
        """An error as one line in this command's words."""
        cause, place = error.cause, error.place
        if place in _PYTHON_PLACES:
            value = _VALUE.match(cause)
            cause = f"{value['name']}={cause[value.end() :]}" if value and value["name"] in FLAGS else cause
            place = ""
        return one_line(self.said(cause), self._placed(place), self.said(error.remedy))

    def _placed(self, place: str) -> str:
        """A place with this command's word for the rows; nothing else of it is touched, as files may be called so."""
        return _ROW_PLACE.sub(r"\1system '", place) if "system" in self.columns else place

    def _flag(self, found: re.Match[str]) -> str:
        """What stands for one keyword."""
        name, text, number = found["name"], found["text"], found["number"]
        value = number if text is None else text
        if name in COLUMNS and self.columns:
            rows = next((word for word in self.columns if word in _ROWS), name)
            name = rows if name in _ROWS else name
            if name in self.columns:
                return f"--columns {name}={'COLUMN' if value is None else value}"
        elif FLAGS.get(name) in self.flags:
            return FLAGS[name] if value is None else f"{FLAGS[name]} {value}"
        return f"{found[0]} in Python" if name in FLAGS or name in COLUMNS else found[0]


def vocabulary_of(command: Callable[..., Any], columns: Collection[str] = ()) -> Vocabulary:
    """The words of a command.

    Parameters
    ----------
    command : callable
        The function behind a sub-command, its options annotated for typer.
    columns : collection of str
        What its ``--columns`` can name.

    Returns
    -------
    Vocabulary
    """
    return Vocabulary(frozenset(_flags_of(command)), columns)


def _flags_of(command: Callable[..., Any]) -> Iterator[str]:
    """The flags in a function's annotations."""
    for hint in get_type_hints(command, include_extras=True).values():
        for note in getattr(hint, "__metadata__", ()):
            if isinstance(note, OptionInfo):
                # in an annotation typer keeps the first flag where a default would stand
                names = (note.default, *(note.param_decls or ()))
                yield from (flag for text in names if isinstance(text, str) for flag in text.split("/"))
