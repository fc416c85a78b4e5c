"""A fit that has no finite estimate says so, names the item, and does not spend every iteration on it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import ConvergenceWarning, QuadratureWarning
from psyirt.estimation.ending import quadrature_warnings
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import LogNormal
from psyirt.simulation import simulate_responses


@pytest.fixture(scope="module")
def separated():
    """Ten good items, and one that is right exactly where at least six of them are."""
    bank = pd.DataFrame({"a": 1.5, "b": np.linspace(-1.5, 1.5, 10)}, index=[f"i{k}" for k in range(10)])
    frame = simulate_responses(400, bank, seed=1).responses.to_frame()
    return Responses.from_frame(frame.assign(separated=(frame.sum(axis=1) >= 6).astype(int)))


def test_a_separated_item_is_named_with_the_remedy(separated):
    with pytest.warns(ConvergenceWarning, match=r"slope of 'separated' runs away.*Give a prior on a"):
        fit = fit_mml(separated)
    assert fit.status == "no finite estimate"
    assert not fit.converged
    assert fit.iterations < 500
    assert "runs away" in fit.items.loc["separated", "note"]
    assert np.diff([step.objective for step in fit.trace]).min() > -1e-8


def test_the_remedy_works(separated):
    fit = fit_mml(separated, priors={"a": LogNormal(0.0, 0.5)})
    assert fit.converged
    assert fit.items.loc["separated", "a"] < 20


def test_the_limit_names_gradient_and_step(separated):
    with pytest.warns(ConvergenceWarning, match=r"stopped at the limit of 2 iterations, gradient .* SE and step .* SE"):
        fit_mml(separated, priors={"a": LogNormal(0.0, 0.5)}, options=MMLOptions(max_iterations=2))


def test_copies_of_one_item_have_no_finite_latent_variance():
    bank = pd.DataFrame({"a": 1.0, "b": [0.0]}, index=["i"])
    column = simulate_responses(200, bank, seed=1).responses.codes
    with (
        pytest.warns(ConvergenceWarning, match="latent variance runs away"),
        pytest.warns(QuadratureWarning, match="reaches beyond the nodes"),
    ):
        fit = fit_mml(Responses.from_array(np.repeat(column, 5, axis=1)), "Rasch")
    assert fit.status == "no finite estimate"


@pytest.mark.parametrize(
    ("grid", "doubt"), [(Grid(5, -100, 100), "50 apart"), (Grid(61, 2, 6), "reaches beyond"), (Grid(3), "6 apart")]
)
def test_a_grid_that_cannot_carry_the_integral_is_doubted(separated, grid, doubt):
    """Three nodes, or nodes away from the population, gave slopes near 0 or doubled, called converged."""
    responses = separated.select(items=[f"i{k}" for k in range(10)])
    with pytest.warns(QuadratureWarning, match=doubt):
        fit = fit_mml(responses, options=MMLOptions(grid=grid))
    assert any(doubt in note for note in fit.notes)


def test_items_that_point_both_ways_are_not_left_at_slopes_of_zero():
    """Slopes of 0 are a stationary point: item-rest correlations that cancel must not start there."""
    pattern = [[1, 1, 0, 0], [0, 0, 1, 1]] * 50 + [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]] * 5
    fit = fit_mml(Responses.from_array(pattern))
    assert fit.loglik == pytest.approx(-184.9137, abs=1e-4)  # the same on 2,001 nodes; 61 are too few for slopes of 8
    assert sorted(np.sign(fit.items["a"])) == [-1, -1, 1, 1]


def test_a_start_at_slopes_of_zero_is_left():
    responses = simulate_responses(300, 6, seed=1).responses
    flat = ItemParameters(responses.item_names, np.zeros(6), np.zeros(6))
    assert fit_mml(responses, start=flat).loglik == pytest.approx(fit_mml(responses).loglik, abs=1e-6)


def test_small_weights_do_not_loosen_the_criterion():
    """In units of standard errors that are large, any point would be close enough."""
    responses = simulate_responses(300, 6, seed=1).responses
    whole = fit_mml(responses)
    light = fit_mml(responses, weights=np.full(300, 1 / 200))
    np.testing.assert_allclose(light.params, whole.params, atol=1e-5)


@pytest.mark.parametrize(("variance", "free", "said"), [(0.0095, True, 1), (0.0105, True, 0), (0.0095, False, 0)])
def test_a_variance_next_to_its_boundary_is_doubted_where_it_was_estimated(variance, free, said):
    """At .0095 the items hardly correlate; a user who fixed it there knows."""
    doubts = quadrature_warnings(NormalPopulation(0.0, variance), Grid(1201), free, 1.0)
    assert sum("next to its boundary" in str(doubt) for doubt in doubts) == said


def test_a_variance_of_zero_ends_at_the_boundary_with_a_warning():
    """Items that correlate negatively drive a common variance below anything a double can divide by."""
    pattern = [[1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 0]] * 9
    with pytest.warns(QuadratureWarning, match="next to its boundary 0"):
        fit = fit_mml(Responses.from_array(pattern), "Rasch")
    assert 0 < fit.population.variance < 0.01
    assert fit.converged


def test_negative_slopes_are_pointed_out():
    """A fit of three kinds of items as one converges, and nobody looks at the signs of ninety slopes."""
    frame = simulate_responses(600, 20, seed=1).responses.to_frame()
    few = fit_mml(Responses.from_frame(frame.assign(i3=1 - frame["i3"])))
    assert any(note.startswith("1 of 20 slopes are negative ('i3')") and "Check the keys" in note for note in few.notes)
    turned = frame.copy()
    turned.iloc[:, :6] = 1 - turned.iloc[:, :6]
    many = fit_mml(Responses.from_frame(turned))
    assert any("6 of 20 slopes are negative" in note and "do not measure one thing" in note for note in many.notes)
    assert not any("negative" in note for note in fit_mml(Responses.from_frame(frame)).notes)
