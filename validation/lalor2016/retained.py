"""Which items stay: psyirt's rules beside the authors' choice."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

import psyirt
from psyirt.errors import EstimationError
from psyirt.scale.group_builder import GroupBuild
from validation.lalor2016.explain import Difference, Ways, explain_differences
from validation.lalor2016.inputs import GROUPS, Study
from validation.lalor2016.paths import Step, authors_removals, build_removals, walk

PRESETS = ("lalor2016", "default")
POOLING = (0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Overlap:
    """Two choices from one class.

    Attributes
    ----------
    given, ours, theirs, both : int
        Items in the class, kept by the rules, by the authors, by both.
    jaccard : float
        both / (kept by either).
    """

    given: int
    ours: int
    theirs: int
    both: int
    jaccard: float


@dataclass(frozen=True, eq=False)
class Choice:
    """What a preset made of a class.

    Attributes
    ----------
    preset, group : str
        Which.
    kept : tuple of str
        Its items.
    overlap : Overlap
        With the authors'.
    differences : list of Difference
        Every item on which they differ, explained.
    steps : list of Step
        The statistics at each round.
    history : DataFrame
        The build's history of the class.
    """

    preset: str
    group: str
    kept: tuple[str, ...]
    overlap: Overlap
    differences: list[Difference]
    steps: list[Step]
    history: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Retained:
    """Both presets against the authors.

    Attributes
    ----------
    choices : dict of (preset, group) to Choice
        What each preset made of each class.
    authors : dict of group to list of Step
        The statistics on the authors' own way.
    guessing : dict of group to DataFrame
        One-item-3PL tests before pruning.
    pooling : DataFrame
        Holm-adjusted p of S-X2 for the items the authors removed under it, a row per item and fit, a column per
        smallest expected count.
    """

    choices: dict[tuple[str, str], Choice]
    authors: dict[str, list[Step]]
    guessing: dict[str, pd.DataFrame]
    pooling: pd.DataFrame


def compare_retained(study: Study) -> Retained:
    """Build with both presets, replay the authors' way, and explain what differs."""
    authors = {
        group: walk(study.responses, study.items(group), authors_removals(study.removed(), study.items(group)))
        for group in GROUPS
    }
    choices: dict[tuple[str, str], Choice] = {}
    tested = psyirt.build_scale(study.responses, groups="gold", rules=PRESETS[0])
    guessing = {name: _tests(build) for name, build in tested.groups.items()}
    # the tests precede pruning and do not depend on the rules: where they find nothing, running them again would not
    again = any(frame["flag"].any() for frame in guessing.values())
    options = psyirt.BuildOptions(test_guessing=again)
    builds = {
        preset: tested if preset == PRESETS[0] else psyirt.build_scale(study.responses, "gold", preset, options=options)
        for preset in PRESETS
    }
    for preset, build in builds.items():
        for group in GROUPS:
            choices[preset, group] = _choice(study, preset, group, build, authors[group])
    return Retained(choices, authors, guessing, _pooling(study))


def _tests(build: GroupBuild) -> pd.DataFrame:
    if build.guessing is None:
        raise EstimationError(f"no guessing tests: {'; '.join(build.reasons)}", build.name)
    return build.guessing.frame


def _choice(study: Study, preset: str, group: str, build: psyirt.ScaleBuild, authors: list[Step]) -> Choice:
    """One class of one build against the authors'."""
    outcome = build.groups[group]
    if outcome.calibration is None or outcome.scale is None:
        raise EstimationError(f"preset {preset} finds no scale: {'; '.join(outcome.reasons)}", group)
    kept, items = outcome.scale.item_names, study.items(group)
    history = build.history[build.history["group"] == group].reset_index(drop=True)
    steps = walk(study.responses, items, build_removals(history, group))
    differences = explain_differences(study, set(kept), history, Ways(build.rules, steps, authors, study.short))
    counts = overlap(items, set(kept), set(study.kept(group)))
    return Choice(preset, group, kept, counts, differences, steps, history)


def _pooling(study: Study) -> pd.DataFrame:
    """Holm-adjusted p of S-X2 under several pooling rules, in the full class and without its flat items."""
    rows: dict[str, dict[str, float]] = {}
    for group in GROUPS:
        removed = {item: reason for item, reason in study.removed().items() if item in set(study.items(group))}
        wanted = [item for item, reason in removed.items() if reason.startswith("S-X2")]
        flat = [item for item, reason in removed.items() if reason.startswith("communality")]
        fits = {"all 30 items": study.items(group)}
        fits |= {"without the flat ones": [item for item in study.items(group) if item not in flat]} if flat else {}
        for name, items in fits.items() if wanted else ():
            calibration = psyirt.fit_mml(study.responses.select(items=items), "2PL")
            for least in POOLING:
                adjusted = psyirt.item_fit(calibration, min_expected=least)["p_adjusted"]
                for item in wanted:
                    rows.setdefault(f"{study.short[item]}, {name}", {})[f"{least:g}"] = float(adjusted[item])
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("item")


def overlap(items: list[str], ours: set[str], theirs: set[str]) -> Overlap:
    """How far two choices from `items` agree."""
    both, either = ours & theirs, ours | theirs
    return Overlap(len(items), len(ours), len(theirs), len(both), len(both) / len(either) if either else 1.0)
