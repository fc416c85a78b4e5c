"""Item fit: size of S-X2 over designs, and its power against planted faults."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import chi2, norm

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit
from psyirt.estimation.mml import fit_mml
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.simulation import simulate_responses
from validation.diagnostics.missing import MECHANISMS, Answers
from validation.diagnostics.study import Condition, stream

# (subjects, items)
SIZES = ((500, 20), (1000, 30), (1000, 90))
# planted in the middle item: logit of a right answer at theta
FAULTS = {
    "non-monotone": lambda theta: 1.0 - theta**2,
    "falling at the top": lambda theta: 1.0 + theta - 0.4 * theta**2,
    "flat": lambda theta: 0.3 * theta,
}


@dataclass(frozen=True)
class ItemFitSize:
    """How often S-X2 rejects items that fit."""

    title: str = "Item fit: rejections where every item fits"
    missing: tuple[str, ...] = ("complete", "by design", "too hard")
    more: tuple[str, ...] = ("10 % at random", "30 % at random", "50 % at random", "with ability", "wrong ones")

    def conditions(self, quick: bool) -> tuple[Condition, ...]:
        """Three sizes, two models and three ways of missing; five more ways at 1,000 x 30."""
        if quick:
            return tuple(Condition(500, 20, "2PL", missing) for missing in self.missing)
        first = [
            Condition(subjects, items, model, missing)
            for missing in self.missing
            for subjects, items in SIZES
            for model in ("2PL", "3PL")
        ]
        return (*first, *(Condition(1000, 30, model, missing) for missing in self.more for model in ("2PL", "3PL")))

    def one(self, condition: Condition, seed: int, number: int) -> pd.DataFrame:
        """See :class:`validation.diagnostics.study.Study`."""
        return _rows(simulated_fit(condition, seed, number), {}, ("S-X2",))


@dataclass(frozen=True)
class OtherItemFitSize:
    """What the statistics without a null distribution would do if they were taken for tests, and PV-Q1."""

    title: str = "Item fit: what the other statistics would do as tests where every item fits"

    def conditions(self, quick: bool) -> tuple[Condition, ...]:
        """Complete data."""
        return tuple(Condition(*size, "2PL") for size in SIZES[: 1 if quick else 3])

    def one(self, condition: Condition, seed: int, number: int) -> pd.DataFrame:
        """See :class:`validation.diagnostics.study.Study`."""
        names = ("S-X2", "PV-Q1", "X2", "G2", "infit", "outfit")
        return _rows(simulated_fit(condition, seed, number), {}, names)


@dataclass(frozen=True)
class ItemFitPower:
    """How often S-X2 finds a planted fault, and what it does to the good items beside it."""

    title: str = "Item fit: planted faults"

    def conditions(self, quick: bool) -> tuple[Condition, ...]:
        """One faulty item in the middle of 20 to 90; a whole test under a wrong model."""
        faults = [
            Condition(subjects, items, "2PL", missing, fault)
            for subjects, items in SIZES
            for missing in ("complete", "30 % at random")
            for fault in ("non-monotone", "falling at the top")
        ]
        # under the 2PL a flat item fits: its slope is estimated
        faults += [Condition(subjects, items, "1PL", "complete", "flat") for subjects, items in SIZES]
        wrong = [Condition(subjects, items, "3PL", fitted="1PL") for subjects, items in SIZES]
        wrong += [Condition(subjects, items, "3PL", fitted="2PL") for subjects, items in SIZES]
        return (faults[0], faults[2]) if quick else (*faults, *wrong)

    def one(self, condition: Condition, seed: int, number: int) -> pd.DataFrame:
        """See :class:`validation.diagnostics.study.Study`."""
        fit = simulated_fit(condition, seed, number)
        planted = {fit.item_names[j]: True for j in _planted(condition)}
        return _rows(fit, planted, ("S-X2",))


def true_items(condition: Condition, seed: int) -> ItemParameters:
    """The true parameters: log a ~ N(.2, .3), b ~ N(0, 1), c ~ uniform(.1, .3)."""
    return simulate_responses(1, condition.items, condition.model, seed=seed).item_parameters


def simulated_fit(condition: Condition, seed: int, number: int) -> Calibration:
    """One data set of a condition, fitted."""
    drawn = stream(seed, number)
    study = simulate_responses(condition.subjects, true_items(condition, seed), seed=drawn)
    theta, codes = study.theta.to_numpy(), study.responses.codes.copy()
    rng = np.random.default_rng([drawn, 1])
    if condition.fault:
        for j in _planted(condition):
            codes[:, j] = rng.random(len(theta)) < expit(FAULTS[condition.fault](theta))
    answers = Answers(codes, theta, study.items["b"].to_numpy())
    codes[MECHANISMS[condition.missing](answers, rng.random(codes.shape))] = -1
    responses = Responses(codes, study.responses.subject_names, study.responses.item_names)
    return fit_mml(responses, condition.fitted or condition.model)


def _planted(condition: Condition) -> tuple[int, ...]:
    """Which items are faulty: the middle one, or all where a wrong model is fitted."""
    if condition.fitted:
        return tuple(range(condition.items))
    return (condition.items // 2,) if condition.fault else ()


def _rows(fit: Calibration, planted: dict[str, bool], names: tuple[str, ...]) -> pd.DataFrame:
    """p of every item by every statistic."""
    frames = []
    for name in names:
        p = nominal_p(fit, name)
        faulty = [planted.get(item, False) for item in p.index]
        frames.append(pd.DataFrame({"test": name, "unit": p.index, "p": p.to_numpy(), "planted": faulty}))
    return pd.concat(frames, ignore_index=True)


def nominal_p(fit: Calibration, name: str) -> pd.Series:
    """The table's p; where it gives none because there is no null distribution, what textbooks would compute."""
    table = item_fit(fit, name)
    if table.has_null:
        return table["p"]
    if "z" in table.frame:
        return pd.Series(2.0 * norm.sf(table["z"].abs()), table.frame.index)
    return pd.Series(chi2.sf(table["statistic"], table["df"]), table.frame.index)
