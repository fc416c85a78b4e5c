"""MAP, ML and WLE: roots of their equations, the highest of several maxima, infinity where the likelihood says so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.data.responses import Responses
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.abilities import estimate_abilities, score
from tests.reference import scoring as twin
from tests.scoring.instruments import Instrument, answers, as_items, random_answers, random_instrument

STEEP = ItemParameters(("e1", "e2", "h1", "h2"), [6.0, 6.0, 6.0, 6.0], [12.0, 11.0, -12.0, -13.0], 0.25)


def test_ml_solves_the_score_equation(rng: np.random.Generator) -> None:
    """2PL: at the ML estimate the weighted sum of correct responses equals its expectation."""
    instrument = random_instrument(rng, 20)
    responses = random_answers(rng, instrument, 100)
    theta = score(instrument, responses, "ML")["theta"].to_numpy()
    assert np.isfinite(theta).all()
    p = instrument.item_parameters
    expected = expit(theta[:, None] * p.slopes[:, 0] + p.intercepts) @ p.slopes[:, 0]
    np.testing.assert_allclose(responses.codes @ p.slopes[:, 0], expected, atol=1e-10)


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (0.25, 1.0), (0.15, 0.9)])
def test_map_and_wle_are_the_twins(rng: np.random.Generator, lower: float, upper: float) -> None:
    """A local maximum taken for the highest; a bias term with the wrong sign; a prior that is not used."""
    instrument = random_instrument(rng, 5, lower, upper)
    responses = random_answers(rng, instrument, 8, missing=0.2)
    population = NormalPopulation(0.5, 2.25)
    items = as_items(instrument.item_parameters)
    modes = estimate_abilities(instrument.item_parameters, population, Grid(), responses, "MAP")["theta"]
    weighted = score(instrument, responses, "WLE")["theta"]
    for pattern, mode, wle in zip(responses.codes, modes, weighted, strict=True):
        answered = [None if code < 0 else int(code) for code in pattern]
        assert mode == pytest.approx(twin.posterior_mode(items, answered, 0.5, 1.5), abs=1e-6)
        assert wle == pytest.approx(twin.weighted_likelihood(items, answered), abs=1e-5)


def test_the_highest_of_two_modes_is_found() -> None:
    """Hard items right and easy ones wrong: the 3PL posterior has two modes, and Newton's method takes the nearer."""
    instrument = Instrument(STEEP, NormalPopulation(0.0, 4.0))
    patterns = [f"{k:04b}" for k in range(16)]
    found = score(instrument, answers(*patterns, names=STEEP.item_names), "MAP")["theta"]
    items, two = as_items(STEEP), 0
    grid = np.linspace(-8, 8, 3201)
    for pattern, theta in found.items():
        marks = [int(mark) for mark in str(pattern)]
        curve = np.array([twin.log_likelihood(items, marks, x) - x * x / 8.0 for x in grid])
        two += np.count_nonzero((curve[1:-1] > curve[:-2]) & (curve[1:-1] > curve[2:])) > 1
        assert theta == pytest.approx(grid[curve.argmax()], abs=0.006)
    assert two >= 2


def test_ml_is_infinite_where_guessing_explains_best() -> None:
    """3PL: some patterns are likelier at minus infinity than anywhere; a finite local maximum must not hide that."""
    patterns = [f"{k:04b}" for k in range(16)]
    found = score(Instrument(STEEP), answers(*patterns, names=STEEP.item_names), "ML")
    items = as_items(STEEP)
    grid = np.linspace(-10, 10, 4001)
    infinite = 0
    for pattern, (theta, se) in zip(patterns, found.to_numpy(), strict=True):
        marks = [int(mark) for mark in pattern]
        best = max(twin.log_likelihood(items, marks, x) for x in grid)
        at_minus = sum(np.log(0.25) if mark else np.log(0.75) for mark in marks)
        if pattern == "1111":
            assert theta == np.inf
        elif at_minus >= best - 1e-12:
            assert theta == -np.inf
            infinite += 1
        else:
            assert twin.log_likelihood(items, marks, theta) >= best - 1e-9
        assert np.isnan(se) == np.isinf(theta)
    assert 2 <= infinite <= 14


def test_ml_with_an_upper_asymptote_and_a_negative_slope() -> None:
    """All right is not +inf where an item falls with ability; one wrong does not forbid +inf where slips happen."""
    slipping = Instrument(ItemParameters(("x", "y", "z"), [1.0, 1.0, 1.0], [9.0, 9.0, -9.0], 0.0, 0.9))
    falling = Instrument(ItemParameters(("x", "y"), [1.0, -1.0], [0.0, 0.0]))
    assert score(slipping, answers("101", names=("x", "y", "z")), "ML")["theta"].item() == np.inf
    assert score(falling, answers("11", names=("x", "y")), "ML")["theta"].item() == pytest.approx(0.0, abs=1e-10)
    assert score(falling, answers("10", names=("x", "y")), "ML")["theta"].item() == np.inf
    assert score(falling, answers("01", names=("x", "y")), "ML")["theta"].item() == -np.inf


def test_items_without_slope_say_nothing() -> None:
    """A flat item must neither break the search nor move a score."""
    flat = Instrument(ItemParameters(("x", "y"), [0.0, 0.0], [0.3, -0.3]))
    both = Instrument(ItemParameters(("x", "y"), [0.0, 1.3], [0.3, -0.3]))
    responses = answers("10", "11", names=("x", "y"))
    for method in ("ML", "WLE"):
        assert score(flat, responses, method).isna().all(axis=None)
    np.testing.assert_allclose(score(flat, responses, "MAP"), [[0.0, 1.0]] * 2, atol=1e-12)
    for method in ("EAP", "MAP", "WLE"):
        alone = score(both, responses.select(items=["y"]), method)
        np.testing.assert_allclose(score(both, responses, method), alone, atol=1e-10)


def test_scores_far_outside_the_usual_range() -> None:
    """No range is built in: an item of difficulty 300 or of slope 0.01 must not be cut at 6, 10 or 20."""
    far = Instrument(ItemParameters(("x", "y"), [0.5, 0.5], [-150.0, -150.0]))
    shallow = Instrument(ItemParameters(("x", "y"), [0.01, 0.01], [0.0, 1.0]))
    assert score(far, answers("10", names=("x", "y")), "ML")["theta"].item() == pytest.approx(300.0, abs=1e-9)
    assert score(shallow, answers("10", names=("x", "y")), "ML")["theta"].item() == pytest.approx(-50.0, abs=1e-7)
    assert np.isfinite(score(shallow, answers("11", names=("x", "y")), "WLE").to_numpy()).all()


def test_wle_is_less_biased_than_ml(rng: np.random.Generator) -> None:
    """Warm's point: over all patterns of a Rasch test the WLE's expectation is nearer to theta than the MAP's."""
    parameters = ItemParameters(tuple(f"q{k}" for k in range(9)), np.ones(9), np.linspace(-2, 2, 9))
    sums = np.tril(np.ones((10, 9)), -1)
    table = Responses.from_array(sums, item_names=parameters.item_names)
    theta = 1.0
    shares = np.array(twin.score_distribution([twin.probability(i, theta) for i in as_items(parameters)]))
    bias = {m: shares @ score(Instrument(parameters), table, m)["theta"].to_numpy() - theta for m in ("WLE", "MAP")}
    assert abs(bias["WLE"]) < 0.03
    assert bias["MAP"] < -0.2
