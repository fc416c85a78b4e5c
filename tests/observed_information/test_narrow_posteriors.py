"""Posteriors without a table, and polynomials orthonormal under them."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.observed_information import narrow_posteriors as module
from psyirt.observed_information.narrow_posteriors import orthonormal_polynomials, posterior_weights
from tests.observed_information.made import point
from tests.reference import marginal_likelihood as twin


def test_posteriors_are_the_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items come in blocks: one left out makes every posterior wider."""
    at = point(("2PL",) * 7)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 4 * 21 * 2)
    items = [(float(v[0]), float(v[1]), 0.0, 1.0) for v in at.values]
    nodes = list(at.grid.nodes[:, 0])
    expected = [twin.posterior(list(row), items, nodes, twin.node_weights(nodes)) for row in at.patterns.codes]
    np.testing.assert_allclose(posterior_weights(at), expected, rtol=1e-9, atol=1e-14)


def test_polynomials_are_orthonormal_under_each_posterior() -> None:
    """Otherwise their squares do not add up to what is missing."""
    at = point(("2PL",) * 7)
    posterior, theta = posterior_weights(at), at.grid.nodes[:, 0]
    basis = orthonormal_polynomials(theta, posterior, 6)
    products = np.einsum("krq,lrq,rq->rkl", basis, basis, posterior)
    np.testing.assert_allclose(products, np.broadcast_to(np.eye(7), products.shape), atol=1e-10)
    # a cubic is a combination of the first four, under any posterior
    fitted = np.einsum("krq,rk->rq", basis[:4], np.einsum("krq,rq->rk", basis[:4], posterior * theta**3))
    near = posterior > 1e-6
    np.testing.assert_allclose(fitted[near], np.broadcast_to(theta**3, near.shape)[near], atol=1e-8)


def test_a_posterior_on_two_nodes_has_two_polynomials() -> None:
    """A third would be rounding divided by rounding."""
    posterior = np.array([[0.0, 0.3, 0.7, 0.0, 0.0]])
    basis = orthonormal_polynomials(np.linspace(-2.0, 2.0, 5), posterior, 3)
    assert np.all(basis[2:] == 0.0)
    assert posterior[0] @ basis[1, 0] ** 2 == pytest.approx(1.0)
