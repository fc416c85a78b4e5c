"""The fused M-step kernels give what the model's own formulas give."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import InputError
from psyirt.estimation import item_functions
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.registry import Registry
from psyirt.kernels.logistic_items import item_derivatives, item_objectives, maximise_items
from psyirt.likelihood import Expectation
from psyirt.models.logistic import LogisticModel
from psyirt.models.priors import LogNormal
from psyirt.simulation import simulate_responses

MODEL = LogisticModel()
NODES = np.linspace(-6, 6, 61)


def items(rng, count=40):
    """Plain, guessing, infeasible and four-parameter items, slopes of both signs."""
    c = np.where(np.arange(count) % 2 == 0, -np.inf, rng.normal(-1.5, 1, count))
    d = np.where(np.arange(count) % 4 < 2, np.inf, rng.normal(3, 1, count))
    return np.column_stack([rng.normal(1, 1, count), rng.normal(0, 2, count), c, d])


@pytest.mark.parametrize("steepness", [1.0, 100.0], ids=["usual", "steep"])
def test_objectives_and_derivatives_equal_the_models(rng, steepness):
    """Steep items reach probabilities of exactly 0 and 1, where careless ratios are 0/0."""
    values = items(rng)
    values[:, :2] *= steepness
    counts = rng.random((len(values), 2, len(NODES))) * 10
    if steepness > 1:
        counts[:, 0][np.exp(MODEL.log_probabilities(values, NODES[:, None]))[:, 0] < 1e-290] = 0.0
        counts[:, 1][np.exp(MODEL.log_probabilities(values, NODES[:, None]))[:, 1] < 1e-290] = 0.0
    objective, gradient = np.empty(len(values)), np.empty(values.shape)
    information = np.empty((*values.shape, 4))
    item_objectives(values, NODES, counts, objective)
    item_derivatives(values, NODES, counts, gradient, information)
    table = MODEL.log_probabilities(values, NODES[:, None])
    expected = np.where(counts > 0, counts * np.where(counts > 0, table, 0.0), 0.0).sum((1, 2))
    whole = MODEL.derivatives(values, NODES[:, None], counts, "expected")
    np.testing.assert_allclose(objective, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, whole.gradient, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(information, whole.information, rtol=1e-9, atol=1e-9)


def test_the_gradient_is_the_slope_of_the_objective(rng):
    values = items(rng, 8)
    counts = rng.random((8, 2, len(NODES)))
    gradient, information = np.empty((8, 4)), np.empty((8, 4, 4))
    item_derivatives(values, NODES, counts, gradient, information)
    for slot in range(4):
        ends = []
        for sign in (1.0, -1.0):
            moved, out = values.copy(), np.empty(8)
            moved[:, slot] += sign * 1e-5
            item_objectives(moved, NODES, counts, out)
            ends.append(out)
        np.testing.assert_allclose(gradient[:, slot], (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-6)


def test_an_item_whose_asymptotes_cross_has_no_objective():
    """The line search relies on -inf to turn back."""
    out = np.empty(1)
    item_objectives(np.array([[1.0, 0.0, 1.0, 0.5]]), NODES, np.ones((1, 2, 61)), out)
    assert out[0] == -np.inf


def test_a_model_without_a_declared_kernel_takes_the_general_path(rng):
    values = items(rng, 6)
    counts = Expectation(0.0, rng.random((6, 2, 61)), np.ones(61))
    general = LogisticModel()
    general.fused_kernel = ""
    fast = item_functions.derivatives(MODEL, values, NODES[:, None], counts)
    slow = item_functions.derivatives(general, values, NODES[:, None], counts)
    np.testing.assert_allclose(fast.gradient, slow.gradient, atol=1e-10)
    np.testing.assert_allclose(
        item_functions.objectives(MODEL, values, NODES[:, None], counts),
        item_functions.objectives(general, values, NODES[:, None], counts),
        rtol=1e-12,
    )


def test_a_kernel_is_looked_up_by_the_name_a_model_declares(rng, monkeypatch):
    """A second model's kernel is a registry entry; a name that is none must not fall back on the slow path unseen."""
    values, counts = items(rng, 3), Expectation(0.0, rng.random((3, 2, 61)), np.ones(61))
    model = LogisticModel()
    model.fused_kernel = "probit"
    with pytest.raises(InputError, match="no fused kernel is called 'probit'"):
        item_functions.objectives(model, values, NODES[:, None], counts)
    constant = item_functions.FusedKernel(
        lambda *given: given[-1].fill(7.0), lambda *given: given[-1].fill(5.0), lambda *given: given[0].fill(3.0)
    )
    monkeypatch.setattr(item_functions, "FUSED_KERNELS", Registry("fused kernel", {"probit": constant}))
    np.testing.assert_array_equal(item_functions.objectives(model, values, NODES[:, None], counts), np.full(3, 7.0))
    assert (item_functions.derivatives(model, values, NODES[:, None], counts).information == 5.0).all()


def expected_counts_of(values):
    """Counts whose maximum is at given values."""
    weight = 200 * np.exp(-0.5 * NODES**2)
    return np.ascontiguousarray(np.exp(MODEL.log_probabilities(values, NODES[:, None])) * weight)


def test_the_maximum_is_where_the_counts_come_from(rng):
    """A step that mixes up two slots still rises, but does not arrive."""
    values = items(rng, 12)
    values[:, 0] = rng.uniform(0.8, 2.0, 12)
    values[:, 1] = rng.normal(0, 1, 12)
    counts, free = expected_counts_of(values), np.isfinite(values)
    moved = np.where(free, values + rng.normal(0, 0.2, values.shape), values)
    maximise_items(moved, free, np.zeros((12, 4, 3)), 2.0, NODES, counts, 200)
    gradient, information = np.empty((12, 4)), np.empty((12, 4, 4))
    item_derivatives(moved, NODES, counts, gradient, information)
    assert np.abs(np.where(free, gradient, 0.0)).max() < 1e-3
    np.testing.assert_allclose(moved[:, :2], values[:, :2], atol=0.02)


def test_fixed_slots_stay_and_no_item_falls(rng):
    """A fixed asymptote that moves makes another model; an item that falls breaks the monotone trace."""
    values, free = items(rng, 20), np.zeros((20, 4), dtype=bool)
    free[:, :2] = True
    free[::3, 0] = False
    counts, before, after = rng.random((20, 2, 61)) * 10, np.empty(20), np.empty(20)
    moved = values.copy()
    item_objectives(values, NODES, counts, before)
    maximise_items(moved, free, np.zeros((20, 4, 3)), 2.0, NODES, counts, 3)
    item_objectives(moved, NODES, counts, after)
    np.testing.assert_array_equal(moved[~free], values[~free])
    assert (after >= before - 1e-9 * np.abs(before)).all()
    assert (after > before).any()


@pytest.mark.parametrize("model", ["3PL", "4PL", "feasibility"])
def test_items_for_themselves_are_what_all_at_once_are(model, monkeypatch):
    """The general M-step, which shared parameters need, is the twin of the one inside a kernel."""
    responses = simulate_responses(400, 8, seed=2).responses
    prior = {"a": LogNormal(0.0, 0.5)}
    inside = fit_mml(responses, model, priors=prior)
    monkeypatch.setattr(item_functions, "has_maximiser", lambda *_: False)
    general = fit_mml(responses, model, priors=prior)
    assert inside.trace[-1].objective == pytest.approx(general.trace[-1].objective, abs=1e-6)
    np.testing.assert_allclose(inside.x, general.x, atol=2e-3)
