"""From a crowd's raw labels to what a scale is built from, with the words that tell what happened on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from psyirt.cli.screen import Screen, number
from psyirt.data.attention import AttentionRule, ScreeningResult
from psyirt.data.columns import listed
from psyirt.data.grading import Unanswered
from psyirt.data.label_map import NA_LABELS
from psyirt.data.labels import CrowdLabels
from psyirt.data.majority import against_gold, item_majorities
from psyirt.foundation.words import counted

if TYPE_CHECKING:
    from psyirt.data.responses import Responses

_WORKERS_SHOWN, _ITEMS_SHOWN = 30, 8
MEASURES = {
    "majority": "items with a majority",
    "supermajority": "items with more than two thirds",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
}


@dataclass(frozen=True)
class Reading:
    """How labels are read and graded: the options of ``CrowdLabels.grade``.

    Attributes
    ----------
    label_map : mapping of str to str or None
        Label -> option.
    options : sequence of str or None
        All that can be answered.
    na_labels : sequence of str
        Labels that mean "did not answer".
    unanswered : {"missing", "wrong"}
        What those count as.
    only_gold : bool
        Whether items without gold are left out.
    """

    label_map: Mapping[str, str] | None = None
    options: Sequence[str] | None = None
    na_labels: Sequence[str] = NA_LABELS
    unanswered: Unanswered = "missing"
    only_gold: bool = False


@dataclass(frozen=True, eq=False)
class Crowd:
    """A crowd, read, screened and graded.

    Attributes
    ----------
    labels : CrowdLabels
        All that was read.
    screening : ScreeningResult or None
        What the attention checks did; None without any.
    agreement : DataFrame
        Of the workers who stay; see ``CrowdLabels.agreement``.
    responses : Responses
        Their graded answers.
    majorities : DataFrame
        What most of them answered to each item; see ``psyirt.data.majority.item_majorities``.
    """

    labels: CrowdLabels
    screening: ScreeningResult[CrowdLabels] | None
    agreement: pd.DataFrame
    responses: Responses
    majorities: pd.DataFrame


def grade_crowd(labels: CrowdLabels, reading: Reading, attention: AttentionRule | None = None) -> Crowd:
    """Screen, measure agreement, grade.

    Parameters
    ----------
    labels : CrowdLabels
        With gold.
    reading : Reading
        How to read the labels.
    attention : AttentionRule, optional
        Attention checks; the workers who fail leave.

    Returns
    -------
    Crowd

    Raises
    ------
    InputError
        As ``CrowdLabels.screen`` and ``CrowdLabels.grade``.
    """
    words = {"options": reading.options, "na_labels": reading.na_labels}
    screening = None if attention is None else labels.screen(attention, reading.label_map, **words)  # type: ignore[arg-type]
    kept = labels if screening is None else screening.kept
    responses = kept.grade(
        reading.label_map,
        unanswered=reading.unanswered,
        only_gold=reading.only_gold,
        **words,  # type: ignore[arg-type]
    )
    agreement = kept.agreement(reading.label_map, **words)  # type: ignore[arg-type]
    majorities = item_majorities(kept, kept.explain(reading.label_map, **words))  # type: ignore[arg-type]
    return Crowd(labels, screening, agreement, responses, majorities)


def show_crowd(screen: Screen, crowd: Crowd) -> None:
    """Print what was read, who left, how the labels were graded and how far the crowd agrees."""
    screen.say(f"read: {crowd.labels!r}")
    screen.say(*(f"  {note}" for note in crowd.responses.notes))
    if crowd.screening is not None:
        show_screening(screen, crowd.screening)
    screen.say(f"graded: {crowd.responses!r}")
    screen.heading("Agreement")
    agreement = crowd.agreement.reset_index()
    agreement["measure"] = agreement["measure"].replace(MEASURES)
    lines = agreement.to_dict("records")
    rows = [(line["measure"], line["scope"], number(line["value"], 3)) for line in lines]
    screen.table(("measure", "of", "value"), rows, left=2)
    screen.say(*dict.fromkeys(f"note: {line['measure']}: {line['note']}" for line in lines if line["note"]))
    screen.say(*majority_lines(crowd.majorities))


def majority_lines(majorities: pd.DataFrame) -> list[str]:
    """One line that names the items whose majority is not the gold label: misjudged items, or a wrong key."""
    odd = against_gold(majorities)
    if odd.empty:
        return []
    names = [
        f"{item} (gold {row['gold']}, {row['majority_label'] or 'two labels with'} {row['majority_count']} of "
        f"{row['answers']}{'' if row['majority_label'] else ' each'})"
        for item, row in odd.iterrows()
    ]
    whose = counted(len(odd), "item whose most frequent answer is", "items whose most frequent answer is")
    return [f"{whose} not the gold label: {listed(names, _ITEMS_SHOWN)}"]


def show_screening(screen: Screen, screening: ScreeningResult[CrowdLabels]) -> None:
    """Print which workers fail the attention checks, and why."""
    removed, rule = screening.removed, screening.rule
    needed = f"{rule.min_correct}" if rule.min_correct is not None else f"{rule.min_share:.0%}"
    leave = counted(len(removed), "worker leaves", "workers leave")
    screen.heading(
        f"Attention checks ({counted(len(rule.items), 'item')}, {needed} right to pass): {leave}, "
        f"{counted(len(screening.kept.worker_names), 'stays', 'stay')}"
    )
    screen.say(*(f"  {worker}: {row['reason']}" for worker, row in removed.head(_WORKERS_SHOWN).iterrows()))
    if len(removed) > _WORKERS_SHOWN:
        screen.say(f"  and {len(removed) - _WORKERS_SHOWN} more")
