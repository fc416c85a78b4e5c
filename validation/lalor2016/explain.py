"""Why an item stays here and left there: the statistics behind each difference, in words."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from psyirt.scale.rules import LocalDependence, Rule, TooFlat
from validation.lalor2016.inputs import Study
from validation.lalor2016.paths import AUTHORS_STEPS, Step, authors_step

LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """One item on which a preset and the authors differ.

    Attributes
    ----------
    item : str
        Its name in the data.
    short : str
        Its name on the page.
    kept_by : {"psyirt", "authors"}
        Who keeps it.
    reason : str
        Why the other one removed it.
    explanation : str
        What the statistics say.
    """

    item: str
    short: str
    kept_by: str
    reason: str
    explanation: str


@dataclass(frozen=True, eq=False)
class Ways:
    """What explanations draw on.

    Attributes
    ----------
    rules : tuple of Rule
        The preset's.
    steps, authors : list of Step
        The statistics on the preset's way and on the authors'.
    short : dict of str to str
        Names as on the page.
    """

    rules: tuple[Rule, ...]
    steps: list[Step]
    authors: list[Step]
    short: dict[str, str]


def explain_differences(study: Study, kept: set[str], history: pd.DataFrame, ways: Ways) -> list[Difference]:
    """Every item of a class that one side keeps and the other does not, in the order of the class.

    Parameters
    ----------
    study : Study
        The data.
    kept : set of str
        What the preset keeps.
    history : DataFrame
        What left the preset's build: item, iteration, rule, reason.
    ways : Ways
        The rules, and the statistics on both ways.
    """
    removed, left = study.removed(), history.set_index("item")
    differences = []
    for item in ways.steps[0].table.index:
        if item in kept and item in removed:
            explain = _KEPT_HERE[authors_step(removed[item])]
            differences.append(Difference(item, study.short[item], "psyirt", removed[item], explain(item, ways)))
        elif item not in kept and item not in removed:
            row = left.loc[item]
            reason = f"{row['rule']}, round {row['iteration']}: {shortened(str(row['reason']), study.short)}"
            differences.append(Difference(item, study.short[item], "authors", reason, _kept_there(item, ways)))
    return sorted(differences, key=lambda each: study.position[each.item])


def _communality(item: str, ways: Ways) -> str:
    against = ""
    for rule in ways.rules:
        if isinstance(rule, TooFlat):
            against = f"; these rules remove below {rule.min_communality:g}"
            if rule.standard_errors > 0:
                against += (
                    f", if the slope is below that by {rule.standard_errors:g} standard error as well: here it is not"
                )
    return f"Communality, fit by fit: {trail(item, ways.steps, 'communality', '.3f')}{against}."


def _item_fit(item: str, ways: Ways) -> str:
    first = ways.steps[0].table.loc[item]
    low = [step for step in (*ways.steps, *_while_in(item, ways.authors)) if step.table.loc[item, "p_adjusted"] < LEVEL]
    if not low:
        verdict = f"Never below {LEVEL:g}: this statistic, so computed, cannot remove it."
    elif all(step.number == 1 for step in low):
        verdict = (
            f"Below {LEVEL:g} only in the full class; there another rule acts first, and after the refit it is not."
        )
    else:
        verdict = f"Below {LEVEL:g} in some fits, but these rules also ask for an effect size."
    return (
        f"S-X2 {first['s_x2']:.1f} on {first['df']:.0f} df in the full class, p {first['p']:.3g}. After Holm, fit by "
        f"fit: {trail(item, ways.steps, 'p_adjusted', '.2g')} on our way, "
        f"{trail(item, ways.authors, 'p_adjusted', '.2g')} on the authors' until it left. {verdict}"
    )


def _dependence(item: str, ways: Ways) -> str:
    there = next((step for step in ways.authors if item in step.removed), None)
    on_theirs = f" On the authors' way it left at {_ld(item, there, ways.short)}." if there else ""
    return (
        f"Largest standardized LD-X2, fit by fit: {_ld_trail(item, ways.steps, ways)}.{_asked(item, ways)}{on_theirs}"
    )


def _asked(item: str, ways: Ways) -> str:
    """What the preset's own rule of local dependence asks for."""
    for rule in ways.rules:
        if isinstance(rule, LocalDependence) and rule.min_v > 0:
            largest = max(float(step.table.loc[item, "ld_v"]) for step in ways.steps)
            return f" These rules ask for Cramer's V of {rule.min_v:g}; its largest is {largest:.3f}."
        if isinstance(rule, LocalDependence):
            return f" These rules ask for {rule.min_standardized:g}, and take one item of a pair."
    return ""


def _by_eye(item: str, ways: Ways) -> str:
    first, last = ways.steps[0].table.loc[item], ways.steps[-1].table.loc[item]
    return (
        "Removed by eye in 2016: there is no statistic to reproduce. For the record, in our first and last fit: "
        f"communality {first['communality']:.3f} and {last['communality']:.3f}, S-X2 p after Holm "
        f"{first['p_adjusted']:.2g} and {last['p_adjusted']:.2g}, largest standardized LD-X2 {first['ld']:.1f} and "
        f"{last['ld']:.1f}."
    )


_KEPT_HERE = (_communality, _item_fit, _dependence, _by_eye)


def _kept_there(item: str, ways: Ways) -> str:
    """How an item that the preset removed looked on the authors' way."""
    last = ways.authors[-1].table.loc[item]
    return (
        "Largest standardized LD-X2 on the authors' way, fit by fit: "
        f"{', '.join(_ld(item, step, ways.short) for step in ways.authors)}. In their last fit communality is "
        f"{last['communality']:.3f} and S-X2 p after Holm {last['p_adjusted']:.2g}."
    )


def _ld_trail(item: str, steps: list[Step], ways: Ways) -> str:
    """The largest pair of an item in each fit, saying where the partner left."""
    return ", ".join(
        _ld(item, step, ways.short) + (" (which left)" if step.table.loc[item, "ld_with"] in step.removed else "")
        for step in _while_in(item, steps)
    )


def _ld(item: str, step: Step, short: dict[str, str]) -> str:
    row = step.table.loc[item]
    return f"{row['ld']:.1f} with {short[row['ld_with']]}"


def trail(item: str, steps: list[Step], column: str, form: str) -> str:
    """A statistic in every fit that the item was in."""
    return ", ".join(format(float(step.table.loc[item, column]), form) for step in _while_in(item, steps))


def _while_in(item: str, steps: list[Step]) -> list[Step]:
    return [step for step in steps if item in step.table.index]


def shortened(words: str, short: dict[str, str]) -> str:
    """Words with the items' names as on the page."""
    for item, name in short.items():
        words = words.replace(item, name)
    return words


def step_name(step: Step, removed: dict[str, str]) -> str:
    """What the authors acted on after a fit, from the reasons of what left."""
    return AUTHORS_STEPS[authors_step(removed[step.removed[0]])] if step.removed else "what they kept"
