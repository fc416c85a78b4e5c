"""The scale builder: from graded responses to a scale for each group of items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real

import pandas as pd

from psyirt.data.any_responses import AnyResponses, as_table
from psyirt.errors import InputError
from psyirt.estimation.compiling import compiling_shown
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, silent
from psyirt.scale.group_builder import HISTORY_COLUMNS, GroupBuild, GroupBuilder
from psyirt.scale.groups import GroupChoice, resolve_groups
from psyirt.scale.holdout import split_subjects
from psyirt.scale.options import BuildOptions
from psyirt.scale.pruning import Estimator
from psyirt.scale.rules import Rule, resolve_rules
from psyirt.scale.scale import Scale
from psyirt.scale.summary import build_summary


@dataclass(frozen=True, eq=False)
class ScaleBuild:
    """Scales built from responses, and the story of what left.

    Attributes
    ----------
    groups : mapping of str to GroupBuild
        Every group's outcome.
    rules : tuple of Rule
        The rules that were applied, in order.
    options : BuildOptions
        The options.
    """

    groups: Mapping[str, GroupBuild]
    rules: tuple[Rule, ...]
    options: BuildOptions

    @property
    def scales(self) -> dict[str, Scale]:
        """Group -> Scale, for the groups that have one."""
        return {name: group.scale for name, group in self.groups.items() if group.scale is not None}

    @property
    def history(self) -> pd.DataFrame:
        """What left: iteration, group, item, rule, value, threshold, reason; a user's exclusions first."""
        rows = [row for group in self.groups.values() for row in group.history]
        frame = pd.DataFrame(rows, columns=list(HISTORY_COLUMNS))
        return frame.sort_values("iteration", kind="stable", ignore_index=True)

    def summary(self) -> str:
        """The outcome in words: quality first, then what left and why."""
        return build_summary(self)

    def __repr__(self) -> str:
        """The summary."""
        return self.summary()


def build_scale(
    responses: AnyResponses,
    groups: GroupChoice = None,
    rules: str | Iterable[Rule] = "default",
    *,
    exclude: Mapping[str, str] | None = None,
    holdout: float = 0.0,
    seed: int = 0,
    recruitment: str = "",
    options: BuildOptions | None = None,
    fit: Estimator = fit_mml,
    progress: Progress = silent,
) -> ScaleBuild:
    """Build a calibrated scale for each group of items.

    Per group: test guessing, then fit, flag, remove, refit until no rule flags an item. In each round the first rule
    (in the order given) that flags anything decides what leaves.

    Parameters
    ----------
    responses : Responses
        The crowd's graded answers; ``item_info`` columns gold, n_options and text go into the scale where present.
    groups : None, str or mapping
        One group; a column of ``responses.item_info`` such as "gold"; or item -> group.
    rules : str or sequence of Rule
        A preset ("default", "lalor2016") or rules of your own.
    exclude : mapping of item to reason, optional
        Your own exclusions; the first rows of the history.
    holdout : float
        Share of subjects kept out of building, on whom the fit of the retained items is checked: p-values after
        selection are optimistic, these are not.
    seed : int
        Which subjects are held out, and the simulated crowds behind a verdict on dimensions.
    recruitment : str
        How the crowd was recruited; kept with the scale.
    options : BuildOptions, optional
        Adjustment, limits, fit options.
    fit : callable
        The estimator, ``fit_mml`` by default.
    progress : callable, optional
        Receives events.

    Returns
    -------
    ScaleBuild
        "No scale" is an answer: a group without one has `reasons`.

    Raises
    ------
    InputError
        If a group, an excluded item or an option does not fit the data.

    References
    ----------
    Lalor, Wu & Yu (2016), Building an evaluation scale using item response theory.
    """
    options = BuildOptions() if options is None else options
    responses = as_table(responses, "build_scale")
    require(options, BuildOptions, "options", "build_scale", "Give BuildOptions(...)")
    require(holdout, Real, "holdout", "build_scale", "Give a share between 0 and 1")
    require(seed, int, "seed", "build_scale", "Give 0 or a positive whole number")
    if exclude is not None:
        require(exclude, Mapping, "exclude", "build_scale", "Give a mapping of item to reason")
    if seed < 0:
        raise InputError(f"seed is {seed}", "build_scale", "Give 0 or a positive whole number")
    chosen = resolve_rules(rules)
    excluded = dict(exclude or {})
    for item, reason in excluded.items():
        require(reason, str, f"the reason for {item!r}", "exclude", "Say in words why the item is left out")
    unknown = [item for item in excluded if item not in set(responses.item_names)]
    if unknown:
        raise InputError(f"excluded item {unknown[0]!r} is unknown", "exclude", "Check the item names")
    building, checking = split_subjects(responses, holdout, seed)
    builder = GroupBuilder(chosen, options, fit, progress, recruitment, seed)
    with compiling_shown(progress):
        outcome = {
            name: builder.build(name, building, checking, items, {k: v for k, v in excluded.items() if k in set(items)})
            for name, items in resolve_groups(responses, groups).items()
        }
    return ScaleBuild(outcome, chosen, options)
