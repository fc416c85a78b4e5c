"""Systems on a scale: grading with the scale's key, scores, baselines, and a sentence for each system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from psyirt.cli.predictions import Predictions
from psyirt.data.label_map import NA_LABELS
from psyirt.data.predictions import NonAnswer, grade_predictions
from psyirt.data.response_source import MISSING
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.foundation.arguments import require_word
from psyirt.foundation.words import counted
from psyirt.scale.scale import Scale
from psyirt.scale.scoring import PopulationChoice
from psyirt.scoring.abilities import METHODS

Absent = Literal["error", "wrong", "skip"]

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class ScoringOptions:
    """How systems are graded and scored.

    Attributes
    ----------
    method : {"EAP", "MAP", "ML", "WLE"}
        See ``Scale.score``.
    non_answer : {"wrong", "missing"}
        What a refusal, a text that is no option or an empty cell counts as.
    absent : {"error", "wrong", "skip"}
        What happens to items of a scale that are nowhere in the file: an error, a non-answer of every system, or the
        scale is shortened to the items that are there.
    population : {"normal", "histogram"}
        The people that percentiles speak of; see ``Scale.score``.
    label_map, options, na_labels
        See ``psyirt.data.predictions.grade_predictions``; `options` defaults to the scale's label set.
    """

    method: str = "EAP"
    non_answer: NonAnswer = "wrong"
    absent: Absent = "error"
    population: str = "normal"
    label_map: Mapping[str, str] | None = None
    options: Sequence[str] | None = None
    na_labels: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Refuse words that nothing is done with, before any file is read."""
        METHODS[self.method]
        for option, value, choices in (
            ("--non-answer", self.non_answer, NonAnswer),
            ("--absent", self.absent, Absent),
            ("--population", self.population, PopulationChoice),
        ):
            require_word(value, choices, option)


@dataclass(frozen=True, eq=False)
class ScaleScores:
    """Systems on one scale.

    Attributes
    ----------
    scale : Scale
        The scale.
    table : DataFrame, index ``system``
        The columns of ``Scale.score``.
    baselines : DataFrame, index ``baseline``
        On the same items, by the same method; see ``Scale.baselines``.
    absent : tuple of str
        Items of the scale that are nowhere in the file.
    notes : tuple of str
        How the answers were read.
    """

    scale: Scale
    table: pd.DataFrame
    baselines: pd.DataFrame
    absent: tuple[str, ...]
    notes: tuple[str, ...]


def score_on(scale: Scale, predictions: Predictions, options: ScoringOptions | None = None) -> ScaleScores:
    """Score all systems of a file on one scale.

    Parameters
    ----------
    scale : Scale
        Some of its items are in the file.
    predictions : Predictions
        The file.
    options : ScoringOptions, optional
        How.

    Returns
    -------
    ScaleScores

    Raises
    ------
    InputError
        If items of the scale are absent from the file and ``options.absent`` is "error", the scale has no key and the
        file holds labels, or no label is an answer.
    """
    options = options or ScoringOptions()
    there = set(predictions.item_names)
    absent = tuple(name for name in scale.item_names if name not in there)
    if absent and options.absent == "error":
        are = "is" if len(absent) == 1 else "are"
        raise InputError(
            f"{len(absent)} of {counted(len(scale.item_names), 'item')} {are} not in the file, "
            f"the first is {absent[0]!r}",
            f"scale {scale.name!r}",
            "Complete the file, or give --absent wrong (no system answered them) or --absent skip (not presented)",
        )
    presented = [name for name in scale.item_names if name in there or options.absent == "wrong"]
    if predictions.labels is not None:
        responses, notes = _graded_labels(scale, predictions, presented, options)
    else:
        responses, notes = _widened(predictions.graded, presented), ()
    table = scale.score(responses, options.method, options.non_answer, population=options.population)
    baselines = scale.baselines(method=options.method, population=options.population, items=presented)
    return ScaleScores(scale, table.rename_axis("system"), baselines, absent, notes)


def _graded_labels(
    scale: Scale, predictions: Predictions, presented: Sequence[str], options: ScoringOptions
) -> tuple[Responses, tuple[str, ...]]:
    """Labels graded with the scale's key; non-answers stay missing here, so that the scale counts them."""
    labels = predictions.labels
    assert labels is not None
    keyless = [name for name in presented if name not in scale.key]
    if keyless:
        raise InputError(
            f"{counted(len(keyless), 'item has', 'items have')} no answer key, the first is {keyless[0]!r}",
            f"scale {scale.name!r}",
            "Give graded answers (0, 1)",
        )
    graded = grade_predictions(
        labels.select(items=[name for name in presented if name in set(labels.item_names)]),
        scale.key,
        label_map=options.label_map,
        options=options.options or scale.label_set or None,
        non_answer="missing",
        na_labels=NA_LABELS if options.na_labels is None else options.na_labels,
        presented=presented,
    )
    notes = tuple(note for note in graded.responses.notes if not note.endswith("count as missing"))
    return graded.responses, notes


def _widened(graded: Responses | None, presented: Sequence[str]) -> Responses:
    """Graded answers to the presented items; those that nobody has a column for are missing."""
    assert graded is not None
    place = {name: k for k, name in enumerate(graded.item_names)}
    codes = np.full((graded.shape[0], len(presented)), MISSING, dtype=np.int8)
    for column, name in enumerate(presented):
        if name in place:
            codes[:, column] = graded.codes[:, place[name]]
    return Responses(codes, graded.subject_names, tuple(presented))


def sentence(system: str, row: pd.Series, non_answer: str = "wrong") -> str:
    """One system's result in words.

    Parameters
    ----------
    system : str
        Its name.
    row : Series
        Its row of ``Scale.score``.
    non_answer : {"wrong", "missing"}
        What its non-answers counted as.

    Returns
    -------
    str
        Such as "bert: theta 0.42, about 66th percentile of people, interval 40-86, two items from the ceiling".
    """
    if not math.isfinite(row["theta"]):
        return f"{system}: no finite theta by this method, {_ending(row, non_answer)}"
    theta = f"theta {row['theta']:.2f}"
    low, high = row["percentile_low"], row["percentile_high"]
    interval = "" if math.isnan(low + high) else f", interval {low:.0f}-{high:.0f}"
    return f"{system}: {theta}, {_percentile(row['percentile'])}{interval}, {_ending(row, non_answer)}"


def _percentile(value: float) -> str:
    """A percentile in words."""
    if value >= 99.5:
        return "above the 99th percentile of people"
    if value < 0.5:
        return "below the 1st percentile of people"
    return f"about {ordinal(round(value))} percentile of people"


def _ending(row: pd.Series, non_answer: str) -> str:
    """How far from the scale's ends, and what was not answered."""
    silent = int(row["non_answers"])
    wrong = int(row["answered"] - row["correct"]) + (silent if non_answer == "wrong" else 0)
    if row["at_ceiling"] == ">=":
        text = "at the ceiling: every item right, the ability may be higher"
    elif row["at_ceiling"] == "<=":
        text = "at the floor: every item wrong, the ability may be lower"
    elif wrong == 0:
        text = "nothing answered"
    else:
        text = f"{counting(wrong)} {'item' if wrong == 1 else 'items'} from the ceiling"
    return text + (f" ({counting(silent)} not answered, counted as {non_answer})" if silent else "")


def counting(number: int) -> str:
    """A number as a word up to ten."""
    return _WORDS[number] if number < len(_WORDS) else str(number)


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st ..."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
