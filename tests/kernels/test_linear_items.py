"""The M-step from sufficient statistics against the model's own formulas on expected counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from psyirt.kernels.linear_items import linear_derivatives, linear_objectives, maximise_linear
from psyirt.models.logistic import LogisticModel

MODEL = LogisticModel()
NODES = np.linspace(-6, 6, 61)


def case(rng, items=12, steepness=1.0):
    """Values away from the maximum, and the counts of 500 subjects with their sums."""
    node_counts = np.exp(-0.5 * NODES**2)
    node_counts *= 500 / node_counts.sum()
    share = rng.uniform(0.02, 0.98, (items, 61))
    counts = np.stack([node_counts * (1 - share), node_counts * share], axis=1)
    values = np.column_stack(
        [rng.normal(1, 1, items), rng.normal(0, 2, items), np.full(items, -np.inf), np.full(items, np.inf)]
    )
    values[:, :2] *= steepness
    return values, counts, (counts[:, 1].sum(1), counts[:, 1] @ NODES, node_counts)


@pytest.mark.parametrize("steepness", [1.0, 50.0], ids=["usual", "steep"])
def test_objectives_and_derivatives_equal_the_models(rng, steepness):
    """Steep items reach probabilities of exactly 0 and 1 at the outer nodes."""
    values, counts, sums = case(rng, steepness=steepness)
    objective, gradient, information = np.empty(12), np.empty((12, 4)), np.empty((12, 4, 4))
    linear_objectives(values, NODES, *sums, objective)
    linear_derivatives(values, NODES, *sums, gradient, information)
    whole = MODEL.derivatives(values, NODES[:, None], counts, "expected")
    expected = (counts * MODEL.log_probabilities(values, NODES[:, None])).sum((1, 2))
    np.testing.assert_allclose(objective, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, whole.gradient, atol=1e-9)
    np.testing.assert_allclose(information, whole.information, atol=1e-9)


@pytest.mark.parametrize("free", [(True, True), (True, False), (False, True)], ids=["both", "slope", "intercept"])
def test_the_maximum_is_that_of_a_general_optimiser(rng, free):
    """A step that a fixed slope does not take part in is another step."""
    values, _, sums = case(rng, 4)
    start, mask = values.copy(), np.tile(free, (4, 1))
    maximise_linear(values, mask, np.zeros((4, 2, 3)), 2.0, 0.0, NODES, *sums, 50)
    for j in range(4):

        def minus(x, j=j):
            row = start[j : j + 1].copy()
            row[0, :2][list(free)] = x
            out = np.empty(1)
            linear_objectives(row, NODES, sums[0][j : j + 1], sums[1][j : j + 1], sums[2], out)
            return -out[0]

        best = minimize(minus, start[j, :2][list(free)], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12})
        np.testing.assert_allclose(values[j, :2][list(free)], best.x, atol=1e-4)
    np.testing.assert_array_equal(values[:, :2][~mask], start[:, :2][~mask])


def test_one_step_from_far_away_does_not_overshoot(rng):
    """Newton's step is far too long where the curve is flat; the objective must not fall."""
    values, _, sums = case(rng, steepness=20.0)
    before, after = np.empty(12), np.empty(12)
    linear_objectives(values, NODES, *sums, before)
    start = values.copy()
    maximise_linear(values, np.ones((12, 2), bool), np.zeros((12, 2, 3)), 2.0, 0.0, NODES, *sums, 1)
    linear_objectives(values, NODES, *sums, after)
    assert np.all(after >= before)
    assert np.abs(values[:, :2] - start[:, :2]).max() <= 2.0


def test_a_step_that_overshoots_is_halved():
    """From a flat tail Newton's step passes the maximum so far that the objective falls below where it was."""
    node_counts = np.exp(-0.5 * NODES**2)
    node_counts *= 500 / node_counts.sum()
    p = 1 / (1 + np.exp(-(1.2 * NODES + 0.3)))
    sums = (np.array([(node_counts * p).sum()]), np.array([(node_counts * p) @ NODES]), node_counts)
    values = np.array([[1.2, 9.0, -np.inf, np.inf]])
    before, after = np.empty(1), np.empty(1)
    linear_objectives(values, NODES, *sums, before)
    maximise_linear(values, np.array([[False, True]]), np.zeros((1, 2, 3)), 1e6, 0.0, NODES, *sums, 1)
    linear_objectives(values, NODES, *sums, after)
    assert after[0] > before[0]
