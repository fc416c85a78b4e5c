"""What a raw label means: which option of the answer key it stands for, or that nothing was answered."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psyirt.data.columns import listed
from psyirt.data.text import plain
from psyirt.errors import InputError

NA_LABELS = ("", "na", "n/a", "nan", "none", "null")
"""Labels read as "did not answer" (whatever their case) unless the key or the label map knows them as answers."""


@dataclass(frozen=True)
class LabelMap:
    """What every raw label means.

    Attributes
    ----------
    entries : mapping of str to str
        Raw label -> option, for the labels that are answers.
    options : tuple of str
        What an answer can be, sorted.
    unanswered : tuple of str
        Raw labels read as "did not answer".
    unexplained : tuple of str
        Raw labels that stand for no option.
    unused : tuple of str
        Labels that the caller's map names and that occur nowhere.
    origin : str
        ``"given"`` by the caller, ``"identity"`` (labels and options are the same words) or ``"prefix"`` (every
        label begins exactly one option, whatever the case).
    """

    entries: Mapping[str, str]
    options: tuple[str, ...]
    unanswered: tuple[str, ...]
    unexplained: tuple[str, ...]
    unused: tuple[str, ...]
    origin: str

    @property
    def sentence(self) -> str:
        """The map in words, for notes."""
        if self.origin == "identity":
            return f"labels are the options themselves ({listed(self.options)})"
        pairs = ", ".join(f"{label} -> {option}" for label, option in sorted(self.entries.items()) if label != option)
        how = "each label begins exactly one option" if self.origin == "prefix" else "given"
        unused = f"; in the map but nowhere in the labels: {listed(self.unused)}" if self.unused else ""
        return f"label map ({how}): {pairs}{unused}"

    @property
    def remedy(self) -> str:
        """How to explain labels that stand for no option (for an error message)."""
        example = self.unexplained[0] if self.unexplained else "LABEL"
        return (
            f"Give a label map such as {example}={self.options[0]} (options: {listed(self.options)}), name "
            "all options if the key does not show them all, or list the label in na_labels if it means unanswered"
        )


def explain_labels(
    found: Sequence[str],
    gold: Sequence[str],
    label_map: Mapping[str, str] | None = None,
    options: Sequence[str] | None = None,
    na_labels: Sequence[str] = NA_LABELS,
) -> LabelMap:
    """Find out what each label means.

    Parameters
    ----------
    found : sequence of str
        The distinct raw labels.
    gold : sequence of str
        The distinct gold labels.
    label_map : mapping of str to str, optional
        Raw label -> option. Labels it does not name must be options themselves. Without it a label is an option if
        it is the same word, or if it begins exactly one option (numbers never count as beginnings).
    options : sequence of str, optional
        Everything that can be answered; default: the gold labels and what `label_map` leads to.
    na_labels : sequence of str
        Labels that mean "did not answer".

    Returns
    -------
    LabelMap

    Raises
    ------
    InputError
        If there is no gold, a gold label is not among `options`, or the map leads to an unknown option.
    """
    given = {plain(label): plain(option) for label, option in (label_map or {}).items()}
    answers = _options(sorted(set(gold)), given, found, options)
    unanswerable = {plain(label).casefold() for label in na_labels}
    entries: dict[str, str] = {}
    unanswered: list[str] = []
    unexplained: list[str] = []
    for label in found:
        option = given.get(label, label if label in answers else None)
        begins = () if label_map is not None or not label else _begun_by(label, answers)
        not_answered = label.casefold() in unanswerable
        if option is not None:
            entries[label] = option
        elif not_answered and not begins:
            unanswered.append(label)
        elif len(begins) == 1 and not not_answered:
            entries[label] = begins[0]
        else:
            unexplained.append(label)
    origin = "given" if label_map is not None else "prefix" if any(k != v for k, v in entries.items()) else "identity"
    unused = tuple(sorted(set(given) - set(found)))
    return LabelMap(entries, answers, tuple(unanswered), tuple(unexplained), unused, origin)


def _options(
    gold: Sequence[str], given: Mapping[str, str], found: Sequence[str], options: Sequence[str] | None
) -> tuple[str, ...]:
    """What can be answered; a map that leads past the gold labels is refused where it looks like a slip."""
    if not gold and options is None:
        raise InputError("no item has gold", "", "Give gold= (a table with the columns item and gold)")
    if options is not None:
        reachable = {plain(option) for option in options}
        strangers = [label for label in gold if label not in reachable]
        if strangers:
            raise InputError(f"gold label {strangers[0]!r} is not among the options", "", f"Options: {listed(options)}")
    elif set(gold) <= {*given.values(), *found}:
        reachable = {*gold, *given.values()}
    else:
        # A misspelt option leaves its gold label unreached and would mark every such answer wrong; options that are
        # never gold are fine only while every gold label can be reached.
        reachable = set(gold)
    for label, option in given.items():
        if option not in reachable:
            near = difflib.get_close_matches(option, sorted(reachable), n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise InputError(
                f"the label map sends {label!r} to {option!r}, which is no option",
                "",
                f"{hint}Options: {listed(sorted(reachable))}; name all options if more can be answered",
            )
    return tuple(sorted(reachable))


def _begun_by(label: str, options: Sequence[str]) -> tuple[str, ...]:
    """The options that `label` begins, whatever the case; a number begins nothing ("1" is not "10")."""
    if label.replace(".", "", 1).replace("-", "", 1).isdigit():
        return ()
    folded = label.casefold()
    same = tuple(option for option in options if option.casefold() == folded)
    return same or tuple(option for option in options if option.casefold().startswith(folded))
