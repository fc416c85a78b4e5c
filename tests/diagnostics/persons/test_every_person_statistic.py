"""What holds for every registered statistic of subjects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import person_fit
from psyirt.diagnostics.persons.fit import PERSON_FIT
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from psyirt.scale.scale import Scale
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.scoring.instruments import Instrument
from tests.small_data import simulated

EVERY = pytest.mark.parametrize("name", list(PERSON_FIT))
MODELLED = pytest.mark.parametrize("name", [name for name in PERSON_FIT if name != "Guttman"])
NUMBERS = ["statistic", "p", "p_adjusted"]


@EVERY
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_rows_are_subjects(name: str, missing: float) -> None:
    """A value in another subject's row drops the wrong worker."""
    codes = simulated(40, 12, seed=1, missing=missing)
    table = person_fit(calibration_of(codes), name.lower())
    assert list(table.frame.index) == [f"s{k + 1}" for k in range(40)]
    assert table.frame.index.name == "subject"
    assert table.tests.startswith("H0: ")
    assert "40 subjects" in repr(table)
    assert table["answered"].tolist() == (codes >= 0).sum(1).tolist()
    silent = table.frame[table["p"].isna()]
    assert silent["note"].str.startswith("all answers are").all()
    assert len(silent) < 5
    assert "Benjamini" in table.adjustment


@EVERY
def test_order_of_subjects_and_items_does_not_matter(name: str, rng: np.random.Generator) -> None:
    """A statistic of answers that depends on the order of rows or columns is not about the answers."""
    responses = Responses.from_array(simulated(120, 9, seed=2, missing=0.1))
    bank = ItemParameters(responses.item_names, np.linspace(0.7, 1.9, 9), np.linspace(-1.0, 1.0, 9))
    turned = [responses.item_names[k] for k in rng.permutation(9)]
    mixed = responses.select(items=turned, subjects=[responses.subject_names[k] for k in rng.permutation(120)])
    forward = person_fit(fix(bank, "2PL", responses), name).frame
    backward = person_fit(fix(bank.select(turned), "2PL", mixed), name).frame
    pd.testing.assert_frame_equal(forward, backward.loc[forward.index], rtol=1e-9)


@EVERY
def test_duplicated_subjects_with_halved_weights_change_nothing(name: str) -> None:
    """Weights that are counted as rows somewhere would double N there."""
    codes = simulated(150, 8, seed=5)
    once = person_fit(calibration_of(codes), name, adjust="none").frame
    twice = person_fit(
        calibration_of(np.vstack([codes, codes]), weights=np.full(300, 0.5)), name, adjust="none"
    ).frame.iloc[:150]
    pd.testing.assert_frame_equal(once, twice, rtol=1e-9)


@EVERY
@pytest.mark.parametrize("items", [1, 2, 3])
def test_very_few_items(name: str, items: int) -> None:
    """So short a test tells nothing of a person: notes, not crashes."""
    table = person_fit(calibration_of(simulated(60, 3, seed=7)[:, :items]), name)
    assert (table["note"] != "").all()
    assert not table["flag"][table["p"].isna()].any()


@EVERY
def test_extreme_and_absent_answers_are_noted(name: str) -> None:
    """All right, all wrong and nothing at all are the rows that naive code divides by zero in."""
    codes = simulated(60, 12, seed=8)
    codes[0], codes[1], codes[2], codes[3, 1:] = 1, 0, -1, -1
    options: dict[str, Any] = {} if name == "Guttman" else {"scoring": "ML"}
    table = person_fit(calibration_of(codes), name, **options)
    assert table.loc["s1", "note"].startswith("all answers are right")
    assert table.loc["s2", "note"].startswith("all answers are wrong")
    assert table.loc["s3", "note"] == "no responses"
    assert "1 answer only" in table.loc["s4", "note"]
    assert table["statistic"].iloc[:3].isna().all()
    assert not table["flag"].iloc[:4].any()
    plain = table.frame[table["note"] == ""]
    assert len(plain) > 50
    assert np.isfinite(plain["statistic"].to_numpy()).all()


@MODELLED
def test_without_responses_or_parameters(name: str) -> None:
    """What has nothing to judge, or nothing to judge by, must say which."""
    bank = ItemParameters(["q1", "q2", "q3"], [1.0, 1.0, 1.0], [0.0, 0.5, -0.5])
    with pytest.raises(NotAvailableError, match="no responses"):
        person_fit(fix(bank, "2PL"), name)
    with pytest.raises(InputError, match="needs item parameters"):
        person_fit(Responses.from_array(simulated(30, 3, seed=1)), name)
    with pytest.raises(InputError, match="2 abilities"):
        person_fit(
            Instrument(ItemParameters(["q1"], [[1.0, 1.0]], [0.0])),
            name,
            responses=Responses.from_array([[1], [0]], item_names=["q1"]),
        )
    with pytest.raises(InputError, match="scoring method"):
        person_fit(lsat_calibration(7, LSAT7_2PL), name, scoring="MPA")


@pytest.mark.parametrize("options", [{"method": "lzz"}, {"adjust": "hom"}, {"alpha": 1.5}, {"reference": "t"}])
def test_misspelt_options(options: dict[str, Any]) -> None:
    """An option that is ignored when misspelt changes the answer unseen."""
    with pytest.raises(InputError):
        person_fit(lsat_calibration(7, LSAT7_2PL), **options)
    with pytest.raises(InputError, match="scorring"):
        person_fit(lsat_calibration(7, LSAT7_2PL), scorring="ML")


def test_what_is_judged() -> None:
    """A scale and other people's answers; responses alone; not both at once, not neither."""
    codes = simulated(50, 12, seed=3)
    calibration = calibration_of(codes)
    assert person_fit(calibration.responses).name == "normed Guttman errors"
    systems = Responses.from_array(codes[:4, ::-1], item_names=calibration.item_names[::-1])
    scale = Scale.from_calibration(calibration, name="s")
    found, own = person_fit(scale, responses=systems), person_fit(calibration)
    np.testing.assert_allclose(found["statistic"], own["statistic"].iloc[:4], rtol=1e-12)
    with pytest.raises(InputError, match="no responses"):
        person_fit(scale)
    with pytest.raises(InputError, match="twice"):
        person_fit(calibration.responses, responses=systems)
    with pytest.raises(InputError, match="no parameters"):
        person_fit(scale, responses=Responses.from_array(codes[:4], item_names=[f"x{k}" for k in range(12)]))
    with pytest.raises(InputError):
        person_fit(codes)


def test_guessing_workers_are_found() -> None:
    """The screen must find what it is for: workers who answer at random among able ones."""
    rng = np.random.default_rng(4)
    theta, intercepts = rng.normal(1.0, 1.0, (400, 1)), np.linspace(-1.0, 1.0, 60)
    codes = (rng.random((400, 60)) < 1.0 / (1.0 + np.exp(-1.2 * theta - 2.0 * intercepts))).astype(np.int8)
    codes[:20] = rng.random((20, 60)) < 0.5
    names = Responses.from_array(codes).item_names
    bank = ItemParameters(names, np.full(60, 1.2), 2.0 * intercepts)
    calibration = fix(bank, "2PL", Responses.from_array(codes), latent_variance=2.0)
    for name in PERSON_FIT:
        flag = person_fit(calibration, name)["flag"].to_numpy(bool)
        assert flag[:20].mean() > 0.6, name
        assert flag[20:].mean() < 0.02, name
