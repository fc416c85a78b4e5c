"""Which items stay, beside which stayed."""

from __future__ import annotations

import pandas as pd

from validation.lalor2016 import printed
from validation.lalor2016.charts import retained_chart
from validation.lalor2016.explain import LEVEL, step_name
from validation.lalor2016.html_parts import (
    Markup,
    bullets,
    element,
    figure,
    figures,
    paragraph,
    section,
    table,
    verdict,
)
from validation.lalor2016.inputs import GROUPS, Study
from validation.lalor2016.outcome import Outcome
from validation.lalor2016.paths import Step, authors_step
from validation.lalor2016.retained import PRESETS, Choice
from validation.lalor2016.svg import render

NAMES = {"lalor2016": "the paper's rules", "default": "psyirt's defaults"}
_LETTERS = {"too flat": "F", "poor fit (S-X2)": "S", "local dependence (LD-X2)": "L", "negative discrimination": "N"}
_AUTHORS_LETTERS = ("F", "S", "L", "E")


def parts(outcome: Outcome) -> list[Markup]:
    """Pictures, overlaps, every difference explained, the authors' way replayed."""
    choices = outcome.retained.choices
    return [
        section("Items kept, ours beside theirs", "retained"),
        paragraph(
            "Each class was pruned with the paper's rules (communality below .15, S-X2 with Holm's correction, "
            "standardized LD-X2 above 10; refit after each round) and with psyirt's default rules. Two of the "
            "authors' 14 removals were by eye, so full agreement is not to be had and was not tuned for."
        ),
        figures(*(_picture(outcome, group) for group in GROUPS)),
        table(
            "Overlap with the authors",
            ["rules !", "class", "kept #", "authors #", "both #", "Jaccard #", "verdict"],
            [_overlap_row(choices[preset, group]) for preset in PRESETS for group in GROUPS],
        ),
        *(_differences(outcome, preset) for preset in PRESETS),
        *_replay(outcome),
        *_pooling(outcome),
    ]


def _picture(outcome: Outcome, group: str) -> Markup:
    tiles = tiles_of(outcome, group)
    kept = ", ".join(f"{who} {int((rows['mark'] == '').sum())}" for who, rows in tiles.groupby("who", sort=False))
    alt = f"Which of 30 {group} items are kept. Number kept: {kept}."
    caption = "Grey: kept. F too flat, S poor S-X2 fit, L local dependence, E removed by eye."
    return figure(render(retained_chart(tiles), f"kept-{group}", alt), caption, group.capitalize())


def tiles_of(outcome: Outcome, group: str) -> pd.DataFrame:
    """Rows (position, who, mark): a letter where an item left."""
    study = outcome.study
    marks = {"authors": {item: _AUTHORS_LETTERS[authors_step(why)] for item, why in study.removed().items()}}
    for preset in PRESETS:
        history = outcome.retained.choices[preset, group].history
        left = zip(history["item"], history["rule"], strict=True)
        marks[NAMES[preset]] = {str(item): _LETTERS.get(str(rule), "?") for item, rule in left}
    names = {"authors": "authors", NAMES["lalor2016"]: "same rules", NAMES["default"]: "defaults"}
    rows = [
        {"position": study.position[item], "who": names[who], "mark": letters.get(item, "")}
        for who, letters in marks.items()
        for item in study.items(group)
    ]
    return pd.DataFrame(rows)


def _overlap_row(choice: Choice) -> list[object]:
    counts = choice.overlap
    same = counts.jaccard == 1.0
    words = verdict(same, "the same set" if same else f"DIFFERS on {_items(len(choice.differences))}")
    numbers = [counts.ours, printed.KEPT[choice.group], counts.both, f"{counts.jaccard:.2f}"]
    return [NAMES[choice.preset], choice.group, *numbers, words]


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _differences(outcome: Outcome, preset: str) -> Markup:
    differences = [each for group in GROUPS for each in outcome.retained.choices[preset, group].differences]
    rows = [
        [each.short, "psyirt" if each.kept_by == "psyirt" else "the authors", each.reason, each.explanation]
        for each in differences
    ]
    caption = f"Every item on which {NAMES[preset]} and the authors differ ({len(rows)})"
    return table(
        caption, ["item", "kept by", "why the other removed it ~", "what the statistics say ~"], rows, stacked=True
    )


def _replay(outcome: Outcome) -> list[Markup]:
    """The statistics on the authors' own way."""
    study = outcome.study
    rows = [
        _replay_row(study, group, step)
        for group in GROUPS
        for step in outcome.retained.authors[group]
    ]  # fmt: skip
    head = ["class", "fit #", "items #", "lowest communality", "lowest Holm p of S-X2", "most dependent pairs ~",
            "what then left", "as"]  # fmt: skip
    return [
        element("h3", "The authors' way, replayed"),
        paragraph(
            "Their removals in the order of their scripts, with our statistics at each fit: does each step follow from "
            "what it was based on?"
        ),
        table("Fit by fit; pairs with their standardized LD-X2", head, rows, stacked=True),
        bullets(replay_in_words(study, outcome.retained.authors)),
    ]


def _replay_row(study: Study, group: str, step: Step) -> list[object]:
    communality, fit = step.table["communality"], step.table["p_adjusted"]
    top = step.pairs["ld"].head(3)
    pairs = [
        f"{study.short[one]}–{study.short[two]} {value:.1f}" for (one, two), value in zip(top.index, top, strict=True)
    ]
    left = ", ".join(study.short[item] for item in step.removed) or "–"
    return [
        group, step.number, len(step.table),
        f"{study.short[communality.idxmin()]} {communality.min():.3f}",
        f"{study.short[fit.idxmin()]} {fit.min():.2g}" if fit.min() < 1.0 else "all 1",
        ", ".join(pairs), left, step_name(step, study.removed()),
    ]  # fmt: skip


def replay_in_words(study: Study, authors: dict[str, list[Step]]) -> list[str]:
    """For each of the authors' steps, whether its statistic singles out what left."""
    return [
        f"{group.capitalize()}, fit {step.number}: {', '.join(study.short[item] for item in step.removed)} left, "
        f"{_grounds(study, steps, step)}."
        for group, steps in authors.items()
        for step in steps
        if step.removed
    ]


def _grounds(study: Study, steps: list[Step], step: Step) -> str:
    """What our statistics say about a step."""
    kind = authors_step(study.removed()[step.removed[0]])
    if kind == 0:
        below = set(step.table.index[step.table["communality"] < 0.15])
        return f"{'exactly' if below == set(step.removed) else 'not exactly'} the items below .15"
    if kind == 1:
        flagged = [(each, _flagged(study, each)) for each in steps[: step.number]]
        found = [f"{' and '.join(names)} in fit {each.number}" for each, names in flagged if names]
        return f"of which our S-X2 with Holm flags {', '.join(found) if found else 'none'}"
    if kind == 2:
        top, value = step.pairs.index[0], step.pairs["ld"].iloc[0]
        pair = f"{study.short[top[0]]}–{study.short[top[1]]} at {value:.1f}"
        return (
            f"of the most dependent pair, {pair}"
            if set(step.removed) <= set(top)
            else f"where it is {pair} that stands out"
        )
    return "by eye"


def _flagged(study: Study, step: Step) -> list[str]:
    return [study.short[item] for item in step.table.index[step.table["p_adjusted"] < LEVEL]]


def _pooling(outcome: Outcome) -> list[Markup]:
    frame = outcome.retained.pooling
    rows = [[name, *(f"{value:.3g}" for value in row)] for name, row in zip(frame.index, frame.to_numpy(), strict=True)]
    return [
        element("h3", "How much S-X2's verdict hangs on pooling"),
        paragraph(
            "S-X2 pools neighbouring scores until every expected count reaches a minimum. Holm-adjusted p of the "
            f"items that left under it, for several minima (ours is 1, as in R mirt). {_never(frame)}"
        ),
        table("Holm-adjusted p", ["item and fit !", *(f"min {name} #" for name in frame.columns)], rows),
    ]


def _never(frame: pd.DataFrame) -> str:
    """Which of the items no minimum condemns."""
    items = list(dict.fromkeys(str(name).split(",")[0] for name in frame.index))
    never = [item for item in items if not (frame[frame.index.str.startswith(f"{item},")] < LEVEL).any(axis=None)]
    return f"Below {LEVEL:g} under none of them: {' and '.join(never)}." if never else ""
