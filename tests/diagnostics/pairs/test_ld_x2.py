"""LD-X2 against R mirt, against plain loops, with missing responses, and on a planted pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.diagnostics import local_dependence
from psyirt.diagnostics.pairs import cells
from psyirt.diagnostics.pairs.ld_x2 import pearson
from tests.diagnostics.calibrations import (
    LSAT6_2PL,
    LSAT7_RASCH,
    LSAT7_RASCH_VARIANCE,
    calibration_of,
    lsat_calibration,
)
from tests.reference import item_pairs
from tests.small_data import simulated

# R mirt 1.47, residuals(type = "LD"): X2 and signed Cramer's V of pairs (1,2), (1,3), ..., (4,5)
LSAT6_X2 = [
    *(0.046920777, 0.389112623, 0.247889763, 0.519951616, 0.000114388),
    *(0.435598619, 0.365956672, 0.028667235, 0.747987274, 1.300774366),
]
LSAT6_V = [
    *(0.006849874, 0.019725938, -0.015744515, -0.022802448, 0.000338214),
    *(-0.020870999, 0.019129994, 0.005354179, -0.027349356, 0.03606625),
]


def test_equal_to_mirt() -> None:
    """The sign, the effect size and the order of pairs, on a fit with positive and negative residuals."""
    table = local_dependence(lsat_calibration(6, LSAT6_2PL))
    np.testing.assert_allclose(table["x2"], LSAT6_X2, atol=1e-9)
    np.testing.assert_allclose(table["cramers_v"], LSAT6_V, atol=1e-9)
    np.testing.assert_allclose(table["statistic"], np.sign(LSAT6_V) * LSAT6_X2, atol=1e-9)
    np.testing.assert_allclose(table["standardized"], (np.array(LSAT6_X2) - 1.0) / np.sqrt(2.0), atol=1e-9)
    assert table.frame.index[0] == ("i1", "i2")
    assert table.frame.index[-1] == ("i4", "i5")


def test_free_variance_is_used() -> None:
    """Rasch with its own latent variance: X2 of items 2 and 3 in R mirt 1.47 is 10.959."""
    table = local_dependence(lsat_calibration(7, LSAT7_RASCH, "Rasch", LSAT7_RASCH_VARIANCE))
    assert table.loc[("i2", "i3"), "x2"] == pytest.approx(10.959143727, abs=1e-8)
    assert table.loc[("i2", "i3"), "cramers_v"] == pytest.approx(0.104685929, abs=1e-8)
    assert table.flagged.index.tolist() == [("i2", "i3")]


@pytest.mark.parametrize("block", [1, 3, 128])
def test_missing_responses_pair_by_pair(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair has its own subjects; blocks of items must not change which pair a number belongs to."""
    monkeypatch.setattr(cells, "_BLOCK_ITEMS", block)
    codes = simulated(150, 6, seed=14, missing=0.25)
    table = local_dependence(calibration_of(codes))
    nodes = np.linspace(-6.0, 6.0, 61)
    weights = np.exp(-0.5 * nodes**2)
    p = expit(1.2 * nodes + np.linspace(-1.0, 1.0, 6)[:, None])
    columns = [[None if r < 0 else int(r) for r in column] for column in codes.T]
    for i in range(6):
        for j in range(i + 1, 6):
            x2, v = item_pairs.ld_x2(columns[i], columns[j], p[i], p[j], (weights / weights.sum()).tolist())
            row = table.loc[(f"i{i + 1}", f"i{j + 1}")]
            assert row["statistic"] == pytest.approx(x2, rel=1e-9)
            assert row["cramers_v"] == pytest.approx(v, rel=1e-9)
            assert row["n"] == np.sum((codes[:, i] >= 0) & (codes[:, j] >= 0))


def test_a_pair_nobody_answered() -> None:
    """No common subject: a note, and not a perfect fit of X2 = 0."""
    codes = simulated(100, 4, seed=15)
    codes[:50, 0] = -1
    codes[50:, 1] = -1
    table = local_dependence(calibration_of(codes))
    row = table.loc[("i1", "i2")]
    assert np.isnan(row["statistic"])
    assert np.isnan(row["p"])
    assert row["note"] == "nobody answered both items"
    assert row["n"] == 0
    assert table["statistic"].notna().sum() == 5


def test_small_expected_counts_are_noted() -> None:
    """Chi-square of a cell that expects half a subject is no chi-square."""
    table = local_dependence(calibration_of(simulated(12, 4, seed=16)))
    assert (table["note"] == "an expected count is below 1").any()


def test_finds_a_dependent_pair() -> None:
    """Two items that share more than the ability must be the first to go."""
    rng = np.random.default_rng(17)
    theta, shared = rng.standard_normal((2, 1000, 1))
    load = np.zeros(8)
    load[[2, 6]] = 1.5
    codes = (rng.random((1000, 8)) < expit(1.2 * theta + load * shared + np.linspace(-1, 1, 8))).astype(np.int8)
    table = local_dependence(calibration_of(codes))
    assert table["statistic"].idxmax() == ("i3", "i7")
    assert table.loc[("i3", "i7"), "flag"]
    assert table.loc[("i3", "i7"), "cramers_v"] > 0.1


def test_equal_gammas_count_as_positive() -> None:
    """Margins off, association as expected (both gammas 0): the stated sign is +, X2 = 9/5 + 9/5 + 9/5 + 9/5."""
    table = cells._statistics(np.array([[8.0], [8.0], [2.0], [2.0]]), np.full((4, 1), 5.0), "x2", pearson)
    assert table["statistic"].tolist() == [pytest.approx(7.2)]
    assert table["cramers_v"].tolist() == [pytest.approx(0.6)]
