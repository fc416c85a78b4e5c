"""Arguments that several commands share, and how their texts are taken apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from psyirt.errors import InputError

JsonOption = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout; text for people goes to stderr.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
LabelMapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--label-map",
        metavar="LABEL=OPTION,...",
        help="What each label stands for, e.g. e=entailment,n=neutral. Not needed where labels are the options "
        "themselves or begin exactly one of them.",
    ),
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--options", metavar="OPTION,...", help="All that can be answered, where the key does not show it."),
]
NaLabelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--na-labels",
        metavar="LABEL,...",
        help="Labels that mean 'did not answer', beside the empty one (default: na, n/a, nan, none, null).",
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option("--columns", metavar="WHAT=COLUMN,...", help="Columns that are not recognised by their names."),
]
EncodingOption = Annotated[str | None, typer.Option("--encoding", help="Of the text files (default: UTF-8).")]


def pairs(texts: Sequence[str] | None, option: str) -> dict[str, str] | None:
    """``["e=entailment,n=neutral", "c=contradiction"]`` as a mapping.

    Parameters
    ----------
    texts : sequence of str or None
        What the option was given, each text one or more ``KEY=VALUE`` with commas between them.
    option : str
        The option's name, for messages.

    Returns
    -------
    dict or None
        None if the option was not given.

    Raises
    ------
    InputError
        If a part has no ``=``, no key or no value, or a key is given twice.
    """
    if texts is None:
        return None
    found: dict[str, str] = {}
    for part in words(texts, option) or ():
        _add(found, part, option)
    return found


def mean_and_sd(text: str | None, option: str) -> tuple[float, float] | None:
    """``"0,0.5"`` as two numbers; None if the option was not given.

    Raises
    ------
    InputError
        If it is something else; whether a prior can have them is the prior's to say.
    """
    if text is None:
        return None
    try:
        mean, sd = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{text!r} is not of the form MEAN,SD", option, "Write for example 0,0.5") from None
    return mean, sd


def reasons(texts: Sequence[str] | None, option: str) -> dict[str, str] | None:
    """``["q7=key was wrong, see mail"]`` as a mapping: one ``KEY=TEXT`` each, commas belonging to the text."""
    if texts is None:
        return None
    found: dict[str, str] = {}
    for text in texts:
        _add(found, text, option)
    return found


def words(texts: Sequence[str] | None, option: str) -> list[str] | None:
    """``["a,b", "c"]`` as ``["a", "b", "c"]``; None if the option was not given, InputError for an empty one."""
    if texts is None:
        return None
    parts = [part.strip() for text in texts for part in text.split(",")]
    if not all(parts):
        raise InputError(f"an empty name in {','.join(texts)!r}", option, "Put one comma between two names")
    return parts


def na_words(texts: Sequence[str] | None) -> list[str] | None:
    """``--na-labels`` taken apart; the empty label, which cannot be written there, always means 'did not answer'."""
    found = words(texts, "--na-labels")
    return None if found is None else ["", *found]


def columns(texts: Sequence[str] | None, known: Iterable[str]) -> dict[str, str]:
    """``--columns`` as keyword arguments of a reader; a word outside `known` is refused."""
    given = pairs(texts, "--columns") or {}
    strangers = [name for name in given if name not in set(known)]
    if strangers:
        raise InputError(f"{strangers[0]!r} is no kind of column", "--columns", f"Known: {', '.join(known)}")
    return given


def refuse_idle(given: object, option: str, needs: str) -> None:
    """Refuse an option that would have no effect.

    Raises
    ------
    InputError
        If `given` is neither None, False nor an empty list.
    """
    if given is not None and given is not False and given != []:
        raise InputError("has no effect alone", option, f"Give {needs} too, or leave it out")


def refuse_existing(path: Path | None, force: bool) -> None:
    """Refuse to overwrite a file, before any work is done.

    Raises
    ------
    InputError
        If `path` exists and `force` is false, it is a folder, or its folder (for a link: that of the file it points to)
        is absent.
    """
    if path is None:
        return
    if path.is_dir():
        raise InputError("is a folder", str(path), "Name a file")
    if path.exists() and not force:
        raise InputError("already exists", str(path), "Name another file, or give --force to replace it")
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InputError("its folder does not exist", str(path), "Make the folder first, or name another file")


def refuse_same(paths: Mapping[str, Path | None]) -> None:
    """Refuse two results that would be written to one file, before any work is done.

    Parameters
    ----------
    paths : mapping of str to path or None
        Option -> the file it names; None where it was not given.

    Raises
    ------
    InputError
        If two name the same file, whatever the way there.
    """
    taken: dict[str, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise InputError(f"names the same file as {taken[real]}", f"{option} {path}", "Name another file")
        taken[real] = option


def _add(found: dict[str, str], part: str, option: str) -> None:
    key, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not key or not value:
        raise InputError(f"{part!r} is not of the form NAME=VALUE", option, "Write for example e=entailment")
    if key in found:
        raise InputError(f"{key!r} is given twice", option, "Give it once")
    found[key] = value
