"""``--threshold RULE.FIELD=VALUE``: a preset's rules and the build's options with fields of one's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from psyirt.errors import InputError
from psyirt.scale.options import BuildOptions
from psyirt.scale.rules import Rule

OPTION = "--threshold"
SCALE = "scale"


def with_thresholds(
    rules: Sequence[Rule], options: BuildOptions, given: Mapping[str, str]
) -> tuple[tuple[Rule, ...], BuildOptions]:
    """Rules and options with the given fields.

    Parameters
    ----------
    rules : sequence of Rule
        A preset's rules; each goes by its name up to a parenthesis, with hyphens: "too-flat", "poor-fit".
    options : BuildOptions
        Go by the name "scale".
    given : mapping of str to str
        "too-flat.min_communality" -> "0.15".

    Returns
    -------
    tuple of (tuple of Rule, BuildOptions)

    Raises
    ------
    InputError
        If a rule or a field is unknown, or a value is not of the field's kind.
    """
    targets: dict[str, Any] = {short_name(rule): rule for rule in rules} | {SCALE: options}
    for place, text in given.items():
        name, _, field = place.partition(".")
        if name not in targets:
            raise InputError(f"no rule is called {name!r}", OPTION, f"Known: {', '.join(targets)}")
        targets[name] = _with_field(targets[name], name, field, text)
    return tuple(targets[short_name(rule)] for rule in rules), targets[SCALE]


def short_name(rule: Rule) -> str:
    """``poor fit (S-X2)`` -> ``poor-fit``."""
    return rule.name.partition(" (")[0].replace(" ", "-")


def _with_field(target: Any, name: str, field: str, text: str) -> Any:
    """A frozen object with one field replaced; its own checks apply."""
    known = {
        each.name: getattr(target, each.name)
        for each in dataclasses.fields(target)
        if isinstance(getattr(target, each.name), (bool, int, float))
    }
    if field not in known:
        raise InputError(f"{name!r} has no threshold {field!r}", OPTION, f"Known: {', '.join(known)}")
    return dataclasses.replace(target, **{field: _value(text, known[field], f"{name}.{field}")})


def _value(text: str, now: bool | int | float, place: str) -> bool | int | float:
    """A text as the kind of value that the field holds now."""
    if isinstance(now, bool):
        if text.casefold() in ("true", "false"):
            return text.casefold() == "true"
        raise InputError(f"{text!r} is neither true nor false", f"{OPTION} {place}", "Write true or false")
    try:
        return int(text) if isinstance(now, int) else float(text)
    except ValueError:
        kind = "whole number" if isinstance(now, int) else "number"
        raise InputError(f"{text!r} is no {kind}", f"{OPTION} {place}", f"It is {now} by default") from None
