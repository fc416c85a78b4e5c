"""What the paper did not say: quality, guessing, fit, dimensions, information."""

from __future__ import annotations

import pandas as pd

from validation.lalor2016.charts import information_chart, scree_chart
from validation.lalor2016.html_parts import Markup, element, figure, figures, paragraph, section, table
from validation.lalor2016.inputs import GROUPS
from validation.lalor2016.outcome import Outcome
from validation.lalor2016.svg import render

_ROWS = 4
_SECOND_FACTOR = (
    " In contradiction a second factor is visible, and that is where most of the authors' removals lie, and all of our "
    "differences with them under their own rules."
)


def parts(outcome: Outcome) -> list[Markup]:
    """The quality block of each scale, then the evidence behind it."""
    return [
        section("What the paper did not say", "unsaid"),
        paragraph(
            "What each scale, on the authors' items, can and cannot tell apart. Entailment is the weak one: "
            + _weak(outcome)
        ),
        _quality(outcome),
        *_guessing(outcome),
        *_fit(outcome),
        *_dimensions(outcome),
        section("Test information and the crowd", "information"),
        paragraph(
            "Where a scale measures well (above), and where the people are (below). All three measure best below "
            "the average person: they tell weak answerers apart, and strong ones hardly."
        ),
        figures(*(_information(outcome, group) for group in GROUPS)),
    ]


def _weak(outcome: Outcome) -> str:
    quality = outcome.scales["entailment"].scale.quality
    return (
        f"its reliability is {quality.empirical_reliability:.2f}, {quality.at_ceiling:.0%} of the workers have every "
        f"item right, and no answers whatever give an ability above {quality.theta_high:.2f}."
    )


def _quality(outcome: Outcome) -> Markup:
    columns = [outcome.scales[group] for group in GROUPS]
    blocks = [each.scale.quality for each in columns]
    tests = [each.scale.normality for each in columns]
    rows: list[list[object]] = [
        ["items", *(each.n_items for each in blocks)],
        ["attainable ability", *(f"{each.theta_low:.2f} to {each.theta_high:.2f}" for each in blocks)],
        ["workers with all right", *(f"{each.at_ceiling:.1%}" for each in blocks)],
        ["workers with all wrong", *(f"{each.at_floor:.1%}" for each in blocks)],
        ["reliability in the crowd", *(f"{each.empirical_reliability:.2f}" for each in blocks)],
        ["marginal reliability", *(f"{each.marginal_reliability:.2f}" for each in blocks)],
        ["median standard error", *(f"{each.median_se:.2f}" for each in blocks)],
        ["is ability normal? (p)", *("–" if test is None else f"{test.p:.2g}" for test in tests)],
        ["items with S-X2 p < .05 after Holm", *(each.misfitting for each in columns)],
        ["largest standardized LD-X2", *(f"{each.dependent:.1f}" for each in columns)],
    ]
    head = ["quality", *(f"{group} #" for group in GROUPS)]
    return table("Quality of the three scales", head, rows, stacked=True)


def _guessing(outcome: Outcome) -> list[Markup]:
    rows, found = [], 0
    for group in GROUPS:
        frame = outcome.retained.guessing[group]
        found += int(frame["flag"].sum())
        best = frame.sort_values("p").iloc[0]
        rows.append(
            [group, len(frame), int(frame["flag"].sum()), outcome.study.short[str(best.name)], f"{best['c']:.2f}",
             f"{best['p']:.2g}", f"{best['p_adjusted']:.2g}", f"{frame['power'].median():.2f}",
             int((frame["power"] >= 0.8).sum())]
        )  # fmt: skip
    head = ["class", "items #", "with guessing #", "strongest", "its c #", "p #", "Holm p #", "median power #",
            "items with power ≥ .8 #"]  # fmt: skip
    none = "No item needs a guessing parameter" if not found else f"{found} items need a guessing parameter"
    return [
        element("h3", "Guessing"),
        paragraph(
            f"{none}, as in 2016, where the 3PL gave way to the 2PL. But power says how much that means: the chance "
            "of finding a guessing parameter of 1/3 (three labels) if there were one. On easy items hardly anybody "
            "is able to guess, and “not significant” is no evidence."
        ),
        table("One-item-3PL against all-2PL, before pruning", head, rows),
    ]


def _fit(outcome: Outcome) -> list[Markup]:
    short = outcome.study.short
    items: list[list[object]] = []
    pairs: list[list[object]] = []
    for group in GROUPS:
        first = outcome.retained.authors[group][0]
        worst = first.table.sort_values("p").head(_ROWS)
        for item, row in zip(worst.index, worst.to_dict("records"), strict=True):
            tested = [f"{row['s_x2']:.1f}", f"{row['df']:.0f}", f"{row['p']:.2g}", f"{row['p_adjusted']:.2g}"]
            sizes = [f"{row['rmsea']:.3f}", f"{row['communality']:.2f}"]
            items.append([short[item], *tested, *sizes, _authors(outcome, item)])
        top = first.pairs.head(_ROWS)
        for (one, two), row in zip(top.index, top.to_dict("records"), strict=True):
            sizes = [f"{row['ld']:.1f}", f"{row['cramers_v']:.3f}", f"{row['p_adjusted']:.2g}"]
            became = "; ".join(f"{short[each]} {_authors(outcome, each)}" for each in (one, two))
            pairs.append([f"{short[one]}–{short[two]}", *sizes, became])
    return [
        element("h3", "Item fit and local dependence in the full classes"),
        table(f"S-X2: the {_ROWS} worst of each class",
              ["item", "S-X2 #", "df #", "p #", "Holm p #", "RMSEA #", "communality #", "in 2016 ~"], items),
        table(f"LD-X2: the {_ROWS} most dependent pairs of each class",
              ["pair !", "standardized #", "Cramer's V #", "Holm p #", "in 2016 ~"], pairs),
    ]  # fmt: skip


def _authors(outcome: Outcome, item: str) -> str:
    reason = outcome.study.removed().get(item)
    return "kept" if reason is None else f"removed ({reason})"


def _dimensions(outcome: Outcome) -> list[Markup]:
    roots = outcome.eigenvalues
    alt = "Scree plot. " + " ".join(f"{name}: {_first(table)}." for name, table in roots.items())
    picture = figure(
        render(scree_chart(roots), "scree", alt),
        "First eigenvalues of the tetrachoric correlations: all items, and each class.",
    )
    rows = [
        [name, *(f"{value:.2f}" for value in frame["eigenvalue"].head(4)), f"{frame['ratio'].iloc[0]:.1f}"]
        for name, frame in roots.items()
    ]
    return [
        element("h3", "How many abilities"),
        paragraph(
            "All 90 items together have three large eigenvalues, as many as there are classes: one ability cannot "
            "serve them all, and the paper builds a scale per class. Within a class one ability dominates.",
            _SECOND_FACTOR if _all_in_contradiction(outcome) else "",
        ),
        figures(picture),
        table("Eigenvalues", ["items", "1st #", "2nd #", "3rd #", "4th #", "1st / 2nd #"], rows),
    ]


def _all_in_contradiction(outcome: Outcome) -> bool:
    choices = outcome.retained.choices
    elsewhere = [choices["lalor2016", group].differences for group in GROUPS if group != "contradiction"]
    return bool(choices["lalor2016", "contradiction"].differences) and not any(elsewhere)


def _first(frame: pd.DataFrame) -> str:
    return ", ".join(f"{value:.1f}" for value in frame["eigenvalue"].head(4))


def _information(outcome: Outcome, group: str) -> Markup:
    each = outcome.scales[group]
    if each.scale.crowd is None:
        raise ValueError(f"the scale of {group} has no crowd")
    peak = float(each.information["information"].idxmax())
    theta = each.scale.crowd.members()
    beyond = float((theta > peak).mean())
    alt = (
        f"Test information of {group}: highest at ability {peak:.1f}; {beyond:.0%} of the workers lie above. Below, a "
        "histogram of the workers' abilities."
    )
    caption = f"Information is highest at ability {peak:.1f}; {beyond:.0%} of the workers lie above that."
    picture = render(information_chart(each.information, theta, group), f"information-{group}", alt)
    return figure(picture, caption, group.capitalize())
