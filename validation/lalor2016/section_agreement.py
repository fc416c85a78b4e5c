"""Tables 2 and 3: agreement and kappa."""

from __future__ import annotations

from validation.lalor2016.comparison import Comparison
from validation.lalor2016.html_parts import Markup, paragraph, section, table, verdict
from validation.lalor2016.outcome import Outcome


def parts(outcome: Outcome) -> list[Markup]:
    """Both tables beside the printed ones, and Krippendorff's alpha."""
    agreement = outcome.agreement
    alpha = float(agreement.table["value"].loc["krippendorff_alpha", "overall"])
    return [
        section("Tables 2 and 3: how far the workers agree", "agreement"),
        paragraph(
            "Table 2 prints the share of items on which a majority, and more than two thirds, of the workers agree. "
            "Both come out if agreement on any label counts. Agreement with the gold label, which a reader may take "
            "them for, is lower: both readings are shown."
        ),
        table(
            "Table 2: share of items on which ... of the workers",
            ["reading", "psyirt #", "paper #", "verdict"],
            [*_rows(agreement.shares), *_rows(agreement.gold_shares)],
        ),
        paragraph(
            "Overall kappa is reproduced. The category-wise values are not, for two of three: Fleiss' formula for a "
            "category gives the values below. Krippendorff's alpha, which needs no equal numbers of answers, is "
            f"{alpha:.3f}. The {agreement.unanswered} unanswered labels count as a fourth category in kappa and are "
            "left out of alpha."
        ),
        table("Table 3: Fleiss' kappa", ["kappa", "psyirt #", "paper #", "verdict"], _rows(agreement.kappas)),
    ]


def _rows(comparisons: list[Comparison]) -> list[list[object]]:
    return [[each.what, each.ours_shown, each.theirs_shown, verdict(each.agrees, each.verdict)] for each in comparisons]
