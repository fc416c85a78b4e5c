"""Scores for people: a line on the scale's quality, a table with the baselines, a sentence for each system."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from psyirt.cli.predictions import Predictions
from psyirt.cli.scoring import ScaleScores, ScoringOptions, sentence
from psyirt.cli.screen import Screen, number, percent
from psyirt.foundation.words import counted

HEADER = (
    "system", "theta", "SE", "95 %", "percentile", "95 %", "crowd", "right", "accuracy", "95 %", "no answer",
)  # fmt: skip
_ABILITY_COLUMNS = 7
_COUNTS = ("correct", "answered", "non_answers")
# beyond so many systems the sentences only repeat the table; the JSON document has them all the same
_MOST_SENTENCES = 10
LEGEND = (
    "percentile: of the people the scale describes, averaged over what is uncertain about theta; crowd: share of the "
    "people it was built on who score lower, ties counted half; baselines in parentheses"
)


def show_scores(screen: Screen, all_scores: Sequence[ScaleScores], options: ScoringOptions) -> None:
    """Print how the answers were read, and every scale's scores.

    Parameters
    ----------
    screen : Screen
        Where to.
    all_scores : sequence of ScaleScores
        The scores.
    options : ScoringOptions
        How they came about.
    """
    notes = dict.fromkeys(note for scores in all_scores for note in scores.notes)
    screen.say(*(f"  {note}" for note in notes))
    for scores in all_scores:
        _show_scale(screen, scores, options)
    screen.say("", LEGEND)


def _show_scale(screen: Screen, scores: ScaleScores, options: ScoringOptions) -> None:
    """One scale's scores."""
    screen.heading(f"{scores.scale.name}: {quality_line(scores)}")
    if scores.absent:
        screen.say(f"  {counted(len(scores.absent), 'item')} absent from the file: {options.absent}")
    screen.table(HEADER, _rows(scores, options), split=_ABILITY_COLUMNS)
    if len(scores.table) <= _MOST_SENTENCES:
        screen.say(*(f"  {sentence(str(name), row, options.non_answer)}" for name, row in scores.table.iterrows()))
    screen.say(*(f"  ({name}): {row['note']}" for name, row in scores.baselines.iterrows() if row["note"]))


def quality_line(scores: ScaleScores) -> str:
    """What the scale can tell apart, in one line."""
    quality = scores.scale.quality
    crowd = scores.scale.crowd
    reliability = quality.empirical_reliability
    parts = [
        counted(quality.n_items, "item"),
        "no crowd" if crowd is None else counted(crowd.n, "person", "people"),
        f"reliability {number(quality.marginal_reliability if math.isnan(reliability) else reliability)}",
        f"attainable theta {quality.theta_low:.2f} to {quality.theta_high:.2f}",
    ]
    if quality.n_complete:
        parts.append(
            f"{percent(quality.at_ceiling, 1)} of the crowd at the ceiling, {percent(quality.at_floor, 1)} at the floor"
        )
    return ", ".join(parts)


def _rows(scores: ScaleScores, options: ScoringOptions) -> Iterator[Sequence[str] | None]:
    """The systems, a line, the baselines."""
    for name, row in scores.table.iterrows():
        yield _cells(str(name), row, options.non_answer)
    yield None
    for name, row in scores.baselines.iterrows():
        yield _cells(f"({name})", row, options.non_answer)


def _cells(name: str, row: pd.Series, non_answer: str) -> tuple[str, ...]:
    """One line of the table; what is right is told of the items that the accuracy counts."""
    counting = row["answered"] + (row["non_answers"] if non_answer == "wrong" else 0)
    return (
        name,
        number(row["theta"]),
        number(row["se"]),
        _interval(row["lower"], row["upper"], 2),
        number(row["percentile"], 0),
        _interval(row["percentile_low"], row["percentile_high"], 0, "-"),
        f"{row['at_ceiling']} {number(row['crowd_percentile'], 0)}".strip(),
        f"{_count(row['correct'])}/{counting:g}",
        number(row["accuracy"]),
        _interval(row["accuracy_low"], row["accuracy_high"], 2, "-"),
        _count(row["non_answers"]),
    )


def _count(value: float) -> str:
    """A number of items; means over random answerers are no whole numbers."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"


def _interval(low: float, high: float, digits: int, between: str = ", ") -> str:
    """Two bounds as a range; no dash where a minus sign may follow it."""
    return "-" if math.isnan(low) or math.isnan(high) else f"{number(low, digits)}{between}{number(high, digits)}"


def scores_table(all_scores: Sequence[ScaleScores]) -> pd.DataFrame:
    """Systems and baselines on all scales.

    Returns
    -------
    DataFrame, index (scale, kind, name)
        Kind is "system" or "baseline"; the columns of ``Scale.score``, counts as whole numbers.
    """
    parts = {
        (scores.scale.name, kind): table.drop(columns="note", errors="ignore").rename_axis("name")
        for scores in all_scores
        for kind, table in (("system", scores.table), ("baseline", scores.baselines))
    }
    table = pd.concat(parts, names=["scale", "kind"])
    return table.assign(**{name: _whole(table[name]) for name in _COUNTS})


def _whole(counts: pd.Series) -> pd.Series:
    """Counts as whole numbers, but for what random answerers have right on average."""
    cells = [int(count) if float(count).is_integer() else float(count) for count in counts]
    return pd.Series(cells, index=counts.index, dtype="int64" if all(isinstance(c, int) for c in cells) else object)


def scores_document(
    all_scores: Sequence[ScaleScores], options: ScoringOptions, predictions: Predictions
) -> dict[str, Any]:
    """The scores for programs."""
    return {
        "read_as": predictions.how,
        "items_on_no_scale": predictions.unknown,
        "options": asdict(options),
        "scales": {scores.scale.name: _scale_document(scores, options) for scores in all_scores},
    }


def _scale_document(scores: ScaleScores, options: ScoringOptions) -> dict[str, Any]:
    """One scale's scores for programs."""
    return {
        "quality": asdict(scores.scale.quality),
        "absent_items": scores.absent,
        "notes": scores.notes,
        "systems": scores.table,
        "sentences": [sentence(str(name), row, options.non_answer) for name, row in scores.table.iterrows()],
        "baselines": scores.baselines,
    }
