"""The studies of pairs and groups: their counting, on data so small that it can be done by hand."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.diagnostics import local_dependence
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from psyirt.simulation import simulate_responses
from validation.diagnostics.dif import _data
from validation.diagnostics.local_dependence import REPLICATIONS, _codes, _mean, _testlets, bootstrapped


def test_area_under_the_curve() -> None:
    """Pairs within testlets against pairs across: three of the four comparisons go the right way."""
    # pairs (1,2), (1,3), (2,3); of four items below (1,2), (1,3), (1,4), (2,3), (2,4), (3,4), within are the ends
    assert _testlets(np.array([3.0, 1.0, 2.0]), (1, 1, 2)) == {"of the top 5 within testlets": "1", "AUC": "1.000"}
    mixed = _testlets(np.array([5.0, 1.0, 2.0, 3.0, 4.0, 3.5]), (1, 1, 2, 2))
    assert mixed == {"of the top 5 within testlets": "2", "AUC": "0.875"}
    assert _testlets(np.array([1.0]), None)["AUC"] == "-"


def test_planted_pairs() -> None:
    """Copies are copies, and a share of answers is missing; a study that plants nothing finds nothing."""
    codes = _codes(np.random.default_rng(1), 400, 10, 0.0, "surface", 1.0)
    np.testing.assert_array_equal(codes[:, 2], codes[:, 6])
    assert 0.15 < np.mean(_codes(np.random.default_rng(1), 400, 10, 0.2) < 0) < 0.25
    responses, groups = _data(np.random.default_rng(2), impact=1.0, planted=3)
    right = responses.codes[np.array(groups) == 1].mean(axis=0) - responses.codes[np.array(groups) == 0].mean(axis=0)
    assert right[:3].mean() < right[3:].mean() < -0.1


def test_shared_replications_give_what_the_public_function_gives() -> None:
    """The study saves time by one set of replications for two statistics: the same numbers must come out."""
    bank = ItemParameters([f"i{k}" for k in range(1, 5)], [1.0] * 4, [-0.5, 0.0, 0.5, 1.0])
    fit = fix(bank, "2PL", simulate_responses(60, bank, seed=1).responses)
    for method, (p, familywise) in bootstrapped(fit, 3).items():
        table = local_dependence(fit, method, bootstrap=REPLICATIONS, seed=3)
        np.testing.assert_array_equal(table["p"], p)
        np.testing.assert_array_equal(table["p_adjusted"], familywise)


@pytest.mark.parametrize(("values", "text"), [((0.0, 1.0), "0.500 +- 0.500"), ((0.0, np.nan), "-")])
def test_means(values: tuple[float, ...], text: str) -> None:
    """A rate without its error cannot be judged, and a gap is no 0."""
    assert _mean(values) == text
