"""The E-step over groups of items against the plain kernel, which has a loop twin of its own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns
from psyirt.kernels.expectation import expected_counts
from psyirt.kernels.grouped_expectation import group_tables, grouped_posteriors, scatter_rows, spread_counts, sum_rows
from psyirt.likelihood import expectation
from tests.reference import marginal_likelihood as twin

NODES = np.linspace(-5, 5, 21)


def case(rows: int, items: int, missing: float) -> tuple[Patterns, NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(rows + items)
    codes = (rng.random((rows, items)) < 0.6).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    wrong = -np.logaddexp(0, rng.uniform(0.5, 2, (items, 1)) * NODES + rng.uniform(-1, 1, (items, 1)))
    table = np.stack([wrong, np.log1p(-np.exp(wrong))], axis=1)
    patterns = Patterns(codes, rng.uniform(0.5, 3.0, rows), np.arange(rows))
    return patterns, table, np.log(twin.node_weights(NODES))


@pytest.mark.parametrize("missing", [0.0, 0.25, 0.95])
@pytest.mark.parametrize(("rows", "items"), [(1, 1), (70, 3), (70, 13), (2100, 17)])
def test_groups_give_what_single_items_give(rows: int, items: int, missing: float) -> None:
    """A last group that is not full, or missing as one more answer, shifts counts to a neighbouring item."""
    patterns, table, log_weights = case(rows, items, missing)
    plain = np.empty(rows), np.zeros(table.shape), np.zeros(len(NODES))
    expected_counts(patterns.codes, patterns.weights, table, log_weights, *plain)
    packed = patterns.packed
    tables = np.empty((packed.codes.shape[1], packed.states**packed.size, len(NODES)))
    group_tables(table, packed.size, packed.states, tables)
    scattered, found = np.zeros_like(tables), (np.empty(rows), np.zeros(table.shape), np.zeros(len(NODES)))
    placed = np.full((rows, len(NODES)), np.nan), np.empty(rows, np.intp), np.empty(rows, np.intp)
    grouped_posteriors(packed.codes, packed.nothing, patterns.weights, tables, log_weights, found[0], *placed)
    scatter_rows(packed.codes, packed.nothing, 0, *placed, scattered)
    sum_rows(*placed, found[2])
    spread_counts(scattered, packed.size, packed.states, found[1])
    for ours, theirs in zip(found, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_packing_keeps_every_answer() -> None:
    """Two patterns with one byte would be one subject."""
    patterns, _, _ = case(300, 11, 0.3)
    packed = patterns.packed
    digits = [packed.codes // packed.states**k % packed.states for k in range(packed.size)]
    unpacked = np.stack(digits, axis=2).reshape(300, -1)[:, :11].astype(int)
    np.testing.assert_array_equal(np.where(unpacked == 2, -1, unpacked), patterns.codes)


@pytest.mark.parametrize("rows", [3, 100])
def test_an_impossible_model_has_log_likelihood_minus_infinity(rows: int) -> None:
    """Nodes added to fill registers must not lend an impossible model a finite likelihood."""
    patterns, table, log_weights = case(rows, 4, 0.0)
    table[2] = -np.inf
    assert np.isneginf(expectation(patterns, table, log_weights).log_likelihood)


@pytest.mark.parametrize("rows", [1, 100])
def test_very_unlikely_responses_keep_their_likelihood(rows: int) -> None:
    """Ten thousand surprising answers have a log-likelihood below -1,000,000; no padding may outweigh them."""
    patterns, table, log_weights = case(rows, 20, 0.0)
    table -= 1e6
    found = expectation(patterns, table, log_weights)
    assert found.node_counts.sum() == pytest.approx(patterns.total)
    again = expectation(patterns, table + 1e6, log_weights)
    np.testing.assert_allclose(found.log_likelihood, again.log_likelihood - 20e6 * patterns.total, rtol=1e-9)
    np.testing.assert_allclose(found.node_counts, again.node_counts, rtol=1e-5, atol=1e-6)
