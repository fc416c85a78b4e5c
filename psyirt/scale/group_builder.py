"""One group of items: test guessing, prune, judge what remains, and make the scale."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

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
from psyirt.scale.evidence import Evidence
from psyirt.scale.holdout import check_on_holdout
from psyirt.scale.options import BuildOptions
from psyirt.scale.pruning import Estimator, prune, quiet_fit
from psyirt.scale.rules import Flag, Rule
from psyirt.scale.scale import Scale

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
        few = self._too_few_answers(responses.select(items=remaining)) if len(remaining) >= _FEWEST_ITEMS else {}
        history += [_row(0, name, flag) for flag in few.values()]
        remaining = [item for item in remaining if item not in few]
        if few and len(remaining) < self.options.min_items:
            why = f"{len(few)} of {len(items)} items have fewer than {self.options.min_answers} answers"
            return GroupBuild(name, tuple(items), None, None, None, tuple(history), reasons=(why,))
        kinds, guessing, reasons = self._guessing(name, responses, remaining)
        if reasons:
            return GroupBuild(name, tuple(items), None, None, None, tuple(history), guessing, reasons=tuple(reasons))
        pruned = prune(
            name, responses.select(items=remaining), kinds, self.rules, self.options, self.fit, self.progress
        )
        history += [_row(iteration, name, flag) for iteration, flag in pruned.history]
        reasons, notes = list(pruned.reasons), list(pruned.notes)
        calibration, evidence = pruned.calibration, pruned.evidence
        eigenvalues = scale = held = None
        if calibration is not None and calibration.responses is not None and not reasons:
            eigenvalues = tetrachoric(calibration.responses).eigenvalues["eigenvalue"].to_numpy()
            reasons = self._verdict(calibration, eigenvalues)
        if calibration is not None and not pruned.reasons:
            notes += self._warnings(pruned.candidates, calibration, eigenvalues)
        if calibration is not None and not reasons:
            scale = self._scale(name, responses, calibration, evidence, history)
            held, doubts = check_on_holdout(holdout, calibration, self.options, self.fit)
            notes += doubts
        return GroupBuild(
            name=name,
            items_given=tuple(items),
            first_calibration=pruned.first_calibration,
            calibration=calibration,
            scale=scale,
            history=tuple(history),
            guessing=guessing,
            evidence=evidence,
            eigenvalues=eigenvalues,
            holdout=held,
            reasons=tuple(reasons),
            notes=tuple(dict.fromkeys(notes)),
        )

    def _too_few_answers(self, responses: Responses) -> dict[str, Flag]:
        """Items from whose answers no slope can be learnt."""
        answers = sum((block.codes >= 0).sum(axis=0) for block in responses.blocks())
        least = self.options.min_answers
        return {
            item: Flag(item, "too few answers", float(count), float(least), f"{count} answers")
            for item, count in zip(responses.item_names, np.atleast_1d(answers).tolist(), strict=True)
            if count < least
        }

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
            # what this fit has to say, the first round of pruning says again
            first, _ = quiet_fit(self.fit, responses.select(items=items), "2PL", options=self.options.mml)
        except InputError as error:
            return kinds, None, [str(error)]
        table = guessing_test(first, adjust=self.options.adjust, progress=_renamed(self.progress, name))
        for item in table.frame.index[table.frame["flag"]]:
            kinds[str(item)] = THREE_PL
        return kinds, table, []

    def _verdict(self, calibration: Calibration, eigenvalues: np.ndarray) -> list[str]:
        """Why what remains is no scale; empty if it is one."""
        kept = len(calibration.item_names)
        reasons = []
        if kept < self.options.min_items:
            reasons.append(f"{kept} items remain, a scale needs {self.options.min_items}")
        if not calibration.converged:
            reasons.append(f"the last fit did not converge: {calibration.status}")
        if len(eigenvalues) > 1 and eigenvalues[0] < self.options.min_eigenvalue_ratio * eigenvalues[1]:
            ratio = eigenvalues[0] / eigenvalues[1]
            alone = one_factor_eigenvalues(calibration, seed=self.seed)
            alone = alone[np.isfinite(alone)]
            if len(alone) and eigenvalues[1] > alone.max():
                reasons.append(
                    f"the first eigenvalue is only {ratio:.2f} times the second ({eigenvalues[1]:.2f}), which one "
                    f"ability alone does not explain (at most {alone.max():.2f} in {len(alone)} simulated crowds)"
                )
        return reasons

    def _warnings(self, candidates: int, calibration: Calibration, eigenvalues: np.ndarray | None) -> list[str]:
        """What a reader should know of a group that was or was not accepted."""
        kept = len(calibration.item_names)
        found = []
        if candidates - kept > candidates / 3:
            found.append(
                f"{candidates - kept} of {candidates} items left, over a third: do the items measure one thing?"
            )
        if eigenvalues is not None and len(eigenvalues) < 2:
            found.append("the number of abilities was not checked: some pairs of items have no subjects in common")
        elif eigenvalues is not None and eigenvalues[0] < self.options.min_eigenvalue_ratio * eigenvalues[1]:
            found.append(
                f"the first eigenvalue is only {eigenvalues[0] / eigenvalues[1]:.1f} times the second; crowds "
                "simulated from one ability show the same"
            )
        return found

    def _scale(
        self,
        name: str,
        responses: Responses,
        calibration: Calibration,
        evidence: Evidence | None,
        history: list[dict[str, object]],
    ) -> Scale:
        """The artefact, with the key, options and texts the responses know."""
        kept = set(calibration.item_names)
        return Scale.from_calibration(
            calibration,
            name=name,
            key=None if (gold := _of(responses, "gold", kept)) is None else {k: str(v) for k, v in gold.items()},
            label_set=_labels(responses),
            n_options=_of(responses, "n_options", kept),
            item_text=_of(responses, "text", kept),
            recruitment=self.recruitment,
            history=pd.DataFrame(history, columns=list(HISTORY_COLUMNS)),
            options={"rules": [_described(rule) for rule in self.rules], "build": self.options},
            statistics=None if evidence is None else evidence.statistics,
        )


def _labels(responses: Responses) -> tuple[str, ...] | None:
    """All that can be answered: what the grading knew, else everything that is right somewhere.

    None where that is a single label, which cannot be all that can be said.
    """
    if responses.label_set:
        return responses.label_set
    gold = responses.item_column("gold") if "gold" in responses.item_info.columns else {}
    labels = sorted({str(label) for label in gold.values()})
    return tuple(labels) if len(labels) > 1 else None


def _described(rule: Rule) -> dict[str, object]:
    """A rule as data: its class and its fields; a rule that is no dataclass goes by its name."""
    settings = dataclasses.asdict(rule) if dataclasses.is_dataclass(rule) else {"name": rule.name}
    return {"rule": type(rule).__name__, **settings}


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
