"""Nodes become finer where posteriors are narrow, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import InputError, QuadratureWarning
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.nodes import WIDEST_SPACING, fine_enough, narrowest_posterior
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.latent.population import Grid
from psyirt.likelihood import expectation
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
