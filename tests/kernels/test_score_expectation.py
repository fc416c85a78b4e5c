"""The E-step on sum scores against the plain kernel, which has a loop twin of its own."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.patterns import Patterns
from psyirt.kernels.expectation import expected_counts
from psyirt.kernels.score_expectation import byte_sums, item_totals, pack_bits
from psyirt.score_likelihood import ScoreExpectation, pack_scores, score_expectation
from tests.reference import marginal_likelihood as twin

NODES = np.linspace(-6, 6, 61)
LOG_WEIGHTS = np.log(twin.node_weights(NODES))


def case(rows: int, items: int, seed: int = 0, slope: float = 1.2):
    """Codes, weights, slopes of both signs, intercepts, log-probabilities of right and wrong."""
    rng = np.random.default_rng(seed)
    slopes = slope * rng.lognormal(0, 0.4, items) * np.where(rng.random(items) < 0.1, -1, 1)
    intercepts = rng.normal(0, 1.5, items)
    ability = rng.normal(size=rows)
    codes = (rng.random((rows, items)) < 1 / (1 + np.exp(-(np.outer(ability, slopes) + intercepts)))).astype(np.int8)
    logits = np.outer(slopes, NODES) + intercepts[:, None]
    return codes, rng.uniform(0.5, 3.0, rows), slopes, intercepts, -np.logaddexp(0, -logits), -np.logaddexp(0, logits)


def both(codes, weights, slopes, intercepts, right, wrong) -> tuple[ScoreExpectation, ScoreExpectation]:
    """From sum scores, and from the general kernel's counts."""
    data = pack_scores(Patterns(codes, weights, np.arange(len(codes))))
    fast = score_expectation(data, slopes, intercepts, NODES, LOG_WEIGHTS)
    each, counts, nodes = np.empty(len(codes)), np.zeros((len(slopes), 2, 61)), np.zeros(61)
    expected_counts(codes, weights, np.stack([wrong, right], axis=1), LOG_WEIGHTS, each, counts, nodes)
    return fast, ScoreExpectation(float(weights @ each), counts[:, 1].sum(1), counts[:, 1] @ NODES, NODES, nodes)


@pytest.mark.parametrize(
    ("rows", "items"),
    [(1, 3), (70, 8), (3000, 5), (3000, 9), (3000, 70), (70000, 12)],
    ids=["one", "own scores", "few items", "one item in the last byte", "wide spacing", "several chunks"],
)
def test_sum_scores_give_what_all_answers_give(rows: int, items: int) -> None:
    """A point too few at an end, or a bit of the wrong item, shifts every estimate a little."""
    fast, slow = both(*case(rows, items))
    assert fast.log_likelihood == pytest.approx(slow.log_likelihood, rel=1e-13)
    for ours, theirs in ((fast.right, slow.right), (fast.moments, slow.moments), (fast.node_counts, slow.node_counts)):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-11 * rows + 1e-12)


@pytest.mark.parametrize(("slope", "precision"), [(0.01, 1e-13), (30.0, 1e-11)], ids=["flat", "steep"])
def test_flat_and_steep_items_are_within_the_interpolations_reach(slope: float, precision: float) -> None:
    """Flat items put all scores within one interval; steep ones of both signs leave posteriors with two peaks."""
    fast, slow = both(*case(20000, 30, slope=slope))
    assert fast.log_likelihood == pytest.approx(slow.log_likelihood, rel=precision)
    np.testing.assert_allclose(fast.moments, slow.moments, rtol=0, atol=1e-10 * 20000)
    np.testing.assert_allclose(fast.node_counts, slow.node_counts, rtol=0, atol=1e-10 * 20000)


def test_a_few_steep_items_among_flat_ones_leave_posteriors_as_wide_as_the_population() -> None:
    """The number of items says nothing about the width of posteriors: at twice the spacing counts were off by 4e-9."""
    codes, weights, slopes, intercepts, *_ = case(3000, 70)
    slopes = np.where(np.arange(70) < 4, 9.0, 0.01)
    logits = np.outer(slopes, NODES) + intercepts[:, None]
    fast, slow = both(codes, weights, slopes, intercepts, -np.logaddexp(0, -logits), -np.logaddexp(0, logits))
    np.testing.assert_allclose(fast.node_counts, slow.node_counts, rtol=0, atol=2e-11 * 3000)
    assert fast.log_likelihood == pytest.approx(slow.log_likelihood, rel=1e-13)


def test_nodes_far_apart_need_scores_close_together() -> None:
    """Between nodes 3 apart all weight moves from one to the other within a score difference of 1."""
    codes, weights, slopes, intercepts, *_ = case(3000, 20)
    nodes = np.linspace(-6, 6, 5)
    log_weights = np.log(twin.node_weights(nodes))
    logits = np.outer(slopes, nodes) + intercepts[:, None]
    each, counts, totals = np.empty(3000), np.zeros((20, 2, 5)), np.zeros(5)
    table = np.stack([-np.logaddexp(0, logits), -np.logaddexp(0, -logits)], axis=1)
    expected_counts(codes, weights, table, log_weights, each, counts, totals)
    data = pack_scores(Patterns(codes, weights, np.arange(3000)))
    fast = score_expectation(data, slopes, intercepts, nodes, log_weights)
    np.testing.assert_allclose(fast.node_counts, totals, rtol=0, atol=2e-11 * 3000)
    assert fast.log_likelihood == pytest.approx(float(weights @ each), rel=1e-13)


def test_packing_and_totals_are_inverse() -> None:
    """The last byte is not full; its spare bits belong to nobody."""
    codes = case(40, 11)[0]
    bits = np.empty((40, 2), np.uint8)
    pack_bits(codes, bits)
    np.testing.assert_array_equal(np.unpackbits(bits, axis=1, bitorder="little")[:, :11], codes)
    table, totals, right = np.empty((2, 256)), np.zeros((2, 256)), np.empty(11)
    byte_sums(np.arange(1.0, 12.0), table)
    np.testing.assert_array_equal(table[0, bits[:, 0]] + table[1, bits[:, 1]], codes @ np.arange(1.0, 12.0))
    for g in range(2):
        np.add.at(totals[g], bits[:, g], 1.0)
    item_totals(totals, right)
    np.testing.assert_array_equal(right, codes.sum(0))


def test_nodes_where_nobody_is_are_left_to_the_m_step() -> None:
    """Of 961 nodes a long test's subjects use half; leaving out one that is used would shift every item."""
    fast, _ = both(*case(30, 300))
    nodes, _, _, counts = fast.sums
    assert 10 < len(nodes) < 61
    assert counts.sum() == pytest.approx(fast.node_counts.sum(), rel=1e-15)
    assert np.all(fast.node_counts[~np.isin(NODES, nodes)] < 1e-14)
