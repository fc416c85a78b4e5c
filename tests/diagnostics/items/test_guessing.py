"""The guessing test: its likelihood ratio is the true one, and its power is the power it has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from psyirt.diagnostics.items.guessing import guessing_test
from psyirt.diagnostics.items.held_item import HeldItem
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.simulation import simulate_responses

ITEMS = [f"i{k}" for k in range(8)]


def crowd(guessing=0.0, subjects=2000, seed=1):
    bank = pd.DataFrame({"a": 2.0, "b": np.linspace(-1.5, 1.0, 8), "c": 0.0}, index=ITEMS)
    bank.loc["i7", "c"] = guessing
    return simulate_responses(subjects, bank, seed=seed).responses


@pytest.fixture(scope="module")
def guessed():
    return fit_mml(crowd(guessing=0.35))


@pytest.fixture(scope="module")
def table(guessed):
    return guessing_test(guessed)


def test_the_ratio_is_that_of_two_full_fits(guessed, table):
    """The search holds the other items at first; what it reports must not."""
    model = dict.fromkeys(ITEMS, "2PL") | {"i7": "3PL"}
    options = MMLOptions(tolerance=1e-4)
    full = fit_mml(guessed.responses, model, priors={"c": None}, start=guessed, options=options)
    assert table.loc["i7", "statistic"] == pytest.approx(2 * (full.loglik - guessed.loglik), abs=2e-3)
    assert table.loc["i7", "c"] == pytest.approx(full.items.loc["i7", "c"], abs=0.01)


def test_only_the_guessed_item_is_flagged(table):
    assert table["flag"].to_dict() == {item: item == "i7" for item in ITEMS}


def test_a_ratio_of_zero_is_no_evidence_at_all(table):
    frame = table.frame
    assert (frame["statistic"] >= 0).all()
    assert (frame.loc[frame["statistic"] == 0, "p"] == 1.0).all()
    assert (frame.loc[frame["statistic"] > 0, "p"] < 0.5 + 1e-12).all()


def test_an_easy_item_has_no_power_and_a_hard_one_has(table):
    power = table["power"]
    assert power["i0"] < 0.2
    assert power["i6"] > 0.6


def test_the_held_likelihood_is_the_marginal_one_up_to_a_constant(guessed):
    """Differences in one item's parameters must be those of the whole log-likelihood."""
    held = HeldItem.of(guessed, 3)
    at = guessed.item_parameters.values[3]
    moved = guessed.items[["a", "intercept"]].copy()
    moved.loc["i3"] += [0.3, -0.2]
    there = fix(moved, "2PL", guessed.responses).loglik - guessed.loglik
    x = np.array([at[0], at[1], -np.inf])
    assert held.log_likelihood(x + np.array([0.3, -0.2, 0.0])) - held.log_likelihood(x) == pytest.approx(
        there, abs=1e-8
    )


def test_models_with_priors_or_asymptotes_are_refused(guessed):
    with pytest.raises(InputError, match="needs a 2PL fit"):
        guessing_test(fit_mml(guessed.responses, "3PL"))


@pytest.mark.slow
def test_the_power_is_the_share_of_simulated_crowds_in_which_the_item_is_found():
    planned = guessing_test(fit_mml(crowd(subjects=1500)), adjust="none").loc["i5", "power"]
    bank = pd.DataFrame({"a": 2.0, "b": np.linspace(-1.5, 1.0, 8), "c": 0.0}, index=ITEMS)
    bank.loc["i5", "c"] = 0.2
    # the power is planned for the first step of Holm's procedure: level .05 / 8
    found = [
        guessing_test(fit_mml(simulate_responses(1500, bank, seed=200 + k).responses)).loc["i5", "p"] < 0.05 / 8
        for k in range(60)
    ]
    assert np.mean(found) == pytest.approx(planned, abs=3.5 * np.sqrt(planned * (1 - planned) / 60) + 0.05)


@pytest.mark.slow
def test_without_guessing_the_test_keeps_its_level():
    p = np.concatenate([guessing_test(fit_mml(crowd(seed=300 + k)))["p"] for k in range(60)])
    assert np.mean(p < 0.05) < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / len(p))
    assert np.mean(p == 1.0) > 0.25


def test_p_is_that_of_the_mixture(table):
    """On the boundary half of the null distribution lies at 0: chi-square(1) alone would give twice the p."""
    frame = table.frame[table.frame["statistic"] > 0]
    assert len(frame) >= 3
    np.testing.assert_allclose(frame["p"], [0.5 * chi2.sf(x, 1) for x in frame["statistic"]], rtol=1e-12)
