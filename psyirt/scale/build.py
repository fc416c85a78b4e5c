"""The scale builder: fit, flag, remove, refit, until nothing is flagged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psyirt.data.responses import Responses
from psyirt.diagnostics import tetrachoric
from psyirt.diagnostics.items.guessing import guessing_test
from psyirt.errors import InputError
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.models.item_types import THREE_PL, TWO_PL, ItemType
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scale.groups import GroupChoice, resolve_groups
from psyirt.scale.holdout import check_on_holdout, split_subjects
from psyirt.scale.options import BuildOptions
from psyirt.scale.rules import Evidence, Flag, Rule, resolve_rules
from psyirt.scale.scale import Scale
from psyirt.scale.summary import build_summary

Estimator = Callable[..., Calibration]

HISTORY_COLUMNS = ("iteration", "group", "item", "rule", "value", "threshold", "reason")
_FEWEST_ITEMS = 3


@dataclass(frozen=True, eq=False)
class GroupBuild:
    """What became of one group of items.

    Attributes
    ----------
    name : str
        The group.
    items_given : tuple of str
        Its items before anything left.
    calibration : Calibration or None
        The last fit; None where no fit was possible.
    scale : Scale or None
        The scale; None where there is none, and then `reasons` say why.
    history : tuple of dict
        What left, in order (see ``ScaleBuild.history``).
    guessing : StatisticTable or None
        The guessing tests before pruning.
    evidence : Evidence or None
        Item fit and local dependence at the last fit.
    eigenvalues : ndarray or None
        Of the tetrachoric matrix of the retained items.
    holdout : StatisticTable or None
        S-X2 of the retained items on subjects who took no part in pruning.
    reasons : tuple of str
        Why there is no scale.
    notes : tuple of str
        What a reader should know.
    """

    name: str
    items_given: tuple[str, ...]
    calibration: Calibration | None
    scale: Scale | None
    history: tuple[dict[str, object], ...]
    guessing: StatisticTable | None = None
    evidence: Evidence | None = None
    eigenvalues: np.ndarray | None = None
    holdout: StatisticTable | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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
    responses: Responses,
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
        Which subjects are held out.
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
    options, chosen = options or BuildOptions(), resolve_rules(rules)
    excluded = dict(exclude or {})
    unknown = [item for item in excluded if item not in set(responses.item_names)]
    if unknown:
        raise InputError(f"excluded item {unknown[0]!r} is unknown", "exclude", "Check the item names")
    building, checking = split_subjects(responses, holdout, seed)
    builder = _Builder(chosen, options, fit, progress, recruitment)
    outcome = {
        name: builder.build(name, building, checking, items, {k: v for k, v in excluded.items() if k in set(items)})
        for name, items in resolve_groups(responses, groups).items()
    }
    return ScaleBuild(outcome, chosen, options)


@dataclass(frozen=True, eq=False)
class _Builder:
    """The loop for one group, with what stays the same over groups."""

    rules: tuple[Rule, ...]
    options: BuildOptions
    fit: Estimator
    progress: Progress
    recruitment: str

    def build(
        self, name: str, responses: Responses, holdout: Responses | None, items: list[str], excluded: dict[str, str]
    ) -> GroupBuild:
        """Exclude, test guessing, prune, judge."""
        history = [_row(0, name, Flag(item, "excluded by you", np.nan, np.nan, why)) for item, why in excluded.items()]
        remaining = [item for item in items if item not in excluded]
        kinds, guessing, reasons = self._guessing(name, responses, remaining)
        calibration, evidence, notes = None, None, []
        if not reasons:
            calibration, evidence, reasons = self._prune(name, responses, remaining, kinds, history)
            notes = list(dict.fromkeys(evidence.notes)) if evidence else []
        eigenvalues = None
        if calibration is not None and calibration.responses is not None and not reasons:
            eigenvalues = tetrachoric(calibration.responses).eigenvalues["eigenvalue"].to_numpy()
            reasons = self._verdict(items, excluded, calibration, eigenvalues)
        scale = None
        if calibration is not None and not reasons:
            scale = self._scale(name, responses, calibration, evidence, history)
        return GroupBuild(
            name=name,
            items_given=tuple(items),
            calibration=calibration,
            scale=scale,
            history=tuple(history),
            guessing=guessing,
            evidence=evidence,
            eigenvalues=eigenvalues,
            holdout=check_on_holdout(holdout, calibration, self.options) if scale is not None else None,
            reasons=tuple(reasons),
            notes=tuple(notes),
        )

    def _guessing(
        self, name: str, responses: Responses, items: list[str]
    ) -> tuple[dict[str, ItemType], StatisticTable | None, list[str]]:
        """Which items stay 3PL, with the table of tests."""
        kinds = dict.fromkeys(items, TWO_PL)
        if len(items) < _FEWEST_ITEMS:
            return kinds, None, [f"only {len(items)} items were given"]
        if not self.options.test_guessing:
            return kinds, None, []
        self.progress(ProgressEvent(f"{name}: guessing tests", 0, len(items)))
        try:
            first = self.fit(responses.select(items=items), "2PL", options=self.options.mml)
        except InputError as error:
            return kinds, None, [str(error)]
        table = guessing_test(first, adjust=self.options.adjust, progress=_renamed(self.progress, name))
        for item in table.frame.index[table.frame["flag"]]:
            kinds[str(item)] = THREE_PL
        return kinds, table, []

    def _prune(
        self,
        name: str,
        responses: Responses,
        items: list[str],
        kinds: dict[str, ItemType],
        history: list[dict[str, object]],
    ) -> tuple[Calibration | None, Evidence | None, list[str]]:
        """Fit, flag, remove, refit; appends to `history`."""
        calibration: Calibration | None = None
        remaining, iteration, notes = list(items), 0, list[str]()
        while True:
            iteration += 1
            self.progress(ProgressEvent(f"{name}: pruning", iteration, None, f"{len(remaining)} items"))
            try:
                calibration = self.fit(
                    responses.select(items=remaining),
                    {item: kinds[item] for item in remaining},
                    start=calibration,
                    options=self.options.mml,
                )
            except InputError as error:
                return calibration, None, [f"after {len(items) - len(remaining)} removals: {error}"]
            apart = [Flag(item, "constant item", np.nan, np.nan, why) for item, why in calibration.set_aside.items()]
            evidence = Evidence(calibration, self.options.adjust, self.options.min_complete_share, notes)
            flags = next((found for found in (rule(evidence) for rule in self.rules) if found), [])
            history += [_row(iteration, name, flag) for flag in (*apart, *flags)]
            gone = {flag.item for flag in (*apart, *flags)}
            remaining = [item for item in remaining if item not in gone]
            if not flags:
                return calibration, evidence, []

    def _verdict(
        self, items: list[str], excluded: Mapping[str, str], calibration: Calibration, eigenvalues: np.ndarray
    ) -> list[str]:
        """Why what remains is no scale; empty if it is one."""
        candidates, kept = len(items) - len(excluded), len(calibration.item_names)
        reasons = []
        if kept < self.options.min_items:
            reasons.append(f"{kept} items remain, a scale needs {self.options.min_items}")
        if candidates - kept > self.options.max_removed_share * candidates:
            reasons.append(
                f"{candidates - kept} of {candidates} items had to leave: one ability does not fit the group"
            )
        if not calibration.converged:
            reasons.append(f"the last fit {calibration.status}")
        ratio = eigenvalues[0] / eigenvalues[1]
        if np.isfinite(ratio) and ratio < self.options.min_eigenvalue_ratio:
            reasons.append(f"the first eigenvalue is only {ratio:.2f} times the second: one ability does not dominate")
        return reasons

    def _scale(
        self,
        name: str,
        responses: Responses,
        calibration: Calibration,
        evidence: Evidence | None,
        history: list[dict[str, object]],
    ) -> Scale:
        """The artefact, with the key, options and texts the responses know."""
        info = responses.item_info
        gold = responses.item_column("gold") if "gold" in info.columns else None
        kept = set(calibration.item_names)
        return Scale.from_calibration(
            calibration,
            name=name,
            key=None if gold is None else {item: str(gold[item]) for item in calibration.item_names},
            label_set=None if gold is None else tuple(sorted({str(label) for label in gold.values()})),
            n_options=_of(responses, "n_options", kept),
            item_text=_of(responses, "text", kept),
            recruitment=self.recruitment,
            history=pd.DataFrame(history, columns=list(HISTORY_COLUMNS)),
            options={"rules": [repr(rule) for rule in self.rules], "build": repr(self.options)},
            statistics=None if evidence is None else evidence.statistics,
        )


def _of(responses: Responses, column: str, kept: set[str]) -> dict[str, object] | None:
    """A column of the item information for the retained items, None where the data have none."""
    if column not in responses.item_info.columns:
        return None
    return {item: value for item, value in responses.item_column(column).items() if item in kept}


def _row(iteration: int, group: str, flag: Flag) -> dict[str, object]:
    """One row of the history."""
    values = (iteration, group, flag.item, flag.rule, flag.value, flag.threshold, flag.reason)
    return dict(zip(HISTORY_COLUMNS, values, strict=True))


def _renamed(progress: Progress, group: str) -> Progress:
    """The same progress, its events labelled with the group."""

    def labelled(event: ProgressEvent) -> None:
        progress(ProgressEvent(f"{group}: {event.task} tests", event.step, event.total, event.message))

    return labelled
