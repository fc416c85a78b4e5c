"""Groups by ability: ties and weights decide who is compared with whom."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from psyirt.diagnostics.items.ability_groups import ability_groups


def test_without_ties_groups_are_tenths() -> None:
    """R's mirt, too, cuts the ranks into equal parts: one subject in another group is another statistic."""
    scores = np.random.default_rng(1).permutation(100) / 7.0
    group = ability_groups(scores, np.ones(100), 10)
    np.testing.assert_array_equal(group, np.argsort(np.argsort(scores)) // 10)


@settings(max_examples=40)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 7.0]), min_size=1, max_size=40), st.integers(1, 12))
def test_equal_scores_stay_together_and_no_group_is_empty(values: list[float], count: int) -> None:
    """A tie parted by the order of rows makes the statistic a property of the file."""
    scores = np.array(values)
    group = ability_groups(scores, np.ones(len(scores)), count)
    for one, other in zip(scores, group, strict=True):
        assert (group[scores == one] == other).all()
    assert set(group) == set(range(group.max() + 1))
    assert group.max() < count
    assert (np.diff(group[np.argsort(scores, kind="stable")]) >= 0).all()


def test_a_row_of_weight_two_is_two_rows() -> None:
    """Frequencies that count once each would move every boundary."""
    scores, weights = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 1.0, 1.0, 3.0])
    group = ability_groups(scores, weights, 2)
    np.testing.assert_array_equal(group, [0, 1, 1, 1])
    spread = ability_groups(np.repeat(scores, weights.astype(int)), np.ones(10), 2)
    np.testing.assert_array_equal(spread, np.repeat(group, weights.astype(int)))
    # rounding of the last digits does not part equals
    np.testing.assert_array_equal(ability_groups(scores + 1e-13 * np.arange(4), weights, 2), group)
