"""Nodes become finer where posteriors are narrow, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError, QuadratureWarning
from psyirt.estimation import nodes
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.nodes import WIDEST_SPACING, fine_enough, narrowest_posterior
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.latent.population import Grid
from psyirt.likelihood import expectation
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import LogNormal, Normal
from psyirt.simulation import simulate_responses

LOG_NORMAL, NORMAL = LogNormal(0.0, 0.5), Normal(0.0, 2.0)


@pytest.fixture(scope="module")
def long_test():
    """Sixty subjects, 400 items: posteriors are about 0.1 wide, and 61 nodes stand 0.2 apart."""
    return simulate_responses(60, 400, seed=2).responses


def test_a_long_test_gets_the_log_likelihood_of_very_fine_nodes(long_test):
    """On 61 nodes a subject falls between two of them, and the log-likelihood is off by whole units."""
    fit = fit_mml(long_test, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    assert fit.grid.count > 61
    fine = Grid(2001)
    table = fit.model.log_probabilities(fit.item_parameters.values, fine.nodes)
    exact = expectation(fit.patterns, table, fit.population.log_weights(fine)).log_likelihood
    assert fit.loglik == pytest.approx(exact, abs=1e-3)


def test_nodes_given_are_kept_and_doubted(long_test):
    """An exact comparison with another program needs its nodes; a reader must know what they cost."""
    with pytest.warns(QuadratureWarning, match=r"the nodes are 0.2 apart, but posteriors are as narrow as 0\.\d+"):
        fit = fit_mml(long_test, nodes=61, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    assert fit.grid == Grid(61)
    grown = fit_mml(long_test, nodes=61, adaptive=True, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    assert grown.grid.count > 61
    with pytest.warns(QuadratureWarning):
        assert fit_mml(long_test, adaptive=False, priors={"a": LOG_NORMAL, "intercept": NORMAL}).grid == Grid()


def test_an_ordinary_test_keeps_61_nodes():
    """Twice the nodes are twice the work."""
    assert fit_mml(simulate_responses(300, 20, seed=1).responses).grid == Grid()


def test_spacing_is_halved_until_it_fits(long_test):
    fit = fit_mml(long_test, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    problem = Problem(fit.patterns, fit.model, fit.layout, fit.priors, Grid())
    sd = narrowest_posterior(problem, fit.x)
    grid = fine_enough(problem, fit.x)
    assert grid.spacing <= WIDEST_SPACING * sd < 2 * grid.spacing
    np.testing.assert_allclose(grid.nodes[:: (grid.count - 1) // 60], Grid().nodes, atol=1e-12)
    # twice the information of half the items: the sum over items must not lose any
    information = fit.model.information(fit.item_parameters.values, np.linspace(-3, 3, 61)[:, None]).sum(0)
    assert sd == pytest.approx(1 / np.sqrt(1 + information.max()), rel=1e-12)


def test_the_log_posterior_rises_within_every_grid(long_test):
    """Between grids the function itself changes; within one a fall would be an error."""
    fit = fit_mml(long_test, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    assert [step.iteration for step in fit.trace] == list(range(1, len(fit.trace) + 1))
    falls = [b.objective - a.objective for a, b in zip(fit.trace, fit.trace[1:], strict=False) if b.kind != "start"]
    assert min(falls) > -1e-7


@pytest.mark.parametrize(
    ("override", "message"),
    [({"nodes": 2}, "2 quadrature nodes"), ({"adaptive": "yes"}, "adaptive"), ({"tolerance": -1.0}, "tolerance")],
)
def test_overrides_no_fit_can_use_are_refused(long_test, override, message):
    with pytest.raises(InputError, match=message):
        fit_mml(long_test, **override)


def test_overrides_leave_the_other_options_as_they_are():
    responses = simulate_responses(300, 20, seed=1).responses
    fit = fit_mml(responses, nodes=31, tolerance=1e-3, options=MMLOptions(grid=Grid(61, -5, 5), accelerate=False))
    assert fit.grid == Grid(31, -5, 5)
    assert {step.kind for step in fit.trace} == {"start", "EM"}
    assert fit.trace[-1].gradient > 1e-5


def test_no_item_is_lost_between_blocks(long_test, monkeypatch):
    """Very long tests are summed a block of items at a time."""
    fit = fit_mml(long_test, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    problem = Problem(fit.patterns, fit.model, fit.layout, fit.priors, Grid())
    whole = narrowest_posterior(problem, fit.x)
    monkeypatch.setattr(nodes, "_BLOCK", 150)
    assert narrowest_posterior(problem, fit.x) == pytest.approx(whole, rel=1e-12)


def test_the_number_of_nodes_has_a_bound(long_test, monkeypatch):
    """Slopes on their way to infinity must not ask for a million nodes."""
    fit = fit_mml(long_test, priors={"a": LOG_NORMAL, "intercept": NORMAL})
    problem = Problem(fit.patterns, fit.model, fit.layout, fit.priors, Grid())
    monkeypatch.setattr(nodes, "_MOST_NODES", 100)
    assert fine_enough(problem, fit.x) == Grid()


def rasch(variance, subjects, items=20, seed=5):
    """Responses of people who hardly differ."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, np.sqrt(variance), subjects)
    chance = 1 / (1 + np.exp(-(ability[:, None] - np.linspace(-1, 1, items))))
    return Responses.from_array((rng.random((subjects, items)) < chance).astype(int))


def test_a_small_latent_variance_is_that_of_fine_nodes():
    """On nodes 0.2 apart a variance of .005 was estimated as .0076, and called converged."""
    responses = rasch(0.004, 8000)
    with pytest.warns(QuadratureWarning, match="next to its boundary 0"):
        found, exact = (fit_mml(responses, "Rasch", nodes=nodes) for nodes in (None, 1001))
    assert 1e-3 < exact.population.variance < 0.01
    assert found.population.variance == pytest.approx(exact.population.variance, rel=2e-3)
    assert found.loglik == pytest.approx(exact.loglik, abs=1e-4)


@pytest.mark.parametrize("nodes", [None, 601])
def test_a_variance_whose_maximum_is_0_is_put_there_and_not_crept_up_to(nodes):
    """EM's steps towards a boundary shrink with the distance: it used all of 2,000 iterations."""
    codes = (np.random.default_rng(1).random((300, 15)) < 0.5).astype(int)
    with pytest.warns(QuadratureWarning, match="next to its boundary 0"):
        fit = fit_mml(Responses.from_array(codes), "Rasch", nodes=nodes)
    assert fit.converged
    assert fit.iterations < 60
    assert "boundary" in {step.kind for step in fit.trace}
    assert fit.population.variance < 1e-4


def test_a_start_from_people_who_did_not_differ_is_left():
    """A variance that these nodes cannot tell from 0 is outside the model's domain: the fit ended in an error."""
    rng = np.random.default_rng(1)
    same = Responses.from_array((rng.random((1000, 20)) < 0.5).astype(int))
    with pytest.warns(QuadratureWarning):
        flat = fit_mml(same, "Rasch", nodes=601)
    responses = simulate_responses(500, 20, "Rasch", seed=2).responses
    started = fit_mml(responses, "Rasch", start=flat)
    assert started.population.variance == pytest.approx(fit_mml(responses, "Rasch").population.variance, rel=1e-4)


def test_a_start_with_a_very_low_upper_asymptote_is_inside_the_domain():
    """The guessing parameter's own start, .1, lay above a feasibility of .05."""
    responses = simulate_responses(800, 8, seed=4).responses
    frame = fit_mml(responses, "feasibility").items[["a", "b", "c", "d"]]
    frame.loc["i3", "d"] = 0.05
    assert fit_mml(responses, "4PL", start=ItemParameters.from_frame(frame)).converged
