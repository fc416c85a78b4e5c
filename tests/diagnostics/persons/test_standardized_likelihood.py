"""lz against R mirt, lz* against Snijders' formula in plain loops, and the size of both."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import person_fit
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from tests.diagnostics.calibrations import LSAT7_2PL, lsat_calibration
from tests.reference import person_fit as twin
from tests.scoring.instruments import Instrument, as_items, random_answers, random_instrument
from tests.small_data import simulated

# R mirt 1.47, personfit of LSAT7 (2PL): pattern, Zh at the EAP, Zh at the ML estimate
ZH = """
00001  1.04342864417    0.438966836392
00110 -2.24448645873   -2.07227990199
01010 -2.74652464829   -1.84430596556
10001  1.31057107682    1.09128883797
11101  0.385243044237   0.255967026661
11111  0.782266984009   nan
"""


@pytest.mark.parametrize(("column", "scoring"), [(1, "EAP"), (2, "ML")])
def test_lz_is_that_of_mirt(column: int, scoring: str) -> None:
    """Another mean, variance or sign of the log-likelihood."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    assert calibration.responses is not None
    patterns = ["".join(map(str, row)) for row in calibration.responses.codes]
    found = person_fit(calibration, "lz", scoring=scoring)["statistic"].to_numpy()
    for line in ZH.split("\n")[1:-1]:
        words = line.split()
        assert found[patterns.index(words[0])] == pytest.approx(float(words[column]), abs=1e-5, nan_ok=True)


def _measure(scoring: str) -> tuple[Instrument, Responses, np.ndarray]:
    rng = np.random.default_rng(3)
    instrument = random_instrument(rng, 8, 0.15, 0.95)
    responses = random_answers(rng, instrument, 12, missing=0.15)
    return instrument, responses, person_fit(instrument, "lz*", responses=responses, scoring=scoring).frame


@pytest.mark.parametrize("scoring", ["ML", "MAP", "WLE"])
def test_lz_star_is_snijders(scoring: str) -> None:
    """The published form has a term r0 of the estimating equation; the sum of corrected residuals must equal it."""
    instrument, responses, table = _measure(scoring)
    items = as_items(instrument.item_parameters)
    tested = 0
    for name, row in zip(responses.subject_names, responses.codes, strict=True):
        theta = float(table.loc[name, "theta"])
        if not np.isfinite(theta):
            assert "no finite estimate" in table.loc[name, "note"]
            continue
        pattern = [None if x < 0 else int(x) for x in row]
        r0 = {
            "ML": 0.0,
            "MAP": -theta,
            "WLE": twin.half_log_information_slope(items, pattern, theta),
        }[scoring]
        assert table.loc[name, "statistic"] == pytest.approx(twin.lz_star(items, pattern, theta, r0), abs=1e-5)
        tested += 1
    assert tested >= 5


def test_lz_is_the_twins_with_missing_responses() -> None:
    """A missing answer that counts as wrong."""
    rng = np.random.default_rng(5)
    instrument = random_instrument(rng, 9, 0.2)
    responses = random_answers(rng, instrument, 10, missing=0.3)
    table = person_fit(instrument, "lz", responses=responses).frame
    items = as_items(instrument.item_parameters)
    for name, row in zip(responses.subject_names, responses.codes, strict=True):
        pattern = [None if x < 0 else int(x) for x in row]
        assert table.loc[name, "statistic"] == pytest.approx(
            twin.lz(items, pattern, float(table.loc[name, "theta"])), abs=1e-9
        )


def test_size_under_the_null() -> None:
    """lz at an estimate is conservative, lz* is not, and its p-values are not too small far out."""
    rng = np.random.default_rng(6)
    a, b = rng.uniform(0.6, 2.0, 20), rng.normal(size=20)
    theta = rng.normal(size=(4000, 1))
    responses = Responses.from_array(rng.random((4000, 20)) < 1.0 / (1.0 + np.exp(-a * (theta - b))))
    calibration = fix(ItemParameters(responses.item_names, a, -a * b), "2PL", responses)
    p = {name: person_fit(calibration, name)["p"].to_numpy() for name in ("lz", "lz*")}
    normal = person_fit(calibration, "lz*", reference="normal")["p"].to_numpy()
    assert np.mean(p["lz"] < 0.05) < 0.035
    assert 0.035 < np.mean(p["lz*"] < 0.05) < 0.055
    assert 0.045 < np.mean(normal < 0.05) < 0.065
    assert np.mean(p["lz*"] < 0.001) < 0.0015 < np.mean(normal < 0.001)


def test_items_that_are_all_alike_leave_nothing_to_judge() -> None:
    """Any pattern with the same number right is then as likely: rounding divided by rounding is no statistic."""
    responses = Responses.from_array(simulated(50, 12, seed=1))
    alike = fix(ItemParameters(responses.item_names, np.ones(12), np.zeros(12)), "2PL", responses)
    table = person_fit(alike, "lz*")
    assert table["statistic"].isna().all()
    assert table["note"].str.contains("can hardly vary").all()
