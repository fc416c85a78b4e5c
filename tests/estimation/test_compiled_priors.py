"""What kernels know of priors is what the priors say of themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from psyirt.estimation.compiled_priors import compiled_prior, compiled_priors
from psyirt.estimation.mml import fit_mml
from psyirt.kernels._math import prior_terms
from psyirt.models import priors
from psyirt.models.free_priors import place_priors
from psyirt.models.item_types import THREE_PL
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.simulation import simulate_responses

PRIORS = [
    priors.Normal(0.3, 1.7),
    priors.NormalOnLogit(-1.4, 0.5),
    priors.Beta(2.0, 8.0),
    priors.Beta(1.0, 1.0),
    priors.LogNormal(0.1, 0.5),
]


@dataclass(frozen=True)
class Doubled(priors.Normal):
    """A prior of a user's own, made from another."""

    def log_density(self, x: priors.Array) -> priors.Array:
        return 2.0 * super().log_density(x)

    def gradient(self, x: priors.Array) -> priors.Array:
        return 2.0 * super().gradient(x)

    def curvature(self, x: priors.Array) -> priors.Array:
        return 2.0 * super().curvature(x)


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_terms_are_the_priors_own(prior: priors.Prior) -> None:
    """Two formulas for one prior drift apart, and the fit ends where neither has its mode."""
    numbers = np.array(compiled_prior(prior))
    x = np.concatenate([np.linspace(-30, -0.1, 7), np.linspace(0.05, 30, 9)])
    log_density, gradient, curvature = np.array([prior_terms(numbers, value) for value in x]).T
    inside = np.isfinite(prior.log_density(x))
    assert inside.any()
    np.testing.assert_array_equal(np.isneginf(log_density), ~inside)
    shift = prior.log_density(x[inside]) - log_density[inside]
    np.testing.assert_allclose(shift, shift[0], rtol=0, atol=1e-10 * (1 + np.abs(log_density[inside]).max()))
    np.testing.assert_allclose(gradient[inside], prior.gradient(x[inside]), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(curvature[inside], prior.curvature(x[inside]), rtol=1e-10, atol=1e-12)


def test_each_prior_stands_at_its_items_slot() -> None:
    """A prior on another item's asymptote moves two items."""
    layout = make_layout(["i", "j"], [THREE_PL, THREE_PL], LogisticModel().slots)
    found = compiled_priors(place_priors(layout, {"c": {"j": priors.Beta(2, 8)}, "a": priors.Normal(1, 2)}), layout)
    assert found is not None
    np.testing.assert_array_equal(found[:, 0], [[1.0, 1.0, 2.0]] * 2)
    np.testing.assert_array_equal(found[1, 2], [2.0, 2.0, 8.0])
    assert not found[0, 2].any()
    assert not found[:, [1, 3]].any()


def test_a_prior_of_a_users_own_is_taken_at_its_word() -> None:
    """One that inherits from a known one must not be replaced by it."""
    data = simulate_responses(300, 6, seed=1).responses
    own, twice = (fit_mml(data, priors={"a": prior}) for prior in (Doubled(1.0, 0.2), priors.Normal(1.0, 0.2 / 2**0.5)))
    assert compiled_prior(Doubled(1.0, 0.2)) is None
    np.testing.assert_allclose(own.x, twice.x, atol=1e-4)
