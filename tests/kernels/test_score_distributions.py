"""Score distributions: every S-X2 cell is made of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from psyirt.kernels.score_distributions import rest_score_sums, score_distribution
from tests.reference import sum_scores


def correct_and_score(p: np.ndarray, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Item right and score reached: what S-X2 makes of the kernel."""
    return np.pad(rest_score_sums(p, q, (weights * p)[:, None])[:, 0], ((0, 0), (1, 0)))


def _probabilities(rng: np.random.Generator, items: int, nodes: int) -> np.ndarray:
    return rng.uniform(0.02, 0.98, (items, nodes))


@pytest.mark.parametrize("items", [1, 2, 3, 5, 6, 7])
def test_equal_to_listing_every_pattern(items: int, rng: np.random.Generator) -> None:
    """A slip in halving the items (odd numbers, a range of one) would move probability between scores."""
    p, weights = _probabilities(rng, items, 3), np.array([0.2, 0.5, 0.3])
    joint = correct_and_score(p, 1.0 - p, weights)
    for j in range(items):
        np.testing.assert_allclose(joint[j], sum_scores.correct_and_score(p, weights, j), rtol=1e-12, atol=0)
    np.testing.assert_allclose(
        score_distribution(p, 1.0 - p) @ weights, sum_scores.score_probabilities(p, weights), rtol=1e-12
    )


@pytest.mark.parametrize("items", [8, 13, 33, 64, 90])
def test_items_right_add_up_to_the_score(items: int, rng: np.random.Generator) -> None:
    """Leaving out a wrong item in a larger tree: summed over items, P(item right, score s) must be s P(score s)."""
    p, weights = _probabilities(rng, items, 4), np.full(4, 0.25)
    joint = correct_and_score(p, 1.0 - p, weights)
    whole = score_distribution(p, 1.0 - p) @ weights
    np.testing.assert_allclose(joint.sum(axis=0), np.arange(items + 1) * whole, rtol=1e-12)


def test_tiny_probabilities_keep_their_digits() -> None:
    """Dividing an item out of the whole distribution leaves noise of 1e-17 where the truth is 1e-120."""
    p = np.full((60, 1), 0.01)
    joint = correct_and_score(p, 1.0 - p, np.ones(1))
    scores = np.arange(1, 61)
    np.testing.assert_allclose(joint[0, 1:], 0.01 * binom.pmf(scores - 1, 59, 0.01), rtol=1e-11)
    assert joint[0, 60] == pytest.approx(1e-120, rel=1e-11)


def test_certain_responses() -> None:
    """Probabilities of exactly 0 and 1 are where a division would give NaN."""
    p = np.array([[1.0], [0.0], [0.5]])
    np.testing.assert_array_equal(score_distribution(p, 1.0 - p)[:, 0], [0.0, 0.5, 0.5, 0.0])
    np.testing.assert_array_equal(
        correct_and_score(p, 1.0 - p, np.ones(1)), [[0.0, 0.5, 0.5, 0.0], [0.0] * 4, [0.0, 0.0, 0.5, 0.0]]
    )


def test_several_functions_of_an_item_keep_apart(rng: np.random.Generator) -> None:
    """Derivatives in three parameters go through at once; one written over another would go unnoticed in a sum."""
    p, functions = _probabilities(rng, 5, 3), rng.normal(size=(5, 2, 3))
    both = rest_score_sums(p, 1.0 - p, functions)
    assert both.shape == (5, 2, 5)
    for k in range(2):
        np.testing.assert_array_equal(
            both[:, k], rest_score_sums(p, 1.0 - p, np.ascontiguousarray(functions[:, k : k + 1]))[:, 0]
        )
    for j in range(5):
        others = np.delete(p, j, axis=0)
        np.testing.assert_allclose(both[j], functions[j] @ score_distribution(others, 1.0 - others).T, rtol=1e-12)
