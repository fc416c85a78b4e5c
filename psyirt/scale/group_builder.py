"""The loop for one group of items: fit, flag, remove, refit, until nothing is flagged; then judge what remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
import pandas as pd

from psyirt.data.responses import Responses
from psyirt.diagnostics import tetrachoric
from psyirt.diagnostics.dimensions.one_factor_eigenvalues import one_factor_eigenvalues
from psyirt.diagnostics.items.guessing import guessing_test
from psyirt.errors import InputError
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.models.item_types import THREE_PL, TWO_PL, ItemType
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scale.holdout import check_on_holdout
from psyirt.scale.options import BuildOptions
from psyirt.scale.rules import Evidence, Flag, Rule
from psyirt.scale.scale import Scale

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
    first_calibration : Calibration or None
        The fit before any rule removed an item; None where no fit was possible.
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
    first_calibration: Calibration | None
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
class GroupBuilder:
    """The loop for one group, with what stays the same over groups."""

    rules: tuple[Rule, ...]
    options: BuildOptions
    fit: Estimator
    progress: Progress
    recruitment: str
    seed: int

    def build(
        self, name: str, responses: Responses, holdout: Responses | None, items: list[str], excluded: dict[str, str]
    ) -> GroupBuild:
        """Exclude, test guessing, prune, judge."""
        history = [_row(0, name, Flag(item, "excluded by you", np.nan, np.nan, why)) for item, why in excluded.items()]
        remaining = [item for item in items if item not in excluded]
        kinds, guessing, reasons = self._guessing(name, responses, remaining)
        fits: list[Evidence] = []
        if not reasons:
            reasons = self._prune(name, responses, remaining, kinds, history, fits)
        evidence = fits[-1] if fits else None
        calibration = evidence.calibration if evidence else None
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
            first_calibration=fits[0].calibration if fits else None,
            calibration=calibration,
            scale=scale,
            history=tuple(history),
            guessing=guessing,
            evidence=evidence,
            eigenvalues=eigenvalues,
            holdout=check_on_holdout(holdout, calibration, self.options) if scale is not None else None,
            reasons=tuple(reasons),
            notes=tuple(dict.fromkeys(evidence.notes)) if evidence else (),
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
        fits: list[Evidence],
    ) -> list[str]:
        """Fit, flag, remove, refit; appends to `history` and `fits`. Reasons if a fit was not possible."""
        remaining, notes = list(items), list[str]()
        for iteration in count(1):
            self.progress(ProgressEvent(f"{name}: pruning", iteration, None, f"{len(remaining)} items"))
            try:
                calibration = self.fit(
                    responses.select(items=remaining),
                    {item: kinds[item] for item in remaining},
                    start=fits[-1].calibration if fits else None,
                    options=self.options.mml,
                )
            except InputError as error:
                return [f"after {len(items) - len(remaining)} removals: {error}"]
            apart = [Flag(item, "constant item", np.nan, np.nan, why) for item, why in calibration.set_aside.items()]
            fits.append(Evidence(calibration, self.options.adjust, self.options.min_complete_share, notes))
            flags = next((found for found in (rule(fits[-1]) for rule in self.rules) if found), [])
            history += [_row(iteration, name, flag) for flag in (*apart, *flags)]
            gone = {flag.item for flag in (*apart, *flags)}
            remaining = [item for item in remaining if item not in gone]
            if not flags:
                break
        return []

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
            alone = one_factor_eigenvalues(calibration, seed=self.seed)
            if eigenvalues[1] > np.nanmax(alone):
                reasons.append(
                    f"the first eigenvalue is only {ratio:.2f} times the second ({eigenvalues[1]:.2f}), which one "
                    f"ability alone does not explain (at most {np.nanmax(alone):.2f} in {len(alone)} simulated crowds)"
                )
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
