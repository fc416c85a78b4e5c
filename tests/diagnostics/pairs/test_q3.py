"""Q3 against R mirt and plain loops, its mean, and pairs that have no correlation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.diagnostics import local_dependence
from psyirt.diagnostics.pairs import q3 as module
from tests.diagnostics.calibrations import LSAT6_2PL, LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_pairs
from tests.small_data import simulated

# R mirt 1.47, residuals(type = "Q3"), LSAT7 2PL: pairs (1,2), (1,3), ..., (4,5)
LSAT7_Q3 = [
    *(-0.134483645446162, -0.213735271693316, -0.0121053783407158, 0.00869576825938616, -0.16277877390753),
    *(-0.133864260136498, -0.124501416722182, -0.169787068666604, -0.114730736647243, -0.0544697276796836),
]


def test_equal_to_mirt() -> None:
    """Residuals at the EAP, with frequencies as weights: a forgotten weight or another ability changes every pair."""
    table = local_dependence(lsat_calibration(7, LSAT7_2PL), "Q3")
    np.testing.assert_allclose(table["statistic"], LSAT7_Q3, atol=1e-6)
    np.testing.assert_allclose(table["q3_star"], np.array(LSAT7_Q3) - np.mean(LSAT7_Q3), atol=1e-6)
    assert table.notes[-1] == "mean Q3 -0.1112, Q3* (largest minus mean) 0.1199"


@pytest.mark.parametrize("block", [2, 128])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_equal_to_plain_loops(block: int, missing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Means and variances over those who answered both, not over all who answered one; blocks of subjects and items."""
    monkeypatch.setattr(module, "_BLOCK_ITEMS", block)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 5 * 37)
    codes = simulated(80, 5, seed=21, missing=missing)
    weights = np.random.default_rng(3).integers(1, 4, 80) / 2.0
    table = local_dependence(calibration_of(codes, weights=weights), "Q3")
    slopes, intercepts = [1.2] * 5, np.linspace(-1.0, 1.0, 5).tolist()
    rows = [[None if r < 0 else int(r) for r in row] for row in codes]
    nodes = np.linspace(-6.0, 6.0, 121).tolist()
    theta = [item_pairs.eap(row, slopes, intercepts, nodes) for row in rows]
    residuals = [
        [
            None if row[j] is None else row[j] - float(expit(1.2 * t + intercepts[j]))
            for row, t in zip(rows, theta, strict=True)
        ]
        for j in range(5)
    ]
    for i in range(5):
        for j in range(i + 1, 5):
            wanted = item_pairs.q3(residuals[i], residuals[j], weights.tolist())
            assert table.loc[(f"i{i + 1}", f"i{j + 1}"), "statistic"] == pytest.approx(wanted, abs=1e-7)


def test_no_p_without_a_bootstrap() -> None:
    """A p-value from a distribution Q3 does not have would be believed."""
    table = local_dependence(lsat_calibration(6, LSAT6_2PL), "Q3")
    assert table["p"].isna().all()
    assert not table["flag"].any()
    assert (table["note"] == "no p-value without a bootstrap: give bootstrap= and seed=").all()


def test_pairs_without_a_correlation() -> None:
    """Nobody in common, too few in common, no difference in common: each says which, and the mean leaves them out."""
    codes = simulated(60, 5, seed=22)
    codes[:30, 0] = -1
    codes[30:, 1] = -1
    codes[2:, 4] = -1
    codes[:, 3] = -1
    codes[:4, 3] = 1
    codes[:4, :3] = [[-1, 1, 1], [-1, 1, 1], [-1, 1, 1], [-1, 1, 1]]
    table = local_dependence(calibration_of(codes), "Q3")
    assert table.loc[("i1", "i2"), "note"] == "nobody answered both items"
    assert table.loc[("i3", "i5"), "note"] == "fewer than 3 answered both items"
    assert table.loc[("i2", "i4"), "note"].startswith("an item does not vary") or np.isnan(
        table.loc[("i2", "i4"), "statistic"]
    )
    gaps = table.frame[table["statistic"].isna()]
    assert {("i1", "i2"), ("i3", "i5")} <= set(gaps.index)
    known = table["statistic"].dropna()
    np.testing.assert_allclose(table["q3_star"].dropna(), known - known.mean())


def test_positions_of_an_items_pairs() -> None:
    """A note on the wrong pair."""
    first, second = np.triu_indices(6, 1)
    for item in range(6):
        wanted = np.flatnonzero((first == item) | (second == item))
        assert sorted(module._pairs_of(item, 6)) == wanted.tolist()
