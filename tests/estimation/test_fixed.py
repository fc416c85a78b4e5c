"""A calibration from given parameters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.latent.population import Grid
from tests.small_data import lsat, simulated

BANK = pd.DataFrame({"a": [1.0, 1.2, 0.8], "b": [-1.0, 0.0, 1.0]}, index=["i1", "i2", "i3"])
RESPONSES = Responses.from_array(simulated(50, 3, seed=41))


@pytest.mark.parametrize("model", ["Rasch", "1PL", "2PL", "4PL"])
def test_fixing_a_fits_own_estimates_gives_back_the_fit(model: str) -> None:
    """fix() is how a published calibration is evaluated: the same numbers must mean the same."""
    responses, frequencies = lsat(7)
    fitted = fit_mml(responses, model, weights=frequencies)
    fixed = fix(fitted.items, model, responses, weights=frequencies, latent_variance=fitted.population.variance)
    assert fixed.loglik == pytest.approx(fitted.loglik, abs=1e-9)
    assert fixed.n_parameters == fitted.n_parameters
    np.testing.assert_allclose(fixed.params, fitted.params, atol=1e-10)
    if model != "4PL":  # a fit's priors are not part of its parameters
        np.testing.assert_allclose(fixed.bse, fitted.bse, rtol=1e-6)
    np.testing.assert_allclose(fixed.abilities()["theta"], fitted.abilities()["theta"], atol=1e-9)


def test_items_are_matched_by_name() -> None:
    """A bank in another order than the data's columns must not give item 1's parameters to item 3."""
    turned = fix(BANK.iloc[::-1], "2PL", RESPONSES)
    assert turned.loglik == pytest.approx(fix(BANK, "2PL", RESPONSES).loglik, abs=1e-10)


@pytest.mark.parametrize(
    ("change", "model", "message"),
    [
        ({"c": [0.2, 0.2, 0.2]}, "2PL", "item 'i1': c is not the value 2PL fixes"),
        ({"d": [1.0, 0.9, 1.0]}, "3PL", "item 'i2': d is not the value 3PL fixes"),
        ({}, "Rasch", "item 'i2': a is not the value Rasch fixes"),
        ({}, "1PL", "a is not the value 1PL shares"),
    ],
)
def test_parameters_that_contradict_the_model_are_refused(change: dict[str, object], model: str, message: str) -> None:
    """A 1PL with three slopes has wrong degrees of freedom; a 2PL with guessing is none."""
    with pytest.raises(InputError, match=message):
        fix(BANK.assign(**change), model)


def test_equal_slopes_are_a_1pl() -> None:
    """The check above must let through what is right."""
    assert fix(BANK.assign(a=1.1), "1PL").n_parameters == 4


@pytest.mark.parametrize("variance", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_variance_is_refused(variance: float) -> None:
    """An infinite variance scores with uniform weights."""
    with pytest.raises(InputError, match="variance"):
        fix(BANK, "2PL", latent_variance=variance)


def test_items_without_parameters_or_responses_are_named() -> None:
    """Responses quietly left out, or items quietly unanswered, change every total."""
    more = Responses.from_array(simulated(50, 4, seed=42))
    with pytest.raises(InputError, match="1 items have no parameters, the first is 'i4'"):
        fix(BANK, "2PL", more)
    with pytest.raises(InputError, match="item 'i3' is unknown"):
        fix(BANK, "2PL", RESPONSES.select(items=["i1", "i2"]))
    with pytest.raises(InputError, match="weights without responses"):
        fix(BANK, "2PL", weights=np.ones(50))


def test_the_grid_given_is_the_grid_used() -> None:
    """An ignored grid shows only in the third decimal."""
    coarse = fix(BANK, "2PL", RESPONSES, grid=Grid(7, -3.0, 3.0))
    assert coarse.grid.count == 7
    assert coarse.loglik != fix(BANK, "2PL", RESPONSES).loglik


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"items": [1.0, 2.0]}, "the parameters are a list"),
        ({"responses": [[1, 0, 1]]}, "responses is a list"),
        ({"responses": RESPONSES, "weights": ["once"] * RESPONSES.shape[0]}, "a weight is not a number"),
        ({"latent_variance": "1"}, "latent_variance is a str"),
        ({"grid": 61}, "grid is a int"),
    ],
)
def test_arguments_of_another_type_are_refused_in_one_line(arguments, message) -> None:
    """An AttributeError from inside does not say which argument was wrong."""
    with pytest.raises(InputError, match=message):
        fix(**({"items": BANK} | arguments))
