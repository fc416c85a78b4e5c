"""S-X2 of a bank whose parameters come from elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import psyirt

BANK = pd.DataFrame(
    {"a": np.linspace(0.8, 2.0, 10), "b": [-1.0, 0, 1, 0.5, 0, 0.3, -0.4, 0.8, -1.2, 0.1]}, index=list("uvwxyzabcd")
)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_known_parameters_cost_nothing(missing: float) -> None:
    """With two degrees of freedom taken off, 12 % of good items had p below .05; the test says .05."""
    rejected = []
    for seed in range(40):
        crowd = psyirt.simulate_responses(400, BANK, seed=seed, missing=missing).responses
        rejected.append(psyirt.item_fit(psyirt.fix(BANK, responses=crowd), known=True)["p"] < 0.05)
    assert 0.025 < np.mean(rejected) < 0.085


def test_given_parameters_are_said_to_count_as_estimated() -> None:
    """Published parameters of the same responses do cost degrees of freedom; which case it is only the user knows."""
    crowd = psyirt.simulate_responses(400, BANK, seed=1).responses
    given, fitted = psyirt.fix(BANK, responses=crowd), psyirt.fit_mml(crowd)
    assert any("known=True" in note for note in psyirt.item_fit(given).notes)
    assert psyirt.item_fit(fitted).notes == psyirt.item_fit(given, known=True).notes == ()
    known, counted = psyirt.item_fit(given, known=True), psyirt.item_fit(given)
    np.testing.assert_array_equal(known["df"] - counted["df"], 2.0)
    np.testing.assert_array_equal(known["df"], known["rows"])
