"""X2, G2 and PV-Q1: groups by estimated or plausible ability."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.diagnostics import item_fit
from psyirt.errors import InputError
from psyirt.estimation.mml import fit_mml
from psyirt.simulation import simulate_responses
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_fit as twin
from tests.small_data import simulated


def test_equal_to_plain_loops() -> None:
    """Expected at the mean ability of a group and not at its middle: every group would move."""
    codes = simulated(200, 30, seed=41)
    # equal slopes would tie abilities
    slopes = np.linspace(0.7, 1.9, 30)
    calibration = calibration_of(codes, slopes=slopes)
    theta = calibration.abilities()["theta"].to_numpy()
    x2, g2 = item_fit(calibration, "X2"), item_fit(calibration, "G2")
    for j in (0, 7, 29):
        intercept = float(np.linspace(-1.0, 1.0, 30)[j])
        wanted = twin.grouped_statistics(codes[:, j].tolist(), theta.tolist(), float(slopes[j]), intercept, 10)
        assert x2["statistic"].iloc[j] == pytest.approx(wanted[0], rel=1e-9)
        assert g2["statistic"].iloc[j] == pytest.approx(wanted[1], rel=1e-9)
        assert (x2["df"].iloc[j], g2["df"].iloc[j]) == (8, wanted[2] - 2)
    assert x2["rmsea"].iloc[0] == pytest.approx(np.sqrt(max(x2["statistic"].iloc[0] / 8 - 1, 0) / 199))


def test_no_test_is_made_of_them() -> None:
    """X2 flags a tenth to a third of good items if it is taken for chi-square: its table must not let anybody."""
    table = item_fit(lsat_calibration(7, LSAT7_2PL), "X2")
    assert not table.has_null
    assert "no p-value" in repr(table)
    assert repr(table).startswith("X2: 5 items, 0 flagged (never: there is no test)")


def test_tied_abilities_leave_fewer_groups() -> None:
    """Five items of the Rasch kind have six abilities: ten groups of them do not exist."""
    table = item_fit(calibration_of(simulated(300, 5, seed=42)), "X2")
    assert (table["df"] <= 4).all()
    assert (item_fit(calibration_of(simulated(300, 3, seed=42)), "X2", bins=3)["df"] <= 2).all()


def test_pv_q1_is_seeded() -> None:
    """A number nobody can get again is no evidence."""
    calibration = calibration_of(simulated(300, 10, seed=43, missing=0.1))
    one, same, other = (item_fit(calibration, "PV-Q1", seed=seed)["statistic"] for seed in (1, 1, 2))
    assert one.tolist() == same.tolist()
    assert (one != other).all()


def test_pv_q1_finds_a_non_monotone_item() -> None:
    """Its chi-square p is an upper bound, yet a gross fault must show."""
    rng = np.random.default_rng(44)
    theta = rng.standard_normal((800, 1))
    p = expit(1.2 * theta + np.linspace(-1.0, 1.0, 15))
    p[:, 7] = expit(1.0 - theta[:, 0] ** 2)
    calibration = calibration_of((rng.random(p.shape) < p).astype(np.int8))
    table = item_fit(calibration, "PV-Q1")
    assert table["p_adjusted"].idxmin() == "i8"
    assert table.loc["i8", "flag"]


def test_pv_q1_by_simulation() -> None:
    """Chi-square's p is too large by far; simulated data sets put it right: good items' p spread over 0 to 1."""
    fit = fit_mml(simulate_responses(300, 12, seed=45).responses)
    bound, simulated_p = item_fit(fit, "PV-Q1", draws=5), item_fit(fit, "PV-Q1", draws=5, replications=19, seed=0)
    assert any("upper bound" in note for note in bound.notes)
    assert any("19 simulated data sets" in note for note in simulated_p.notes)
    np.testing.assert_array_equal(bound["statistic"], simulated_p["statistic"])
    assert simulated_p["p"].min() >= 0.05 - 1e-12
    assert 0.25 < simulated_p["p"].mean() < 0.75
    with pytest.raises(InputError, match="at least 19"):
        item_fit(fit, "PV-Q1", replications=5)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("X2", {"bins": 2}),
        ("G2", {"bins": 5.5}),
        ("PV-Q1", {"draws": 0}),
        ("PV-Q1", {"seed": -1}),
        ("X2", {"adjust": "x"}),
    ],
)
def test_options_that_make_no_sense(name: str, options: dict[str, object]) -> None:
    """Two groups leave no degrees of freedom for any item."""
    with pytest.raises(InputError):
        item_fit(lsat_calibration(7, LSAT7_2PL), name, **options)
