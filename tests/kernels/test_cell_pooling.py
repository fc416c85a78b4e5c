"""Pooling decides df: one row more or less is another p-value."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.kernels.cell_pooling import pool_cells
from tests.reference import sum_scores


def _pool(observed: list[list[float]], expected: list[list[float]], least: float = 1.0) -> list[int]:
    return pool_cells(np.array([observed], float), np.array([expected], float), least)[0].tolist()


@pytest.mark.parametrize("least", [0.5, 1.0, 5.0])
def test_same_rows_as_the_written_rule(least: float, rng: np.random.Generator) -> None:
    """The rule has an order (empty, single, small) and a direction for ties; random tables meet every branch."""
    for _ in range(150):
        groups = int(rng.integers(1, 12))
        observed = rng.poisson(rng.choice([0.4, 1.5, 6.0], (groups, 1)), (groups, 2)).astype(float)
        share = rng.uniform(0.02, 0.98, groups)
        expected = observed.sum(axis=1, keepdims=True) * np.column_stack([1.0 - share, share])
        found = _pool(observed.tolist(), expected.tolist(), least)
        wanted = [-1] * groups
        for label, (members, _, _) in enumerate(sum_scores.pooled(observed.tolist(), expected.tolist(), least)):
            for k in members:
                wanted[k] = label
        # a group without subjects is in no row
        assert found == [label if observed[k].sum() > 0 else -1 for k, label in enumerate(wanted)]


def test_a_tie_goes_to_the_lower_score() -> None:
    """Both neighbours have four subjects: which one takes the small cell changes both rows."""
    observed = [[2.0, 2.0], [1.0, 2.0], [2.0, 2.0]]
    expected = [[2.0, 2.0], [0.5, 2.5], [2.0, 2.0]]
    assert _pool(observed, expected) == [0, 0, 1]


def test_a_single_subject_joins_the_next_score_even_with_large_expected_counts() -> None:
    """The single-subject rule comes before the expected counts are looked at."""
    assert _pool([[1.0, 0.0], [3.0, 3.0], [0.0, 1.0]], [[5.0, 5.0]] * 3) == [0, 0, 0]


def test_one_row_left_ends_the_search() -> None:
    """A last row that is still too small has nowhere to go: an endless loop if it is looked for again."""
    assert _pool([[1.0, 1.0], [2.0, 0.0]], [[0.1, 0.2], [0.3, 0.1]]) == [0, 0]


def test_weights_that_sum_to_one_count_as_one_subject() -> None:
    """Ten rows of weight 0.1 are one subject, though their sum is not exactly 1."""
    one = sum([0.1] * 10)
    assert one != 1.0
    assert _pool([[one, 0.0], [3.0, 3.0]], [[2.0, 2.0], [3.0, 3.0]]) == [0, 0]
