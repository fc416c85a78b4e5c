"""Weights of highest likelihood, with moments held."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from psyirt.estimation.node_weights import Mixture, climb

NODES = np.linspace(-3.0, 3.0, 7)


def mixture(held: int, seed: int = 3) -> tuple[Mixture, np.ndarray]:
    """Likelihoods of 200 made-up patterns at 7 nodes, the first moments held, and weights that have them."""
    rng = np.random.default_rng(seed)
    theta = rng.choice([-1.5, 0.0, 2.0], 200)
    ratios = np.exp(-0.5 * ((theta + rng.normal(0, 0.6, 200))[:, None] - NODES) ** 2 / 0.36)
    start = np.exp(-0.5 * NODES**2)
    start /= start.sum()
    rows = np.array([NODES, NODES**2])[:held]
    return Mixture(ratios, rng.integers(1, 4, 200).astype(float), rows, rows @ start), start


@pytest.mark.parametrize("held", [0, 1, 2])
def test_the_climb_reaches_what_a_general_optimiser_does(held: int) -> None:
    """A maximum without the moments held is another histogram's; one that stops short is no maximum."""
    problem, start = mixture(held)
    found, _, gap = climb(problem, start, 1e-5, 200)
    assert gap <= 1e-5
    assert (found >= 0).all()
    np.testing.assert_allclose(problem.held @ found, problem.means, atol=1e-9)
    constraints = [{"type": "eq", "fun": lambda w: w.sum() - 1.0}]
    constraints += [{"type": "eq", "fun": lambda w, k=k: problem.held[k] @ w - problem.means[k]} for k in range(held)]
    best = minimize(
        lambda w: -problem.log_likelihood(np.maximum(w, 1e-12)),
        start,
        bounds=[(0.0, 1.0)] * 7,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert problem.log_likelihood(found) == pytest.approx(-best.fun, abs=1e-4)
    assert problem.log_likelihood(found) >= -best.fun - 1e-6


@pytest.mark.parametrize("held", [0, 1, 2])
def test_the_gap_bounds_what_is_left_to_gain(held: int) -> None:
    """A bound that is too small calls a point converged that is not."""
    problem, start = mixture(held)
    best, *_ = climb(problem, start, 1e-9, 200)
    for share in (0.0, 0.3, 0.9):
        weights = (1.0 - share) * start + share * best
        left = problem.log_likelihood(best) - problem.log_likelihood(weights)
        assert problem.gap(weights, problem.gradient(weights)) >= left
