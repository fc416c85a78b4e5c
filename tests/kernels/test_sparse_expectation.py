"""The E-step over answers kept one by one, and what else walks them, against the plain kernels and loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from psyirt import likelihood
from psyirt.data.patterns import Patterns
from psyirt.data.responses import Responses
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.data.sparse_responses import SparseResponses
from psyirt.estimation import item_rest
from psyirt.foundation.threads import worker_threads
from psyirt.kernels import sparse_expectation
from psyirt.likelihood import expectation, largest_information, posteriors
from tests.reference import marginal_likelihood as twin

Array = NDArray[np.float64]


def case(rows: int, items: int, missing: float, nodes: int = 21) -> tuple[Patterns, SparsePatterns, Array, Array]:
    rng = np.random.default_rng(rows + items)
    codes = (rng.random((rows, items)) < 0.6).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    sparse = SparseResponses.from_dense(Responses.from_array(codes))
    theta = np.linspace(-5, 5, nodes)
    wrong = -np.logaddexp(0, rng.uniform(0.5, 2, (items, 1)) * theta + rng.uniform(-1, 1, (items, 1)))
    table = np.stack([wrong, np.log1p(-np.exp(wrong))], axis=1)
    weights = rng.uniform(0.5, 3.0, rows)
    return (
        Patterns(codes, weights, np.arange(rows)),
        SparsePatterns(sparse.starts, sparse.entries, items, weights),
        table,
        np.log(twin.node_weights(theta)),
    )


def assert_equal(ours: likelihood.Expectation, theirs: likelihood.Expectation, rtol: float = 1e-10) -> None:
    np.testing.assert_allclose(ours.log_likelihood, theirs.log_likelihood, rtol=1e-12)
    np.testing.assert_allclose(ours.counts, theirs.counts, rtol=rtol, atol=1e-9)
    np.testing.assert_allclose(ours.node_counts, theirs.node_counts, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize(("rows", "items", "missing"), [(1, 3, 0.0), (40, 5, 0.4), (300, 60, 0.95), (25, 4, 0.0)])
def test_answers_one_by_one_give_what_a_table_gives(
    rows: int, items: int, missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer scattered to its neighbour, or a block border that repeats a subject, is a wrong count."""
    monkeypatch.setattr(likelihood, "_FEWEST_PER_PART", 7)
    dense, sparse, table, log_weights = case(rows, items, missing)
    plain = np.empty(rows), np.zeros(table.shape), np.zeros(len(log_weights))
    likelihood.expected_counts(dense.codes, dense.weights, table, log_weights, *plain)
    total = float(dense.weights @ plain[0])
    assert_equal(expectation(sparse, table, log_weights), likelihood.Expectation(total, *plain[1:]))


def test_the_log_likelihood_is_that_of_the_loops() -> None:
    """Kernels that agree with each other may share a mistake; the twin adds one subject, item and node at a time."""
    dense, sparse, _, _ = case(20, 6, 0.5)
    items = [(1.0 + 0.1 * j, 0.2 * j - 0.5, 0.0, 1.0) for j in range(6)]
    nodes = np.linspace(-4, 4, 15).tolist()
    node_weights = twin.node_weights(nodes)
    table = np.array([[[twin.log_probability(k, node, item) for node in nodes] for k in (0, 1)] for item in items])
    found = expectation(sparse, table, np.log(node_weights))
    assert found.log_likelihood == pytest.approx(
        twin.marginal_log_likelihood(dense.codes.tolist(), dense.weights.tolist(), items, nodes, node_weights),
        rel=1e-13,
    )
    counts, at_node = twin.expected_counts(dense.codes.tolist(), dense.weights.tolist(), items, nodes, node_weights)
    np.testing.assert_allclose(found.counts, counts, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.node_counts, at_node, rtol=1e-9, atol=1e-12)


def test_many_nodes_are_visited_where_subjects_are() -> None:
    """A window that ends too early cuts a posterior off."""
    _, sparse, table, log_weights = case(90, 300, 0.5, nodes=241)
    assert likelihood._coarse_stride(241)
    dense = Patterns(sparse.codes, sparse.weights, sparse.index)
    assert_equal(expectation(sparse, table, log_weights), expectation(dense, table, log_weights))


def test_threads_change_no_bit_and_order_hardly_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that depends on the machine's cores, or on who comes first, cannot be reproduced."""
    monkeypatch.setattr(likelihood, "_FEWEST_PER_PART", 50)
    _, sparse, table, log_weights = case(400, 40, 0.9)
    found = []
    for count in (1, 2, 3):
        with worker_threads(count):
            found.append(expectation(sparse, table, log_weights))
    for other in found[1:]:
        assert other.log_likelihood == found[0].log_likelihood
        np.testing.assert_array_equal(other.counts, found[0].counts)
    shuffled = sparse.take(np.random.default_rng(0).permutation(400))
    assert_equal(expectation(shuffled, table, log_weights), found[0])


def test_an_impossible_pattern_has_log_likelihood_minus_infinity() -> None:
    """Nodes that fill registers must not lend an impossible pattern a finite likelihood."""
    _, sparse, table, log_weights = case(30, 4, 0.2)
    table[2] = -np.inf
    assert np.isneginf(expectation(sparse, table, log_weights).log_likelihood)


def test_posteriors_are_those_of_a_table() -> None:
    """Abilities and standard errors rest on these rows."""
    dense, sparse, table, log_weights = case(50, 12, 0.7)
    ours, theirs = (list(posteriors(each, table, log_weights, 20)) for each in (sparse, dense))
    assert [block.rows for block in ours] == [block.rows for block in theirs]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-11, atol=1e-15)
        np.testing.assert_allclose(one.log_likelihood, other.log_likelihood, rtol=1e-12)


def test_no_subjects_are_no_crash() -> None:
    """An empty selection is an empty sum."""
    empty = SparsePatterns(np.zeros(1, np.int64), np.empty(0, np.int32), 3, np.empty(0))
    found = expectation(empty, np.zeros((3, 2, 5)), np.zeros(5))
    assert (found.log_likelihood, found.counts.sum()) == (0.0, 0.0)


def test_the_largest_information_is_a_subjects_own() -> None:
    """All items' information would ask for nodes that no subject's posterior needs."""
    dense, sparse, _, _ = case(30, 8, 0.6)
    information = np.random.default_rng(3).random((8, 5))
    assert largest_information(sparse, information) == pytest.approx(((dense.codes >= 0) @ information).max())


@pytest.mark.parametrize("statistic", [item_rest.answer_sums, item_rest.item_rest_correlations])
def test_item_statistics_are_those_of_a_table(statistic: Callable[..., Array]) -> None:
    """Start values from another subset of the answers are start values of other data."""
    dense, sparse, _, _ = case(200, 9, 0.6)
    np.testing.assert_allclose(statistic(sparse), statistic(dense), rtol=1e-11)


def test_patterns_are_read_and_drawn_alike() -> None:
    """A bootstrap that draws other rows than it weighs, or a column of another item, is silent."""
    dense, sparse, _, _ = case(40, 9, 0.6)
    np.testing.assert_array_equal(sparse.codes, dense.codes)
    np.testing.assert_array_equal(sparse.codes_of(slice(7, 19)), dense.codes[7:19])
    some = np.array([4, 0, 8])
    np.testing.assert_array_equal(sparse.columns(some), dense.codes[:, some])
    drawn = np.array([3, 3, 39, 0])
    for one, other in ((sparse.take(drawn), dense.take(drawn)), (sparse.take(drawn, np.ones(4)), None)):
        np.testing.assert_array_equal(one.codes, dense.codes[drawn])
        np.testing.assert_array_equal(one.weights, np.ones(4) if other is None else other.weights)
    for ours, theirs in zip(sparse.answer_counts(), dense.answer_counts(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    assert (sparse.observed, sparse.is_complete) == (dense.observed, False)
    np.testing.assert_array_equal(sparse.answered, dense.answered)


def test_blocks_of_subjects_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block that fits one cache must not be part of the result: each answer is added in the order of subjects."""
    _, sparse, table, log_weights = case(2500, 6, 0.5)
    monkeypatch.setattr(likelihood, "_FEWEST_PER_PART", 10**9)
    assert sparse_expectation._BLOCK_BYTES // (8 * 24) > 2500
    whole = expectation(sparse, table, log_weights)
    parts = [expectation(sparse.take(np.arange(k, k + 500)), table, log_weights) for k in range(0, 2500, 500)]
    np.testing.assert_allclose(sum(part.counts for part in parts), whole.counts, rtol=1e-12)
    assert sum(part.log_likelihood for part in parts) == pytest.approx(whole.log_likelihood, rel=1e-13)
