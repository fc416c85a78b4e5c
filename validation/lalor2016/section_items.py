"""Table 4: the item parameters."""

from __future__ import annotations

from validation.lalor2016.html_parts import Markup, paragraph, section, table, verdict
from validation.lalor2016.inputs import GROUPS
from validation.lalor2016.outcome import Outcome


def parts(outcome: Outcome) -> list[Markup]:
    """Ranges and log-likelihoods beside the paper's and R mirt's."""
    rows = []
    for group in GROUPS:
        each = outcome.scales[group]
        paper = {comparison.what.replace(" (Table 4)", ""): comparison for comparison in each.paper}
        for comparison in each.mirt:
            name = comparison.what.replace(" (R mirt)", "")
            printed = paper.get(name)
            rows.append(
                [
                    group, name, comparison.ours_shown,
                    printed.theirs_shown if printed else "–",
                    verdict(printed.agrees, printed.verdict) if printed else "not printed",
                    comparison.theirs_shown, verdict(comparison.agrees, comparison.verdict),
                ]
            )  # fmt: skip
    head = ["class", "quantity", "psyirt #", "paper #", "held to .005", "R mirt #", "held to .005"]
    return [
        section("Table 4: item parameters", "table4"),
        paragraph(
            "A 2PL on exactly the items that the authors kept. The paper prints the lowest and highest difficulty "
            "and slope; R mirt was run on the same files to convergence."
        ),
        table("Ranges over items, and the log-likelihood", head, rows),
        *(
            [paragraph("Where the paper and R mirt part, psyirt is with R mirt: the difference is the paper's.")]
            if _parted(outcome)
            else []
        ),
    ]


def _parted(outcome: Outcome) -> bool:
    """Whether some printed range is not met although all of R mirt's numbers are."""
    paper = all(each.agrees for group in GROUPS for each in outcome.scales[group].paper)
    return not paper and all(each.agrees for group in GROUPS for each in outcome.scales[group].mirt)
