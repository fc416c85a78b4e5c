"""The E-step on each subject's own nodes against the plain kernel, which visits all of them."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt import likelihood
from psyirt.data.patterns import Patterns
from psyirt.kernels.expectation import expected_counts
from tests.reference import marginal_likelihood as twin

NODES = np.linspace(-6, 6, 481)
LOG_WEIGHTS = np.log(twin.node_weights(NODES))


def case(rows: int, items: int, missing: float, slope: float):
    """Patterns and a table of three-parameter items."""
    rng = np.random.default_rng(rows + items)
    slopes, shift = slope * rng.lognormal(0, 0.3, (items, 1)), rng.normal(0, 1, (items, 1))
    logits = slopes * (NODES - shift)
    table = np.stack([np.log(0.8) - np.logaddexp(0, logits), np.log(0.2 + 0.8 / (1 + np.exp(-logits)))], axis=1)
    ability = rng.normal(0, 1.5, rows)
    chance = 0.2 + 0.8 / (1 + np.exp(-slopes[:, 0] * (ability[:, None] - shift[:, 0])))
    codes = (rng.random((rows, items)) < chance).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    return Patterns(codes, rng.uniform(0.5, 3.0, rows), np.arange(rows)), table


@pytest.mark.parametrize(
    ("rows", "items", "missing", "slope"),
    [(70, 300, 0.0, 1.5), (300, 40, 0.3, 1.0), (70, 3, 0.0, 1.0), (600, 130, 0.5, 8.0), (300, 40, 0.95, 1.0)],
    ids=["narrow", "several blocks", "as wide as the population", "steep and gappy", "nearly empty"],
)
def test_a_subjects_own_nodes_are_enough(rows: int, items: int, missing: float, slope: float) -> None:
    """A window one node short at either end lowers a log-likelihood where nobody looks."""
    patterns, table = case(rows, items, missing, slope)
    each, counts, nodes = np.empty(rows), np.zeros(table.shape), np.zeros(len(NODES))
    expected_counts(patterns.codes, patterns.weights, table, LOG_WEIGHTS, each, counts, nodes)
    found = likelihood.expectation(patterns, table, LOG_WEIGHTS)
    assert found.log_likelihood == pytest.approx(float(patterns.weights @ each), rel=1e-13)
    np.testing.assert_allclose(found.counts, counts, rtol=0, atol=1e-12 * rows)
    np.testing.assert_allclose(found.node_counts, nodes, rtol=0, atol=1e-12 * rows)


def test_two_distant_peaks_are_both_in_the_window() -> None:
    """Two blocks of items that contradict each other leave a posterior with a peak at either end."""
    z = 3.0 * np.array([[NODES - 2.5], [NODES + 2.5]]).repeat(20, axis=1).reshape(40, -1)
    table = np.stack([-np.logaddexp(0, z), -np.logaddexp(0, -z)], axis=1)
    codes = np.tile(np.repeat(np.array([1, 0], np.int8), 20), (70, 1))
    patterns = Patterns(codes, np.ones(70), np.arange(70))
    each, counts, nodes = np.empty(70), np.zeros(table.shape), np.zeros(len(NODES))
    expected_counts(codes, patterns.weights, table, LOG_WEIGHTS, each, counts, nodes)
    found = likelihood.expectation(patterns, table, LOG_WEIGHTS)
    np.testing.assert_allclose(found.node_counts, nodes, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("nodes", "coarse"), [(61, 0), (121, 0), (241, 61), (481, 61), (961, 61), (2001, 81), (500, 0)]
)
def test_coarse_nodes_are_61_to_121_of_the_fine_ones(nodes: int, coarse: int) -> None:
    """A last fine node that is no coarse one would never be looked at; 499 is a prime number."""
    stride = likelihood._coarse_stride(nodes)
    assert (stride and (nodes - 1) // stride + 1) == coarse
    assert not stride or (nodes - 1) % stride == 0


def test_an_impossible_model_has_log_likelihood_minus_infinity() -> None:
    patterns, table = case(70, 8, 0.0, 1.0)
    table[2] = -np.inf
    assert np.isneginf(likelihood.expectation(patterns, table, LOG_WEIGHTS).log_likelihood)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_peak_between_two_coarse_nodes_is_in_the_window(mirrored: bool) -> None:
    """The better of two coarse nodes may be 8 sd away from all of the posterior; the other is out of the question."""
    z = 40.0 * (NODES - np.linspace(0.06, 0.08, 60)[:, None])
    table = np.stack([-np.logaddexp(0, z), -np.logaddexp(0, -z)], axis=1)
    if mirrored:
        table = np.ascontiguousarray(table[:, ::-1, ::-1])
    codes = np.tile(np.repeat(np.array([1, 0], np.int8), 30), (70, 1))
    patterns = Patterns(codes, np.ones(70), np.arange(70))
    each, counts, nodes = np.empty(70), np.zeros(table.shape), np.zeros(len(NODES))
    expected_counts(codes, patterns.weights, table, LOG_WEIGHTS, each, counts, nodes)
    found = likelihood.expectation(patterns, table, LOG_WEIGHTS)
    assert found.log_likelihood == pytest.approx(each.sum(), rel=1e-13)
    np.testing.assert_allclose(found.node_counts, nodes, rtol=0, atol=1e-10)
