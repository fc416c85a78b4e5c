"""The E-step kernels against their loop twin."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from psyirt.kernels.expectation import expected_counts, posterior_rows
from tests.reference import marginal_likelihood as twin
from tests.small_data import simulated
from tests.source_tree import ROOT

NODES = np.linspace(-5, 5, 21)


def items_for(count: int, seed: int = 3) -> list[twin.Item]:
    rng = np.random.default_rng(seed)
    return [
        (
            float(rng.uniform(-1, 2.5)),
            float(rng.uniform(-2, 2)),
            float(rng.choice([0.0, 0.2])),
            float(rng.choice([1.0, 0.9])),
        )
        for _ in range(count)
    ]


def table_of(items: list[twin.Item]) -> NDArray[np.float64]:
    return np.array([[[twin.log_probability(k, q, item) for q in NODES] for k in (0, 1)] for item in items])


def compute(
    codes: NDArray[np.int8], weights: NDArray[np.float64], items: list[twin.Item]
) -> tuple[NDArray[np.float64], ...]:
    table, log_weights = table_of(items), np.log(twin.node_weights(NODES))
    log_likelihood, counts, at_node = np.empty(len(codes)), np.zeros(table.shape), np.zeros(len(NODES))
    expected_counts(codes, weights, table, log_weights, log_likelihood, counts, at_node)
    again, posterior = np.empty(len(codes)), np.empty((len(codes), len(NODES)))
    posterior_rows(codes, table, log_weights, again, posterior)
    np.testing.assert_allclose(again, log_likelihood, rtol=1e-14)
    return log_likelihood, counts, at_node, posterior


def check_against_twin(codes: NDArray[np.int8], weights: NDArray[np.float64], items: list[twin.Item]) -> None:
    log_likelihood, counts, at_node, posterior = compute(codes, weights, items)
    node_weights = twin.node_weights(NODES)
    for r, row in enumerate(codes):
        alone = twin.marginal_log_likelihood([row], [1.0], items, NODES, node_weights)
        assert log_likelihood[r] == pytest.approx(alone, abs=1e-11)
        np.testing.assert_allclose(posterior[r], twin.posterior(row, items, NODES, node_weights), rtol=1e-9, atol=1e-14)
    expected, expected_nodes = twin.expected_counts(list(codes), list(weights), items, NODES, node_weights)
    np.testing.assert_allclose(counts, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(at_node, expected_nodes, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_counts_and_posteriors_equal_the_twins(missing: float) -> None:
    """Counts that miss a weight, or count a missing response as wrong, bias every later estimate."""
    codes = simulated(40, 6, seed=1, missing=missing)
    codes[3] = -1
    check_against_twin(codes, np.random.default_rng(2).uniform(0.5, 30.0, 40), items_for(6))


def test_one_subject_is_enough() -> None:
    """Loops that start at the second row, or divide by n - 1, fail on a single system."""
    check_against_twin(np.array([[1, 0, -1, 1]], dtype=np.int8), np.array([1.0]), items_for(4))


def test_ten_thousand_items_do_not_underflow() -> None:
    """exp(-6900) is 0: without taking the largest term out first, the log-likelihood is -inf and the posterior NaN."""
    count = 10_000
    table = np.full((count, 2, len(NODES)), np.log(0.5)) + 1e-4 * NODES * np.array([-1.0, 1.0])[None, :, None]
    codes = np.ones((1, count), dtype=np.int8)
    log_weights = np.log(twin.node_weights(NODES))
    found, posterior = np.empty(1), np.empty((1, len(NODES)))
    posterior_rows(codes, table, log_weights, found, posterior)
    exact = twin.log_sum_exp(list(log_weights + count * (np.log(0.5) + 1e-4 * NODES)))
    assert found[0] == pytest.approx(exact, rel=1e-12)
    assert posterior.sum() == pytest.approx(1.0, abs=1e-12)
    assert NODES[posterior[0].argmax()] == pytest.approx(1.0)


def test_an_impossible_response_has_log_likelihood_minus_infinity() -> None:
    """A proposal outside the model's domain must compare as worse than any other, not as NaN."""
    table = np.full((1, 2, len(NODES)), -np.inf)
    found, counts, at_node = np.empty(1), np.zeros(table.shape), np.zeros(len(NODES))
    expected_counts(
        np.ones((1, 1), np.int8), np.ones(1), table, np.log(twin.node_weights(NODES)), found, counts, at_node
    )
    assert np.isneginf(found[0])


def test_two_runs_give_the_same_bits() -> None:
    """A sum whose order changes from run to run makes results that cannot be reproduced to the last digit."""
    codes, weights = simulated(300, 10, seed=5, missing=0.1), np.random.default_rng(0).uniform(1, 2, 300)
    first, second = (compute(codes, weights, items_for(10)) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert one.tobytes() == other.tobytes()


def test_kernels_are_correct_without_compilation() -> None:
    """What only works compiled cannot be debugged, and hides undefined behaviour such as reading past an array."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "tests/kernels/test_expectation.py",
            "tests/kernels/test_grouped_expectation.py",
            "-q",
            "-k",
            "not without_compilation",
            "-p",
            "no:cacheprovider",
        ],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
