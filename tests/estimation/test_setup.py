"""What a fit accepts, refuses and warns of."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import DataWarning, InputError
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.model_choice import item_types_of
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.setup import set_up
from psyirt.models.item_types import RASCH, TWO_PL
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import Beta, LogNormal, Normal
from tests.small_data import lsat, simulated

CODES = simulated(300, 5, seed=33)


def column(value: float) -> np.ndarray:
    return np.column_stack([CODES, np.full(len(CODES), value)])


@pytest.mark.parametrize(
    ("value", "reason"),
    [(1, "every observed answer is right"), (0, "every observed answer is wrong"), (-1, "nobody answered it")],
)
def test_constant_items_are_set_aside_with_a_warning(value: int, reason: str) -> None:
    """An item all got right has an infinite intercept; left in, it ends at whatever the limit allows."""
    with pytest.warns(DataWarning, match="1 constant item is set aside \\(i6\\)"):
        fit = fit_mml(Responses.from_array(column(value)), "2PL")
    assert fit.set_aside == {"i6": reason}
    assert fit.item_names == ("i1", "i2", "i3", "i4", "i5")
    assert reason in str(fit)
    assert any("set aside" in note for note in fit.notes)


def test_a_prior_on_the_intercept_places_a_constant_item() -> None:
    """With a prior there is a finite estimate, and setting the item aside would lose it; unless nobody answered it."""
    priors = {"intercept": Normal(0.0, 2.0), "a": LogNormal(0.0, 0.5)}
    fit = fit_mml(Responses.from_array(column(1)), "2PL", priors=priors)
    assert fit.items.loc["i6", "intercept"] > fit.items["intercept"].iloc[:5].max()
    by_item = {"intercept": {"i6": Normal(0.0, 2.0)}, "a": LogNormal(0.0, 0.5)}
    assert "i6" in fit_mml(Responses.from_array(column(0)), "2PL", priors=by_item).item_names
    with pytest.warns(DataWarning, match="set aside"):
        assert fit_mml(Responses.from_array(column(-1)), "2PL", priors=priors).set_aside == {"i6": "nobody answered it"}


@pytest.mark.filterwarnings("ignore:1 constant item")
def test_priors_of_items_that_are_set_aside_go_with_them() -> None:
    """A mapping that names every item must not become an error because one of them is constant."""
    priors = {"c": {f"i{k}": Beta(2, 8) for k in range(1, 7)}}
    assert fit_mml(Responses.from_array(column(1)), "3PL", priors=priors).converged


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (CODES[:, :2], "only 2 items vary"),
        (np.column_stack([CODES[:, :2], np.ones((300, 2))]), "only 2 items vary \\(2 of 4 items are constant\\)"),
        (np.tile([1, 0, 1, 1], (50, 1)), "only 0 items vary"),
        (np.empty((0, 5)), "no subjects"),
    ],
)
def test_data_that_carry_no_calibration_are_refused(table: np.ndarray, message: str) -> None:
    """Two items determine no slopes, identical rows determine nothing: a fit would only show its start values."""
    with pytest.raises(InputError, match=message):
        fit_mml(Responses.from_array(table), "2PL")


def test_identical_rows_are_refused_even_with_priors() -> None:
    """With a prior on the intercept constant items stay; the result would be the priors alone."""
    rows = Responses.from_array(np.tile([1, 0, 1, 1], (50, 1)))
    with pytest.raises(InputError, match="all rows are identical"):
        fit_mml(rows, "2PL", priors={"intercept": Normal(0, 2), "a": LogNormal(0, 0.5)})


def test_disconnected_blocks_are_warned_of() -> None:
    """Nothing but the assumption of one population compares two groups that share no items."""
    table = np.full((600, 10), -1)
    table[:300, :5], table[300:, 5:] = CODES, simulated(300, 5, seed=32)
    with pytest.warns(DataWarning, match="2 blocks that share nothing"):
        fit = fit_mml(Responses.from_array(table), "1PL")
    assert any("2 blocks" in note for note in fit.notes)


def test_subjects_without_responses_are_warned_of_and_change_nothing() -> None:
    """An empty row has the population's distribution and no information."""
    with pytest.warns(DataWarning, match="1 subject has no responses and counts for nothing, the first is 's301'"):
        fit = fit_mml(Responses.from_array(np.vstack([CODES, np.full(5, -1)])), "2PL")
    plain = fit_mml(Responses.from_array(CODES), "2PL")
    assert fit.loglik == pytest.approx(plain.loglik, abs=1e-6)
    np.testing.assert_allclose(fit.params, plain.params, atol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "5PL"}, "no model is called '5PL'"),
        ({"model": None}, "None is no model"),
        ({"model": ["2PL"] * 4}, "4 models for 5 items"),
        ({"model": {"i1": "2PL"}}, "no model for 4 items, the first is 'i2'"),
        ({"model": dict.fromkeys(["i1", "i2", "i3", "i4", "i5", "i9"], "2PL")}, "unknown item 'i9'"),
        ({"weights": np.ones(3)}, "3 weights for 300 subjects"),
        ({"weights": -np.ones(300)}, "not a positive number"),
        ({"latent_variance": 0.0}, "variance 0.0"),
        ({"latent_variance": float("inf")}, "variance inf"),
        ({"priors": {"b": Normal(0, 1)}}, "no parameter is called 'b'"),
        ({"priors": {"c": Beta(2, 8)}}, "no item of this model estimates"),
        ({"start": pd.DataFrame({"a": [1.0]})}, "start is a DataFrame"),
        ({"start": ItemParameters(["i1"], [[1.0, 1.0]], [0.0])}, "start has 2 dimensions"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(arguments: dict[str, object], message: str) -> None:
    """An ignored option is believed to be in force."""
    with pytest.raises(InputError, match=message):
        fit_mml(Responses.from_array(CODES), **({"model": "2PL"} | arguments))  # type: ignore[arg-type]


def test_only_responses_are_fitted() -> None:
    """A bare array could hold labels, missing codes of its own, or persons in columns."""
    with pytest.raises(InputError, match=r"Responses\.from_frame"):
        fit_mml(CODES, "2PL")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"tolerance": 0.0}, {"tolerance": float("nan")}, {"max_iterations": 0}])
def test_options_no_fit_can_use_are_refused(bad: dict[str, float]) -> None:
    """A tolerance of NaN is never met and never said so."""
    with pytest.raises(InputError):
        MMLOptions(**bad)  # type: ignore[arg-type]


def test_models_are_named_in_any_case_or_given_as_values() -> None:
    """ "rasch" and RASCH are the same model."""
    assert item_types_of("rasch", ["a", "b"]) == (RASCH, RASCH)
    assert item_types_of({"a": TWO_PL, "b": "Rasch"}, ["a", "b"]) == (TWO_PL, RASCH)


def test_start_values_stay_inside_the_model() -> None:
    """A start with impossible values ends the fit before it begins: negative correlations meet a lognormal prior."""
    codes = CODES.copy()
    codes[:, 0] = 1 - codes[:, 0]
    setup = set_up(Responses.from_array(codes), "4PL", {"a": LogNormal(0.0, 0.5)}, None, None, None, MMLOptions())
    assert setup.problem.in_domain(setup.start)
    assert np.isfinite(setup.problem.priors.log_density(setup.start))
    flat = ItemParameters(["i1", "i2", "i3", "i4", "i5"], np.zeros(5), np.zeros(5))
    at_zero = set_up(Responses.from_array(codes), "2PL", {"a": LogNormal(0.0, 0.5)}, None, None, flat, MMLOptions())
    assert np.isfinite(at_zero.problem.priors.log_density(at_zero.start))


def test_options_per_item_centre_the_default_guessing_prior() -> None:
    """A three-option item is guessed at 1/3; its prior must stand there (LSAT6 says nothing about guessing itself)."""
    patterns, frequencies = lsat(6)
    info = pd.DataFrame({"n_options": [3, 3, 3, 3, 3]}, index=list(patterns.item_names))
    three = Responses.from_array(patterns.codes, item_info=info)
    found = fit_mml(three, "3PL", weights=frequencies).items["c"]
    assert found.between(0.29, 0.34).all()
    assert fit_mml(patterns, "3PL", weights=frequencies).items["c"].between(0.17, 0.22).all()


def test_good_data_give_no_warning() -> None:
    """A warning that always comes is read by nobody."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit_mml(Responses.from_array(CODES), "2PL").notes == ()


@pytest.mark.parametrize(
    "bad", [{"accelerate": "no"}, {"accelerate": None}, {"grid": 61}, {"tolerance": "1e-5"}, {"max_iterations": 10.0}]
)
def test_options_of_another_type_are_refused(bad: dict[str, object]) -> None:
    """accelerate="no" is true, and would accelerate."""
    with pytest.raises(InputError, match=r"^MMLOptions: .* is a "):
        MMLOptions(**bad)  # type: ignore[arg-type]


def test_weights_that_are_no_numbers_are_refused() -> None:
    """A column of words read from a file must be named as weights, not as a float() that failed."""
    with pytest.raises(InputError, match=r"^weights: a weight is not a number"):
        fit_mml(Responses.from_array(CODES), weights=["once"] * len(CODES))


def test_subjects_without_answers_are_no_part_of_the_sample() -> None:
    """Counted, they halve percentiles of a crowd, and enter nobs, BIC and reliability at the population mean."""
    codes = simulated(300, 8, seed=5).astype(float)
    padded = np.vstack([codes, np.full((200, 8), np.nan)])
    weights = np.arange(500.0) + 1
    alone = fit_mml(Responses.from_array(codes), weights=weights[:300])
    with pytest.warns(DataWarning, match="200 subjects have no responses"):
        fit = fit_mml(Responses.from_array(padded), weights=weights)
    assert fit.nobs == alone.nobs
    assert fit.bic == pytest.approx(alone.bic, rel=1e-12)
    assert fit.abilities().index.tolist() == [f"s{k + 1}" for k in range(300)]
    np.testing.assert_allclose(fit.params, alone.params, atol=1e-10)
