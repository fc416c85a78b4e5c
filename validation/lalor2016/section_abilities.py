"""Figure 4 and Table 5: abilities of the workers and of the LSTM."""

from __future__ import annotations

from typing import Any

from validation.lalor2016.charts import ability_chart
from validation.lalor2016.html_parts import Markup, figure, figures, paragraph, section, table, verdict
from validation.lalor2016.inputs import GROUPS
from validation.lalor2016.outcome import Outcome
from validation.lalor2016.svg import render
from validation.lalor2016.systems import MOST_WRONG


def parts(outcome: Outcome) -> list[Markup]:
    """Ability against number correct, then the LSTM decoded."""
    return [
        section("Figure 4: ability against number correct", "figure4"),
        paragraph(
            "Two people with the same number right need not have the same ability: it matters which items they had "
            "right. Each circle is one ability at one number correct, its area the number of workers."
        ),
        figures(*(_picture(outcome, group) for group in GROUPS)),
        table(
            "Same number correct, different ability",
            ["class", "at #", "workers #", "lowest ability #", "highest #", "range #",
             "pairs of workers ranked the other way round #"],
            [_spread_row(outcome, group) for group in GROUPS],
        ),
        section("Table 5: the LSTM, decoded", "table5"),
        paragraph(
            "The paper prints only the LSTM's abilities. Yet an ability on a known scale comes from a set of "
            "answers, and the printed ones can be traced back: of all answers with at most three wrong, the ones "
            "below come nearest to the printed ability, and with more wrong it cannot be reached."
        ),
        table(
            "The answers, and what they are worth on the scale",
            ["class", "wrong", "right #", "ability #", "paper #", "held to .002", "SE #", "95 % interval #",
             "percentile #", "rank #"],
            [_decoded_row(outcome, group) for group in GROUPS], stacked=True,
        ),
        paragraph(
            "Percentile: posterior mean of the share of the population below, with its 95 % interval. Rank: "
            "mid-rank among the 983 workers’ own abilities, with the share that ties; “≥” marks the ceiling. "
            "“Right” is on the same items.", css="soft",
        ),
        *(paragraph(line) for line in _bounds(outcome)),
        table(
            "What answering without looking is worth",
            ["class", "answers", "right #", "ability #", "rank #"], _baseline_rows(outcome),
        ),
        paragraph(
            "On the scale of one class, always answering that class is perfect: by ability alone the LSTM cannot be "
            "told from it on contradiction. A scale of one class needs the other two beside it.",
        ),
    ]  # fmt: skip


def _picture(outcome: Outcome, group: str) -> Markup:
    each, row = outcome.scales[group], outcome.decoded[group].row
    point = (int(_number(row, "correct")), _number(row, "theta"))
    spread = each.spread
    alt = (
        f"Ability against number correct for {group}: rising; at {spread.correct} right, abilities from "
        f"{spread.low:.2f} to {spread.high:.2f}; the LSTM at {point[0]} right, ability {point[1]:.2f}."
    )
    caption = (
        f"At {spread.correct} right ({spread.n} workers), abilities from {spread.low:.2f} to {spread.high:.2f}. "
        "Diamond: the LSTM of Table 5."
    )
    return figure(
        render(ability_chart(each.workers, point, group), f"ability-{group}", alt), caption, group.capitalize()
    )


def _spread_row(outcome: Outcome, group: str) -> list[object]:
    spread, items = outcome.scales[group].spread, len(outcome.scales[group].scale.item_names)
    ends = [f"{spread.low:.2f}", f"{spread.high:.2f}", f"{spread.high - spread.low:.2f}"]
    return [group, f"{spread.correct} of {items}", spread.n, *ends, f"{spread.reversed_share:.1%}"]


def _decoded_row(outcome: Outcome, group: str) -> list[object]:
    each = outcome.decoded[group]
    row, comparison = each.row, each.comparison
    n = {name: _number(row, name) for name in row if name != "at_ceiling"}
    ceiling = "≥ " if row["at_ceiling"] == ">=" else ""
    return [
        group, ", ".join(outcome.study.short[item] for item in each.wrong) or "none",
        f"{n['correct']:.0f} of {n['answered']:.0f}", ceiling + comparison.ours_shown,
        comparison.theirs_shown, verdict(comparison.agrees, comparison.verdict), f"{n['se']:.2f}",
        f"{n['lower']:.2f} to {n['upper']:.2f}",
        f"{n['percentile']:.0f} ({n['percentile_low']:.0f} to {n['percentile_high']:.0f})",
        f"{ceiling}{n['crowd_percentile']:.1f} ({n['crowd_tied']:.1%} tie)",
    ]  # fmt: skip


def _bounds(outcome: Outcome) -> list[str]:
    lines = []
    for group in GROUPS:
        each = outcome.decoded[group]
        closer = "no other comes as near" if each.closer == 0 else f"{each.closer} others come as near or nearer"
        lines.append(
            f"{group.capitalize()}: of {each.patterns:,} sets of answers with at most {MOST_WRONG} wrong, {closer} "
            f"(the next give {each.next_best:.3f}); with {MOST_WRONG} wrong the ability is at most {each.bound:.3f}."
        )
    return lines


def _baseline_rows(outcome: Outcome) -> list[list[object]]:
    rows: list[list[object]] = []
    for group in GROUPS:
        baselines = outcome.decoded[group].baselines
        for name, row in zip(baselines.index, baselines.to_dict("records"), strict=True):
            if name in (f"always {group}", "random"):
                right = f"{row['correct']:.0f} of {row['answered']:.0f}"
                rows.append([group, name, right, f"{row['theta']:.2f}", f"{row['crowd_percentile']:.1f}"])
    return rows


def _number(row: dict[str, Any], name: str) -> float:
    return float(row[name])
