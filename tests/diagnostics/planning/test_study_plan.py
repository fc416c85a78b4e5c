"""Plans: what they promise must be what a study of that size has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import psyirt
from psyirt.diagnostics.planning.expected_errors import draw_crowd
from psyirt.diagnostics.planning.study_plan import plan
from psyirt.errors import InputError
from psyirt.models.registry import ITEM_TYPES
from psyirt.simulation.item_draws import draw_items

BANK = pd.DataFrame({"a": [1.5, 0.8, 1.2, 2.0, 1.0, 1.3], "b": [-1.0, 0.0, 0.5, 1.0, -0.5, 0.2]}, index=list("ABCDEF"))


def test_promised_errors_are_those_of_a_fit() -> None:
    """A plan that promises half the real standard error costs somebody a study."""
    promised = plan(BANK, 4000, seed=1).items
    fit = psyirt.fit_mml(psyirt.simulate_responses(4000, BANK, seed=8).responses, "2PL")
    for column in ("se_a", "se_b"):
        np.testing.assert_allclose(promised[column], fit.items[column], rtol=0.2)
    assert list(promised.index) == list("ABCDEF")


def test_simulated_studies_agree_with_information_in_large_samples() -> None:
    """Two ways to the same number; neither knows of the other."""
    simulated = plan(BANK, 2000, method="simulation", replications=60, seed=2)
    np.testing.assert_allclose(simulated.median_se_b, plan(BANK, 2000).median_se_b, rtol=0.2)
    assert (simulated.items["lost"] == 0).all()
    # the median of |normal| is .674 of its sd
    np.testing.assert_allclose(simulated.items["error_a"] / simulated.items["se_a"], norm.ppf(0.75), rtol=0.35)


def test_errors_fall_with_the_root_of_subjects_and_answers() -> None:
    """What subjects_for computes with must hold for the plan itself."""
    small = plan(BANK, 500)
    assert plan(BANK, 2000).median_se_b == pytest.approx(0.5 * small.median_se_b, rel=1e-9)
    assert small.subjects_for(0.5 * small.median_se_b) == 2000
    fewer = plan(BANK, 500, answers_per_subject=3)
    assert (fewer.items["answers"] == 250).all()
    assert fewer.median_se_b > 1.35 * small.median_se_b
    assert fewer.reliability < small.reliability


def test_systems_by_hand() -> None:
    """SE 1 / sqrt(sum of a^2 P Q); power of a z-test with the errors of both systems."""
    found = plan(BANK, 500, difference=1.0).systems

    def information(theta: float) -> float:
        p = 1 / (1 + np.exp(-BANK["a"] * (theta - BANK["b"])))
        return float((BANK["a"] ** 2 * p * (1 - p)).sum())

    assert found.loc[0.5, "se"] == pytest.approx(information(0.5) ** -0.5)
    gap = 1.0 / np.sqrt(1 / information(0.5) + 1 / information(1.5))
    assert found.loc[0.5, "power"] == pytest.approx(norm.sf(1.959964 - gap) + norm.cdf(-1.959964 - gap), abs=1e-6)
    row = plan(BANK, 500).items.loc["B"]
    assert row["power_a"] == pytest.approx(norm.cdf(row["a"] / row["se_a"] - 1.959964), abs=1e-6)


def test_studies_without_finite_estimates_are_counted() -> None:
    """With 25 people slopes run away; a mean over the lucky studies alone would hide that."""
    tiny = plan(BANK, 25, method="simulation", replications=20, seed=3)
    assert tiny.items["lost"].max() > 0
    assert "no finite estimate in some study" in repr(tiny)


def test_each_subject_answers_as_many_items_as_planned() -> None:
    """Booklets drawn at random: everyone the same number, every item about as often."""
    items = draw_items(12, ITEM_TYPES["2PL"], np.random.default_rng(1))
    crowd = draw_crowd(items, 600, 4, np.random.default_rng(2))
    answered = crowd.codes >= 0
    assert (answered.sum(axis=1) == 4).all()
    assert answered.sum(axis=0).min() > 150


def test_models() -> None:
    """Rasch items have no slope to estimate, and guessing makes difficulties harder to know."""
    assert plan(10, 300, "Rasch").items["se_a"].isna().all()
    guessing = plan(10, 1000, "3PL", seed=4)
    assert guessing.median_se_b > plan(10, 1000, seed=4).median_se_b
    assert "without priors" in repr(guessing)
    assert "without priors" not in repr(plan(10, 300))
    given = plan(BANK.assign(c=0.2), 1000)
    assert given.median_se_b > plan(BANK, 1000).median_se_b


def test_same_seed_same_plan() -> None:
    """A plan that changes from run to run cannot be cited."""
    assert plan(8, 200, seed=5).items.equals(plan(8, 200, seed=5).items)
    assert not plan(8, 200, seed=5).items.equals(plan(8, 200, seed=6).items)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"subjects": 1}, "subjects"),
        ({"answers_per_subject": 9}, "9 answers to 6 items"),
        ({"answers_per_subject": 0}, "answers_per_subject"),
        ({"method": "magic"}, "method is 'magic'"),
        ({"difference": -1.0}, "difference"),
        ({"alpha": 1.0}, "alpha"),
        ({"replications": 0, "method": "simulation"}, "replications"),
        ({"model": "Rasch"}, "Rasch"),
    ],
)
def test_refusals(options: dict[str, object], match: str) -> None:
    """Each in one line that names the argument."""
    with pytest.raises(InputError, match=match):
        plan(BANK, **{"subjects": 100, **options})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="median_se_b"):
        plan(BANK, 100).subjects_for(0.0)
