"""What a raw label means: which option of the answer key it stands for, or that nothing was answered."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psyirt.data.columns import listed
from psyirt.data.text import is_number, plain
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
        """How to explain labels that stand for no option (for an error message); no meaning is made up for them."""
        guessed = self._guessed
        if not guessed and not self.entries:
            known = f"options: {listed(self.options)}"
            return (
                f"Say what the labels mean with label_map= ({known}), or list them in na_labels= if they are no answers"
            )
        if guessed:
            map_text = ",".join(f"{label}={option}" for label, option in guessed.items())
            return f"Give label_map= as in {map_text}, or list {self.unexplained[0]!r} in na_labels= if it is no answer"
        label = self.unexplained[0]
        begins = begun_by(label, self.options)
        why = (
            f"{label!r} begins {listed(begins)}: say which with label_map="
            if begins
            else f"The answer key does not mention an answer for {label!r} (options: {listed(self.options)}): name all "
            "that can be answered with options=, say what the label means with label_map="
        )
        return f"{why}, or list it in na_labels= if it is no answer"

    @property
    def _guessed(self) -> dict[str, str]:
        """A map of all labels that begin exactly one option, if it explains them all and reaches every option."""
        begun = {label: begun_by(label, self.options) for label in self.unexplained}
        if not begun or any(len(options) != 1 for options in begun.values()):
            return {}
        whole = {**self.entries, **{label: options[0] for label, options in begun.items()}}
        return {k: v for k, v in whole.items() if k != v} if set(whole.values()) == set(self.options) else {}


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
        Labels that mean "did not answer", whatever their case. Those of :data:`NA_LABELS`, where all of them are
        given, yield to the key and the map; any other must not be an answer too.

    Returns
    -------
    LabelMap

    Raises
    ------
    InputError
        If there is no gold, a gold label is not among `options`, the map leads to an unknown option, or a label is
        given as an answer and in `na_labels`.
    """
    given = {plain(label): plain(option) for label, option in (label_map or {}).items()}
    answers = _options(sorted(set(gold)), given, found, options)
    _refuse_both(answers, given, na_labels)
    unanswerable = {plain(label).casefold() for label in na_labels}
    entries: dict[str, str] = {}
    unanswered: list[str] = []
    unexplained: list[str] = []
    for label in found:
        option = given.get(label, label if label in answers else None)
        begins = () if label_map is not None or not label else begun_by(label, answers)
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
    elif set(gold) <= {*given.values(), *(label for label in found if label not in given)}:
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
                f"{hint}Options: {listed(sorted(reachable))}; name all with options= if more can be answered",
            )
    return tuple(sorted(reachable))


def _refuse_both(options: Sequence[str], given: Mapping[str, str], na_labels: Sequence[str]) -> None:
    """Refuse a label that the caller lists as no answer while it is an option, or the map gives it a meaning."""
    listed_labels = {plain(label).casefold() for label in na_labels}
    usual = set(NA_LABELS)
    own = listed_labels - usual if usual <= listed_labels else listed_labels
    for label in (*given, *options):
        if label.casefold() in own:
            what = f"the label map reads it as {given[label]!r}" if label in given else "it is what can be answered"
            raise InputError(
                f"label {label!r} is in na_labels= as no answer, and {what}", "",
                "Leave it out of na_labels=, or take the answer away",
            )  # fmt: skip


def begun_by(label: str, options: Sequence[str]) -> tuple[str, ...]:
    """The options that `label` begins, whatever the case; a number begins nothing ("1" is not "10")."""
    if is_number(label):
        return ()
    folded = label.casefold()
    same = tuple(option for option in options if option.casefold() == folded)
    return same or tuple(option for option in options if option.casefold().startswith(folded))
