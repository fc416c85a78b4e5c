"""The seam between models and kernels."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt import likelihood
from psyirt.data.patterns import Patterns, collapse
from psyirt.data.responses import Responses
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.likelihood import expectation, log_probability_table, posteriors
from psyirt.models.parameters import ItemParameters
from tests.reference import marginal_likelihood as twin
from tests.small_data import lsat, simulated

GRID = Grid(31, -5.0, 5.0)
LOG_WEIGHTS = NormalPopulation().log_weights(GRID)
PARAMETERS = ItemParameters(
    ["i1", "i2", "i3", "i4"], [0.8, 1.5, -0.7, 2.2], [0.1, -1.0, 0.5, 1.5], [0.0, 0.2, 0.0, 0.1], [1.0, 1.0, 0.9, 0.95]
)
ITEMS = [
    (float(a), float(i), float(c), float(d))
    for a, i, c, d in zip(
        PARAMETERS.slopes[:, 0], PARAMETERS.intercepts, PARAMETERS.lower, PARAMETERS.upper, strict=True
    )
]


def test_the_log_likelihood_is_the_twins() -> None:
    """From parameters to log-likelihood through table, collapse and kernel: any slip between the layers shows here."""
    codes, weights = simulated(60, 4, seed=4, missing=0.2), np.random.default_rng(1).uniform(0.5, 3.0, 60)
    table = log_probability_table(PARAMETERS, GRID)
    assert table.shape == (4, 2, 31)
    found = expectation(collapse(Responses.from_array(codes), weights), table, LOG_WEIGHTS)
    node_weights = twin.node_weights(GRID.nodes[:, 0])
    nodes = list(GRID.nodes[:, 0])
    assert found.log_likelihood == pytest.approx(
        twin.marginal_log_likelihood(list(codes), list(weights), ITEMS, nodes, node_weights), rel=1e-13
    )
    counts, at_node = twin.expected_counts(list(codes), list(weights), ITEMS, nodes, node_weights)
    np.testing.assert_allclose(found.counts, counts, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found.node_counts, at_node, rtol=1e-9, atol=1e-11)
    assert found.node_counts.sum() == pytest.approx(weights.sum())


def test_posteriors_come_in_blocks_that_join_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block border that drops or repeats a row shifts everybody after it."""
    codes, table = simulated(50, 4, seed=6), log_probability_table(PARAMETERS, GRID)
    whole = next(posteriors(Patterns.of(codes), table, LOG_WEIGHTS))
    monkeypatch.setattr(likelihood, "_BLOCK_ROWS", 7)
    parts = list(posteriors(Patterns.of(codes), table, LOG_WEIGHTS))
    assert [part.rows for part in parts][:2] == [slice(0, 7), slice(7, 14)]
    np.testing.assert_array_equal(np.concatenate([part.weights for part in parts]), whole.weights)
    np.testing.assert_array_equal(np.concatenate([part.log_likelihood for part in parts]), whole.log_likelihood)
    np.testing.assert_allclose(whole.weights.sum(1), 1.0, atol=1e-13)


def test_published_log_likelihoods_at_published_parameters() -> None:
    """Textbook: LSAT6 2PL -2466.653, at R mirt 1.47's parameters, on 61 nodes over [-6, 6]."""
    responses, frequencies = lsat(6)
    parameters = ItemParameters(
        responses.item_names,
        [0.825659545, 0.722744204, 0.890874534, 0.688367980, 0.656855954],
        [2.773234405, 0.990201198, 0.249147523, 1.284756926, 2.053270447],
    )
    found = expectation(
        collapse(responses, frequencies),
        log_probability_table(parameters, Grid()),
        NormalPopulation().log_weights(Grid()),
    )
    assert found.log_likelihood == pytest.approx(-2466.65337751, abs=1e-7)
