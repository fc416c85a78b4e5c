"""Every diagnostic of one set of responses in one result, its findings in sentences."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from psyirt.data.any_responses import AnyResponses, as_table
from psyirt.data.responses import Responses
from psyirt.diagnostics.adjustment import require_level
from psyirt.diagnostics.dimensions.dimension_count import Dimensionality, dimensionality
from psyirt.diagnostics.items.classical_statistics import ClassicalStatistics, classical
from psyirt.diagnostics.items.fit import item_fit
from psyirt.diagnostics.overview import findings
from psyirt.diagnostics.pairs.dependence import local_dependence
from psyirt.diagnostics.persons.fit import person_fit
from psyirt.diagnostics.whole_model.model_fit import ModelFit, model_fit
from psyirt.diagnostics.whole_model.reliability_coefficients import reliability
from psyirt.errors import PsyirtError
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.model_choice import ModelChoice
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scoring.information import information
from psyirt.scoring.sum_scores import sum_score_table
from psyirt.simulation.streams import whole

_THETA = np.linspace(-4.0, 4.0, 17)
_STEPS = 7


@dataclass(frozen=True, eq=False)
class CheckUp(OwnsTables):
    """What every diagnostic says.

    Attributes
    ----------
    calibration : Calibration
        The fit that was checked.
    classical : ClassicalStatistics
        Proportions correct, item-rest correlations, alpha.
    item_fit : StatisticTable
        S-X2, index item.
    pairs : StatisticTable
        LD-X2, index (item_1, item_2).
    persons : StatisticTable
        lz*, index subject.
    model_fit : ModelFit
        M2, RMSEA, SRMSR, CFI, TLI.
    dimensions : Dimensionality or None
        Criteria for the number of abilities; None where `draws` was 0, or where there is no answer (see `notes`).
    reliability : DataFrame, index coefficient
        Of abilities and of the number right.
    information : DataFrame, index theta
        Test information and conditional standard error.
    sum_scores : DataFrame or None, index score
        Number right -> theta; None where responses are missing or there is no such table (see `notes`).
    notes : tuple of str
        What could not be computed, and why.
    """

    calibration: Calibration
    classical: ClassicalStatistics
    item_fit: StatisticTable
    pairs: StatisticTable
    persons: StatisticTable
    model_fit: ModelFit
    dimensions: Dimensionality | None
    reliability: pd.DataFrame
    information: pd.DataFrame
    sum_scores: pd.DataFrame | None
    notes: tuple[str, ...] = ()

    @property
    def items(self) -> pd.DataFrame:
        """All numbers of each item: classical, parameters with standard errors, S-X2, infit, outfit, notes."""
        before = self.classical.items[["n", "difficulty", "item_rest"]].rename(
            columns={"difficulty": "proportion_correct"}
        )
        estimates = self.calibration.items.drop(columns="n").rename(columns={"note": "estimate_note"})
        fit = self.item_fit.frame.rename(columns=lambda name: "s_x2" if name == "statistic" else f"s_x2_{name}")
        squares = {
            name: item_fit(self.calibration, name)["statistic"].reindex(before.index) for name in ("infit", "outfit")
        }
        table = before.join(estimates).join(fit).assign(**squares)
        for name, reason in self.calibration.set_aside.items():
            table.loc[name, ["estimate_note", "s_x2_note"]] = f"set aside: {reason}"
        return table

    @property
    def findings(self) -> tuple[str, ...]:
        """What a reader should look at, in sentences, the whole before its parts."""
        return findings.sentences(self)

    def __repr__(self) -> str:
        """The findings and notes."""
        head = f"check of {self.calibration.model_name}, {len(self.calibration.item_names)} items, "
        head += f"{self.calibration.nobs:.10g} subjects"
        lines = [f"- {sentence}" for sentence in self.findings] + [f"note: {note}" for note in self.notes]
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return f"<pre>{html.escape(repr(self))}</pre>"


def check(
    responses: AnyResponses,
    model: ModelChoice = "2PL",
    *,
    weights: ArrayLike | None = None,
    adjust: str = "holm",
    alpha: float = 0.05,
    draws: int = 100,
    seed: int = 0,
    progress: Progress = silent,
) -> CheckUp:
    """Fit a model and run every diagnostic on it: items, pairs, persons, the whole, dimensions, reliability.

    Parameters
    ----------
    responses : Responses
        Subjects x items.
    model : str, ItemType, or mapping or sequence of them
        See ``fit_mml``.
    weights : array_like, shape (subjects,), optional
        Frequency weights.
    adjust : {"holm", "fdr_bh", "none"}
        Adjustment of p-values over items and over pairs (over subjects always the false discovery rate).
    alpha : float
        Level of all flags.
    draws : int
        Simulated data sets for the number of dimensions; 0 leaves that out.
    seed : int
        What these are drawn from.
    progress : callable
        Receives an event per diagnostic, and those of the fit.

    Returns
    -------
    CheckUp

    Raises
    ------
    InputError
        If the responses cannot be fitted or an option is out of range.

    Examples
    --------
    >>> import psyirt
    >>> answers = psyirt.simulate_responses(subjects=400, items=8, seed=1).responses
    >>> checked = psyirt.check(answers, draws=0)
    >>> len(checked.items), len(checked.item_fit.flagged)
    (8, 0)
    """
    responses = as_table(responses, "check")
    require_level(alpha)
    whole(draws, "draws", 0)
    whole(seed, "seed", 0)
    notes: list[str] = []
    calibration = fit_mml(responses, model, weights=weights, progress=progress)
    steps = iter(range(1, _STEPS + 1))

    def step(what: str) -> None:
        progress(ProgressEvent("diagnostics", next(steps), _STEPS, what))

    step("classical statistics")
    before = classical(responses, weights=weights)
    step("item fit")
    items = item_fit(calibration, adjust=adjust, alpha=alpha)
    step("local dependence")
    pairs = local_dependence(calibration, adjust=adjust, alpha=alpha)
    step("person fit")
    persons = person_fit(calibration, alpha=alpha)
    step("model fit")
    overall = model_fit(calibration)
    step("reliability")
    table, coefficients = _sum_scores(calibration, notes), reliability(calibration)
    step("dimensions")
    dimensions = _dimensions(responses, weights, draws, seed, progress, notes) if draws else None
    return CheckUp(
        calibration,
        before,
        items,
        pairs,
        persons,
        overall,
        dimensions,
        coefficients,
        information(calibration, _THETA),
        table,
        tuple(notes),
    )


def _sum_scores(calibration: Calibration, notes: list[str]) -> pd.DataFrame | None:
    """The table of sum scores, or a note."""
    if calibration.patterns is not None and not calibration.patterns.is_complete:
        notes.append("no table of sum scores: responses are missing, so that equal sums are not equal abilities")
        return None
    return sum_score_table(calibration)


def _dimensions(
    responses: Responses, weights: Any, draws: int, seed: int, progress: Progress, notes: list[str]
) -> Dimensionality | None:
    """The criteria, or a note where the responses allow none."""
    try:
        return dimensionality(responses, draws=draws, seed=seed, weights=weights, progress=progress)
    except PsyirtError as error:
        notes.append(f"no count of dimensions: {error}")
        return None
