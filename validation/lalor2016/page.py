"""The page: a summary in words first, then each part of the study."""

from __future__ import annotations

import psyirt
from validation.lalor2016 import section_abilities, section_agreement, section_items, section_quality, section_retained
from validation.lalor2016.comparison import Comparison
from validation.lalor2016.html_parts import Markup, box, bullets, element, page, paragraph, section
from validation.lalor2016.inputs import GROUPS
from validation.lalor2016.outcome import Outcome

TITLE = "Lalor, Wu & Yu (2016), from the original labels"
_CONTENTS = (
    ("summary", "Summary"), ("retained", "Items kept"), ("table4", "Table 4"), ("agreement", "Tables 2 and 3"),
    ("figure4", "Figure 4"), ("table5", "Table 5"), ("unsaid", "What the paper did not say"),
    ("information", "Information"), ("data", "Data"),
)  # fmt: skip


def as_html(outcome: Outcome) -> str:
    """The whole page."""
    links = [Markup(f'<a href="#{ident}">{name}</a>') for ident, name in _CONTENTS]
    return page(
        TITLE,
        [
            element("h1", TITLE),
            paragraph(
                "“Building an Evaluation Scale using Item Response Theory” (EMNLP 2016) calibrated 90 sentence "
                "pairs on 983 people and put a neural network on the scale. This page does it again with psyirt "
                f"{psyirt.__version__} from the released labels, and holds every number against the printed one.",
            ),
            element("nav", *links),
            *_summary(outcome),
            *section_retained.parts(outcome),
            *section_items.parts(outcome),
            *section_agreement.parts(outcome),
            *section_abilities.parts(outcome),
            *section_quality.parts(outcome),
            *_data(outcome),
        ],
    )


def _summary(outcome: Outcome) -> list[Markup]:
    """What was reproduced and what was not."""
    bad, everything = outcome.differing, outcome.comparisons
    return [
        section("Summary", "summary"),
        box("good", element("h3", f"Reproduced: {len(everything) - len(bad)} of {len(everything)} numbers"),
            bullets(_reproduced(outcome))),
        box("bad", element("h3", f"Not reproduced: {len(bad)} numbers, and {_differing_items(outcome)} items"),
            bullets([*(_difference(each) for each in bad), *_differing_sets(outcome)])),
        box("plain", element("h3", "What a reader of such scales should know first"), bullets(_quality_first(outcome))),
    ]  # fmt: skip


def _reproduced(outcome: Outcome) -> list[str]:
    fits, decoded = outcome.scales, outcome.decoded
    mirt = [each for group in GROUPS for each in fits[group].mirt]
    paper = [each for group in GROUPS for each in fits[group].paper]
    lines = [
        (
            f"Table 4, a 2PL on the authors' items: {_share(paper)} printed ranges of difficulty and slope within "
            f".005, and {_share(mirt)} ranges and log-likelihoods of R mirt on the same data."
        ),
        (
            f"Table 5: {_share([decoded[group].comparison for group in GROUPS])} abilities of the LSTM within .002, "
            "each the ability of one decoded set of answers, and of no other as near."
        ),
        (
            f"Table 2: {_share(outcome.agreement.shares)} agreement shares, read as agreement on any label. Table 3: "
            f"{_share(outcome.agreement.kappas)} kappas, the overall one among them."
        ),
    ]
    same = [group for group in GROUPS if outcome.retained.choices["lalor2016", group].overlap.jaccard == 1.0]
    if same:
        lines.append(
            f"Items kept by the paper's rules (preset lalor2016): the authors' very sets for {' and '.join(same)}."
        )
    return lines


def _share(comparisons: list[Comparison]) -> str:
    agreeing = sum(each.agrees for each in comparisons)
    if agreeing < len(comparisons):
        return f"{agreeing} of {len(comparisons)}"
    return "both" if agreeing == 2 else f"all {agreeing}"


def _difference(each: Comparison) -> str:
    note = f": {each.note}" if each.note else ""
    return f"{each.what}: {each.ours_shown} here, {each.theirs_shown} printed{note}."


def _differing_items(outcome: Outcome) -> int:
    return sum(len(outcome.retained.choices["lalor2016", group].differences) for group in GROUPS)


def _differing_sets(outcome: Outcome) -> list[str]:
    lines = []
    for group in GROUPS:
        choice = outcome.retained.choices["lalor2016", group]
        if choice.differences:
            ours = ", ".join(each.short for each in choice.differences if each.kept_by == "psyirt") or "none"
            theirs = ", ".join(each.short for each in choice.differences if each.kept_by == "authors") or "none"
            lines.append(
                f"Items kept for {group} by the paper's rules: {choice.overlap.ours} here, {choice.overlap.theirs} "
                f"there, {choice.overlap.both} in both. Only here: {ours}; only there: {theirs}. Each is explained "
                "below."
            )
    return lines


def _quality_first(outcome: Outcome) -> list[str]:
    lines = []
    for group in GROUPS:
        quality = outcome.scales[group].scale.quality
        lines.append(
            f"{group.capitalize()}: reliability {quality.empirical_reliability:.2f}; {quality.at_ceiling:.1%} of the "
            f"workers have every item right and ability cannot exceed {quality.theta_high:.2f}."
        )
    contradiction = outcome.decoded["contradiction"]
    row = contradiction.row
    lines.append(
        f"The LSTM's {contradiction.comparison.theirs:g} on contradiction is the ceiling: {row['correct']:.0f} of "
        f"{row['answered']:.0f} right, standard error {row['se']:.2f}, shared by {row['crowd_tied']:.1%} of the "
        "workers, and what a program that always answers “contradiction” gets."
    )
    return lines


def _data(outcome: Outcome) -> list[Markup]:
    subjects, items = outcome.study.responses.shape
    return [
        section("Data and method", "data"),
        paragraph(
            f"Labels: {subjects} workers of Amazon Mechanical Turk, {items} sentence pairs of SNLI, complete; "
            f"{outcome.agreement.unanswered} answers are “na” and count as wrong, as in 2016. Released by the "
            "authors under CC BY-SA 4.0; they are not part of psyirt and no label or sentence is on this page. "
            "Items are named by class and place: C11 is the 11th contradiction item.",
        ),
        paragraph(
            "Everything is computed by psyirt's public functions: 2PL by marginal maximum likelihood (61 nodes on "
            "-6 to 6, normal ability), S-X2 with cells pooled to expected counts of 1 and Holm's correction, LD-X2 "
            "standardized as (X2 - 1) / √2, abilities as posterior means (EAP). Every number is in results.json "
            "beside this page.",
            css="soft",
        ),
        paragraph(
            f"psyirt {psyirt.__version__}; graded responses sha256:{outcome.study.responses.digest[:16]}….", css="soft"
        ),
    ]
