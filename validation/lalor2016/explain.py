"""Why an item stays here and left there: the statistics behind each difference, in words."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from validation.lalor2016.inputs import Study
from validation.lalor2016.paths import AUTHORS_STEPS, Step, authors_step

LEVEL = 0.05
LARGE_DEPENDENCE = 10.0


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


def explain_differences(
    study: Study, kept: set[str], history: pd.DataFrame, steps: list[Step], authors: list[Step]
) -> list[Difference]:
    """Every item of a class that one side keeps and the other does not, in the order of the class.

    Parameters
    ----------
    study : Study
        The data.
    kept : set of str
        What the preset keeps.
    history : DataFrame
        What left the preset's build: item, iteration, rule, reason.
    steps, authors : list of Step
        The statistics on the preset's way and on the authors'.
    """
    removed, left = study.removed(), history.set_index("item")
    differences = []
    for item in steps[0].table.index:
        if item in kept and item in removed:
            words = _kept_here(item, removed[item], steps, authors, study.short)
            differences.append(Difference(item, study.short[item], "psyirt", removed[item], words))
        elif item not in kept and item not in removed:
            row = left.loc[item]
            reason = f"{row['rule']}, round {row['iteration']}: {_shortened(str(row['reason']), study.short)}"
            words = _kept_there(item, authors, study.short)
            differences.append(Difference(item, study.short[item], "authors", reason, words))
    return sorted(differences, key=lambda each: study.position[each.item])


def _kept_here(item: str, reason: str, steps: list[Step], authors: list[Step], short: dict[str, str]) -> str:
    kind = authors_step(reason)
    if kind == 0:
        return _communality(item, steps)
    if kind == 1:
        return _item_fit(item, steps, authors)
    if kind == 2:
        return _dependence(item, steps, authors, short)
    first, last = steps[0].table.loc[item], steps[-1].table.loc[item]
    return (
        "Removed by eye in 2016: there is no statistic to reproduce. For the record, in our first and last fit: "
        f"communality {first['communality']:.3f} and {last['communality']:.3f}, S-X2 p after Holm "
        f"{first['p_adjusted']:.2g} and {last['p_adjusted']:.2g}, largest standardized LD-X2 {first['ld']:.1f} and "
        f"{last['ld']:.1f}."
    )


def _communality(item: str, steps: list[Step]) -> str:
    first, last = (step.table.loc[item, "communality"] for step in (steps[0], steps[-1]))
    return f"Communality {first:.3f} in the first fit and {last:.3f} in the last: above these rules' threshold."


def _item_fit(item: str, steps: list[Step], authors: list[Step]) -> str:
    first = steps[0].table.loc[item]
    smallest = min(float(step.table.loc[item, "p_adjusted"]) for step in (*steps, *_while_in(item, authors)))
    verdict = f"never below {LEVEL:g}" if smallest >= LEVEL else f"below {LEVEL:g}"
    also = " (the rules here ask for an effect size, or for another step first)" if smallest < LEVEL else ""
    return (
        f"S-X2 {first['s_x2']:.1f} on {first['df']:.0f} df in the full class, p {first['p']:.3g}, "
        f"{first['p_adjusted']:.3g} after Holm; the smallest Holm p of any fit on our way or the authors' is "
        f"{smallest:.3g}, {verdict}{also}."
    )


def _dependence(item: str, steps: list[Step], authors: list[Step], short: dict[str, str]) -> str:
    largest = max(steps, key=lambda step: float(step.table.loc[item, "ld"])).table.loc[item]
    words = (
        f"Its largest standardized LD-X2 on our way is {largest['ld']:.1f}, with {short[largest['ld_with']]}; the "
        f"authors' rule asks for {LARGE_DEPENDENCE:g}."
    )
    there = next((step for step in authors if item in step.removed), None)
    if there is None:
        return words
    row = there.table.loc[item]
    return f"{words} On the authors' way, when it left, it stood at {row['ld']:.1f} with {short[row['ld_with']]}."


def _kept_there(item: str, authors: list[Step], short: dict[str, str]) -> str:
    """How an item that we removed looked on the authors' way."""
    last = authors[-1].table.loc[item]
    seen = [f"{step.table.loc[item, 'ld']:.1f} with {short[step.table.loc[item, 'ld_with']]}" for step in authors]
    return (
        f"On the authors' way its largest standardized LD-X2 is, fit by fit, {', '.join(seen)}; in their last fit "
        f"communality {last['communality']:.3f}, S-X2 p after Holm {last['p_adjusted']:.2g}."
    )


def _while_in(item: str, steps: list[Step]) -> list[Step]:
    return [step for step in steps if item in step.table.index]


def _shortened(text: str, short: dict[str, str]) -> str:
    for item, name in short.items():
        text = text.replace(item, name)
    return text


def step_name(step: Step, removed: dict[str, str]) -> str:
    """What the authors acted on after a fit, from the reasons of what left."""
    if not step.removed:
        return "what they kept"
    return AUTHORS_STEPS[authors_step(removed[step.removed[0]])]
