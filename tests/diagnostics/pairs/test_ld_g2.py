"""LD-G2 against R mirt, against plain loops, and with cells that are empty."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.diagnostics import local_dependence
from psyirt.diagnostics.pairs.ld_g2 import likelihood_ratio
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_pairs
from tests.small_data import simulated

# R mirt 1.47, residuals(type = "LDG2"), LSAT7 2PL: G2 and signed Cramer's V of pairs (1,2), (1,3), ..., (4,5)
LSAT7_G2 = [
    *(0.451051495946936, 0.860579433834124, 2.58902092755216, 2.32934373601103, 1.05790680934751),
    *(0.265914511994223, 1.38818951780659, 0.154154939707112, 0.00295780251638422, 1.05400124510366e-05),
]
LSAT7_V = [
    *(-0.0212379729717065, -0.0293356341986009, 0.0508824225794346, 0.0482632752308733, 0.0325254793868977),
    *(-0.0163068854167258, -0.037258415395808, -0.0124159147752839, -0.00171982630413197, 0.000102664562781111),
]


def test_equal_to_mirt() -> None:
    """The factor 2, the sign and the effect size."""
    table = local_dependence(lsat_calibration(7, LSAT7_2PL), "LD-G2")
    np.testing.assert_allclose(table["g2"], LSAT7_G2, atol=1e-8)
    np.testing.assert_allclose(table["cramers_v"], LSAT7_V, atol=1e-8)
    np.testing.assert_allclose(table["statistic"], np.sign(LSAT7_V) * LSAT7_G2, atol=1e-8)


def test_equal_to_plain_loops_with_missing_responses() -> None:
    """Each pair has its own subjects."""
    codes = simulated(150, 5, seed=14, missing=0.25)
    table = local_dependence(calibration_of(codes), "LD-G2")
    nodes = np.linspace(-6.0, 6.0, 61)
    weights = np.exp(-0.5 * nodes**2)
    p = expit(1.2 * nodes + np.linspace(-1.0, 1.0, 5)[:, None])
    columns = [[None if r < 0 else int(r) for r in column] for column in codes.T]
    for i in range(5):
        for j in range(i + 1, 5):
            g2, v = item_pairs.ld_g2(columns[i], columns[j], p[i], p[j], (weights / weights.sum()).tolist())
            row = table.loc[(f"i{i + 1}", f"i{j + 1}")]
            assert row["statistic"] == pytest.approx(g2, rel=1e-9)
            assert row["cramers_v"] == pytest.approx(v, rel=1e-9)


def test_empty_cells() -> None:
    """An empty cell adds nothing (0 log 0), an impossible answer refutes the model, and equality is 0, not -1e-16."""
    expected = np.full((4, 3), 2.5)
    expected[0, 1], expected[1, 1] = 0.0, 5.0
    observed = np.array([[0.0, 5.0, 2.5], [5.0, 0.0, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5, 2.5]])
    np.testing.assert_allclose(likelihood_ratio(observed, expected), [10.0 * np.log(2.0), np.inf, 0.0])
    rounding = likelihood_ratio(np.array([[0.1 + 0.2], [0.7]]), np.array([[0.3 + 1e-16], [0.7]]))
    assert rounding[0] >= 0.0
