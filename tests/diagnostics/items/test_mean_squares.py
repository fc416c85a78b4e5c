"""Infit and outfit against R mirt and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_fit as twin
from tests.small_data import simulated

# R mirt 1.47, LSAT section 7, 2PL, at its own estimates; abilities by EAP, WLE and ML
MIRT = {
    "EAP": {
        "outfit": [0.775813603780229, 0.736777802595783, 0.484367958281405, 0.855209138310291, 0.8662291874307],
        "z.outfit": [-3.14157111448888, -7.76518706399433, -7.05280601190291, -6.56304787071224, -1.9025201778721],
        "infit": [0.95817568387796, 0.815985949841471, 0.750099388258147, 0.88142751194181, 0.989220573601999],
        "z.infit": [-0.702285891465492, -6.3612395756335, -5.21711722241231, -5.80727402154509, -0.154128232293441],
    },
    "WLE": {
        "outfit": [0.592528472204949, 0.65788010213726, 0.363924312540404, 0.786845227248583, 0.7024765891066],
        "infit": [0.791568356692938, 0.774884013127458, 0.582837182213379, 0.852662989157782, 0.848226985817637],
    },
    "ML": {
        "outfit": [0.663829489837122, 0.733833412825675, 0.34723090473013, 0.901926853784315, 0.810534946435892],
        "z.outfit": [-5.2807346070975, -6.94370726157904, -9.70011336844893, -3.71380829466175, -2.94575433727449],
        "infit": [0.818944799962048, 0.792368435941916, 0.576146260998418, 0.92141606050974, 0.878159680430426],
    },
}
_FLOOR = 10.0**-2.5


@pytest.mark.parametrize("scoring", MIRT)
def test_equal_to_mirt(scoring: str) -> None:
    """mirt's p (1 - p) is at least 10^-2.5, and its infinite ML abilities stand 0.1 beyond the finite ones."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    for name in ("outfit", "infit"):
        table = item_fit(calibration, name, scoring=scoring, min_variance=_FLOOR)
        np.testing.assert_allclose(table["statistic"], MIRT[scoring][name], rtol=1e-6)
        if f"z.{name}" in MIRT[scoring]:
            np.testing.assert_allclose(table["z"], MIRT[scoring][f"z.{name}"], atol=1e-4)


def test_equal_to_plain_loops_with_missing_responses() -> None:
    """A missing response counted as a residual of 0 would lower every mean square."""
    codes = simulated(80, 7, seed=31, missing=0.2)
    calibration = calibration_of(codes)
    theta = calibration.abilities()["theta"].to_numpy()
    outfit, infit = item_fit(calibration, "outfit"), item_fit(calibration, "infit")
    for j, intercept in enumerate(np.linspace(-1.0, 1.0, 7)):
        wanted = twin.mean_squares(codes[:, j].tolist(), expit(1.2 * theta + intercept).tolist())
        found = (outfit["statistic"].iloc[j], infit["statistic"].iloc[j], outfit["z"].iloc[j], infit["z"].iloc[j])
        assert found == pytest.approx(wanted, rel=1e-9)
    assert outfit["n"].tolist() == (codes >= 0).sum(axis=0).tolist()


def test_without_a_floor_by_default() -> None:
    """A floor under p (1 - p) makes a very easy item's infit small whatever its answers."""
    rng = np.random.default_rng(32)
    theta, intercepts = rng.standard_normal((1000, 1)), np.array([6.0, -1.0, -0.5, 0.0, 0.5, 1.0])
    codes = (rng.random((1000, 6)) < expit(1.5 * theta + intercepts)).astype(np.int8)
    responses = Responses.from_array(codes)
    calibration = fix(ItemParameters(responses.item_names, [1.5] * 6, intercepts), "2PL", responses)
    plain, floored = (item_fit(calibration, "infit", min_variance=least)["statistic"] for least in (0.0, _FLOOR))
    assert floored.iloc[0] < 0.95 * plain.iloc[0]
    np.testing.assert_array_equal(floored.iloc[2:5], plain.iloc[2:5])


def test_a_scrambled_item_stands_out() -> None:
    """Answers that go against ability are what outfit is for."""
    codes = simulated(500, 12, seed=33)
    codes[:, 4] = 1 - codes[:, 4]
    for name in ("outfit", "infit"):
        assert item_fit(calibration_of(codes), name)["statistic"].idxmax() == "i5"


def test_subjects_without_a_finite_estimate_are_counted() -> None:
    """Who is put where nobody would look must be said."""
    codes = simulated(200, 5, seed=34)
    codes[0], codes[1], codes[2] = 1, 0, -1
    table = item_fit(calibration_of(codes), "outfit", scoring="ML")
    extreme = int((codes == 1).all(axis=1).sum() + (codes == 0).all(axis=1).sum())
    assert any(note.startswith(f"{extreme} infinite ML estimates") for note in table.notes)
    assert any(note.startswith("1 subjects without an ML estimate") for note in table.notes)


@pytest.mark.parametrize("options", [{"scoring": "EPA"}, {"min_variance": 0.25}, {"min_variance": "small"}])
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    """A floor of 1 would make every residual small."""
    with pytest.raises(InputError):
        item_fit(lsat_calibration(7, LSAT7_2PL), "infit", **options)
