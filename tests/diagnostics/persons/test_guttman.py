"""Guttman errors against pairs counted one by one; their null distribution."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import person_fit
from psyirt.simulation import simulate_responses
from tests.reference import person_fit as twin
from tests.small_data import lsat, simulated


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_errors_are_pairs_counted_one_by_one(missing: float) -> None:
    """Ties between equally popular items, and items that were not answered, are where a shortcut goes wrong."""
    codes = simulated(40, 9, seed=11, missing=missing)
    codes[:, 3] = np.where(codes[:, 3] >= 0, codes[:, 2], -1)
    codes[:, 2] = np.where(codes[:, 3] >= 0, codes[:, 2], -1)
    table = person_fit(Responses.from_array(codes)).frame
    expected = twin.guttman_errors([[None if x < 0 else int(x) for x in row] for row in codes])
    np.testing.assert_allclose(table["statistic"], [normed for _, normed in expected], rtol=1e-12)
    np.testing.assert_allclose(table["errors"], [errors for errors, _ in expected], rtol=1e-12)


def test_perfect_and_reversed_patterns() -> None:
    """0 and 1 are the ends of the normed count."""
    rows = [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 0]]
    table = person_fit(Responses.from_array(rows))
    assert table["statistic"].tolist()[:3] == [0.0, 0.0, 0.0]
    assert table.loc["s5", "statistic"] == 1.0
    assert table.loc["s5", "errors"] == 3.0


def test_size_of_the_test() -> None:
    """p-values of a crowd that fits must be uniform enough to act on, with missing responses too."""
    for missing in (0.0, 0.3):
        crowd = simulate_responses(subjects=3000, items=30, model="3PL", seed=2, missing=missing)
        p = person_fit(crowd.responses)["p"].to_numpy()
        assert 0.03 < np.mean(p < 0.05) < 0.065
        assert np.mean(p < 0.001) < 0.003


def test_missing_responses_are_said_to_matter() -> None:
    """Proportions right of different items are comparable only if they were asked at random."""
    assert person_fit(lsat(7)[0]).notes == ()
    assert "at random" in person_fit(Responses.from_array(simulated(30, 5, seed=1, missing=0.2))).notes[0]


def test_a_crowd_without_variance() -> None:
    """Everybody answers alike: no order, no errors, no crash."""
    table = person_fit(Responses.from_array([[1, 1, 0, 0]] * 12))
    assert table["statistic"].isna().all()
    assert (table["note"] != "").all()
