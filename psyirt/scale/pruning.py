"""The pruning loop: fit, flag, remove, refit, until nothing is flagged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from psyirt.data.responses import Responses
from psyirt.errors import InputError, PsyirtWarning
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.foundation.words import counted
from psyirt.models.item_types import ItemType
from psyirt.results.calibration import Calibration
from psyirt.scale.evidence import Evidence
from psyirt.scale.options import BuildOptions
from psyirt.scale.rules import Flag, Rule

Estimator = Callable[..., Calibration]

# doubts of earlier fits that are told word for word
_TOLD = 2


@dataclass(frozen=True, eq=False)
class Pruned:
    """What pruning left of a group of items.

    Attributes
    ----------
    candidates : int
        Items that vary: those that a rule could have kept.
    history : tuple of (int, Flag)
        What left, with the round.
    first_calibration : Calibration or None
        The fit of all candidates; None where it was not possible.
    evidence : Evidence or None
        The last fit, with the statistics the rules read.
    reasons : tuple of str
        Why pruning could not go on, if it could not.
    notes : tuple of str
        What the statistics, the rules and the fits had to say.
    """

    candidates: int
    history: tuple[tuple[int, Flag], ...]
    first_calibration: Calibration | None
    evidence: Evidence | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def calibration(self) -> Calibration | None:
        """The last fit."""
        return None if self.evidence is None else self.evidence.calibration


def prune(
    name: str,
    responses: Responses,
    kinds: Mapping[str, ItemType],
    rules: Sequence[Rule],
    options: BuildOptions,
    fit: Estimator,
    progress: Progress,
) -> Pruned:
    """Fit, flag, remove, refit. In each round the first rule that flags anything decides what leaves.

    Parameters
    ----------
    name : str
        The group, for progress.
    responses : Responses
        Its responses.
    kinds : mapping of item to ItemType
        2PL or 3PL.
    rules : sequence of Rule
        In the order they are asked.
    options : BuildOptions
        Adjustment, share of complete rows, fit options.
    fit : callable
        The estimator.
    progress : callable
        Receives an event per round.

    Returns
    -------
    Pruned
    """
    remaining, constant = list(responses.item_names), 0
    history: list[tuple[int, Flag]] = []
    first: Calibration | None = None
    evidence: Evidence | None = None
    reasons: list[str] = []
    doubts: list[tuple[str, ...]] = []
    for iteration in count(1):
        progress(ProgressEvent(f"{name}: pruning", iteration, None, f"{len(remaining)} items"))
        chosen = {item: kinds[item] for item in remaining}
        start = None if evidence is None else evidence.calibration
        try:
            calibration, said = quiet_fit(
                fit, responses.select(items=remaining), chosen, start=start, options=options.mml
            )
        except InputError as error:
            reasons.append(f"after {len(responses.item_names) - len(remaining)} removals: {error}")
            break
        doubts.append(said)
        first = calibration if first is None else first
        evidence = Evidence(calibration, options.adjust, options.min_complete_share)
        apart = [Flag(item, "constant item", np.nan, np.nan, why) for item, why in calibration.set_aside.items()]
        flags = next((found for found in (rule(evidence) for rule in rules) if found), [])
        history += [(iteration, flag) for flag in (*apart, *flags)]
        constant += len(apart)
        gone = {flag.item for flag in (*apart, *flags)}
        remaining = [item for item in remaining if item not in gone]
        candidates = len(responses.item_names) - constant
        if not flags:
            break
        if candidates - len(remaining) > options.max_removed_share * candidates:
            reasons.append(
                f"{candidates - len(remaining)} of {candidates} items had to leave: one ability does not fit the group "
                "(pruning stopped there)"
            )
            break
    notes = [] if evidence is None else evidence.notes
    return Pruned(
        candidates=len(responses.item_names) - constant,
        history=tuple(history),
        first_calibration=first,
        evidence=evidence,
        reasons=tuple(reasons),
        notes=(*notes, *_fit_notes(doubts)),
    )


def quiet_fit(
    fit: Estimator, responses: Responses, model: Any, **arguments: Any
) -> tuple[Calibration, tuple[str, ...]]:
    """A fit, and psyirt's warnings as text: in a build they belong to a group and a round, not to a line of code.

    Parameters
    ----------
    fit : callable
        The estimator.
    responses, model, **arguments
        What it takes.

    Returns
    -------
    tuple of (Calibration, tuple of str)
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PsyirtWarning)
        calibration = fit(responses, model, **arguments)
    for warning in caught:
        if not issubclass(warning.category, PsyirtWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, PsyirtWarning)]
    return calibration, tuple(dict.fromkeys(said))


def _fit_notes(doubts: Sequence[tuple[str, ...]]) -> list[str]:
    """What the last fit said; of earlier fits what it no longer says, with the round."""
    if not doubts:
        return []
    *earlier, last = doubts
    past: dict[str, int] = {}
    for iteration, said in enumerate(earlier, start=1):
        past |= {text: iteration for text in said if text not in past and text not in last}
    told = [f"the fit of round {iteration} said: {text}" for text, iteration in list(past.items())[:_TOLD]]
    more = len(past) - len(told)
    return [*last, *told, *([f"earlier fits said {counted(more, 'thing')} more"] if more else [])]
