"""Fits of other samples from the estimates on."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from tests.small_data import simulated


@pytest.mark.parametrize(("model", "missing"), [("2PL", 0.0), ("Rasch", 0.1)])
def test_it_is_a_fit_of_the_new_sample(model: str, missing: float) -> None:
    """Statistics kept from the first sample would make all samples alike, and standard errors nearly 0."""
    codes = simulated(400, 5, seed=4, missing=missing)
    options = MMLOptions(tolerance=1e-8)
    fit = fit_mml(Responses.from_array(codes), model, options=options)
    other = Responses.from_array(codes[np.random.default_rng(1).integers(0, 400, 400)])
    assert fit.refit is not None
    x, converged = fit.refit(collapse(other))
    assert converged
    np.testing.assert_allclose(x, fit_mml(other, model, options=options).x, atol=1e-5)
    assert np.abs(x - fit.x).max() > 0.02


def test_a_sample_in_which_an_item_is_constant_has_no_estimates() -> None:
    """Its intercept would stop wherever the criterion was met."""
    codes = simulated(100, 4, seed=4)
    fit = fit_mml(Responses.from_array(codes), "2PL")
    assert fit.refit is not None
    x, converged = fit.refit(collapse(Responses.from_array(codes[codes[:, 1] == 1])))
    assert not converged
    np.testing.assert_array_equal(x, fit.x)


def test_a_sample_that_stops_at_the_limit_has_not_converged() -> None:
    """An unfinished fit is near its start, the estimates: it would shrink the errors."""
    codes = simulated(200, 4, seed=4)
    with pytest.warns(UserWarning, match="2 iterations"):
        fit = fit_mml(Responses.from_array(codes), "2PL", options=MMLOptions(max_iterations=2))
    assert fit.refit is not None
    assert not fit.refit(collapse(Responses.from_array(codes[50:])))[1]
