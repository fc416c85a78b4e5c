"""Percentiles before and after misfits are dropped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import person_fit, screen_subjects
from psyirt.diagnostics.persons.screening import mid_ranks
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.results.calibration import Calibration
from psyirt.scoring.abilities import score
from psyirt.scoring.percentiles import crowd_percentile
from tests.diagnostics.calibrations import calibration_of
from tests.small_data import simulated


def _careless(subjects: int = 300, careless: int = 30) -> Calibration:
    rng = np.random.default_rng(5)
    b = np.linspace(-2.0, 2.0, 40)
    theta = rng.normal(1.0, 1.0, (subjects, 1))
    codes = (rng.random((subjects, 40)) < 1 / (1 + np.exp(-1.5 * (theta - b)))).astype(np.int8)
    codes[:careless] = rng.random((careless, 40)) < 0.5
    return fit_mml(Responses.from_array(codes), "2PL")


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    """300 workers of whom 30 guess."""
    return _careless()


def test_after_is_a_fit_of_those_who_stay(calibration: Calibration) -> None:
    """Anything else than a calibration without the dropped subjects answers another question."""
    screened = screen_subjects(calibration)
    assert calibration.responses is not None
    assert set(screened.dropped) == set(person_fit(calibration).flagged.index)
    assert 10 < len(screened.dropped) < 45
    kept = calibration.responses.select(subjects=list(screened.kept))
    again = fit_mml(kept, "2PL")
    table = screened.percentiles
    after = score(again, calibration.responses)["theta"]
    np.testing.assert_allclose(screened.item_parameters.slopes[:, 0], again.items["a"], rtol=2e-3)
    np.testing.assert_allclose(table["theta_after"], after, atol=2e-3)
    np.testing.assert_allclose(table["theta_before"], calibration.abilities()["theta"], atol=1e-9)
    before = crowd_percentile(table["theta_before"], table["theta_before"])
    np.testing.assert_allclose(table["crowd_before"], before.percentile)
    among = crowd_percentile(table["theta_after"], table["theta_after"][~table["dropped"]])
    np.testing.assert_allclose(table["crowd_after"], among.percentile)
    assert "flagged by lz*" in screened.statement
    assert screened.statement in repr(screened)


def test_systems_are_shown_before_and_after(calibration: Calibration) -> None:
    """What a system's percentile becomes is the question that most users have."""
    rng = np.random.default_rng(1)
    names = [f"i{k + 1}" for k in range(40)]
    systems = Responses.from_array(rng.integers(0, 2, (3, 40)), subject_names=["x", "y", "z"], item_names=names)
    screened = screen_subjects(calibration, others=systems)
    assert screened.others is not None
    assert list(screened.others.index) == ["x", "y", "z"]
    assert list(screened.others.columns) == list(screened.percentiles.columns[1:])
    np.testing.assert_allclose(screened.others["theta_before"], score(calibration, systems)["theta"], atol=1e-9)
    with pytest.raises(InputError, match="others is a DataFrame"):
        screen_subjects(calibration, others=systems.to_frame())  # type: ignore[arg-type]


def test_nobody_flagged_changes_nothing() -> None:
    """A refit that was not needed would move everybody by rounding."""
    screened = screen_subjects(fit_mml(Responses.from_array(simulated(200, 8, seed=3)), "2PL"), alpha=1e-6)
    assert screened.dropped == ()
    assert screened.statement.startswith("Nobody of 200 subjects")
    table = screened.percentiles
    for what in ("theta", "percentile", "crowd"):
        pd.testing.assert_series_equal(table[f"{what}_before"], table[f"{what}_after"], check_names=False)


def test_fixed_items_stay_and_the_note_says_so(calibration: Calibration) -> None:
    """Without a fit there is nothing to repeat: only the crowd changes."""
    fixed = fix(calibration.item_parameters, "2PL", calibration.responses)
    screened = screen_subjects(fixed, "Guttman")
    assert screened.dropped
    assert "nothing was estimated" in screened.notes[0]
    table = screened.percentiles
    np.testing.assert_array_equal(table["theta_before"], table["theta_after"])
    assert (table["crowd_after"] != table["crowd_before"]).any()


def test_items_that_lose_their_variance_keep_their_parameters() -> None:
    """If only the careless ever failed an item, it has no estimate without them: a note, not a crash."""
    base = _careless()
    assert base.responses is not None
    codes = base.responses.codes.copy()
    flagged = person_fit(base)["flag"].to_numpy(bool)
    codes[~flagged, 0] = 1
    assert (codes[flagged, 0] == 0).any()
    screened = screen_subjects(fit_mml(Responses.from_array(codes), "2PL"))
    assert (codes[~screened.percentiles["dropped"].to_numpy(bool), 0] == 1).all()
    assert "no finite estimates" in screened.notes[0]
    np.testing.assert_array_equal(screened.percentiles["theta_before"], screened.percentiles["theta_after"])


def test_weighted_mid_ranks() -> None:
    """A pattern's weight belongs to its subjects together, not to each of them."""
    found = mid_ranks(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.5]), np.array([1.0, 2.0, 1.0]))
    assert found.tolist() == [0.0, 62.5, 100.0]
    codes = simulated(60, 6, seed=2)
    plain, twice = calibration_of(codes), calibration_of(np.vstack([codes, codes]), weights=np.full(120, 0.5))
    one, two = screen_subjects(plain, "Guttman"), screen_subjects(twice, "Guttman")
    np.testing.assert_allclose(one.percentiles["crowd_before"], two.percentiles["crowd_before"].iloc[:60])
    theta = one.percentiles["theta_before"]
    np.testing.assert_allclose(one.percentiles["crowd_before"], crowd_percentile(theta, theta).percentile)


def test_everybody_flagged_is_refused(calibration: Calibration) -> None:
    """A crowd of nobody has no percentiles."""
    assert calibration.responses is not None
    codes = 1 - calibration.responses.codes[40:52]
    upside_down = fix(calibration.item_parameters, "2PL", Responses.from_array(codes))
    with pytest.raises(InputError, match="everybody is flagged"):
        screen_subjects(upside_down, adjust="none", alpha=0.5)
