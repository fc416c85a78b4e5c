"""All diagnostics together: what one says alone it must say here, and one that fails must not take the others along."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt.diagnostics.overview import check_up
from psyirt.errors import InputError
from tests.small_data import simulated


@pytest.fixture(scope="module")
def checked() -> check_up.CheckUp:
    """A test with a copied item, a miskeyed one, and one that measures nothing."""
    codes = simulated(600, 10, seed=31)
    rng = np.random.default_rng(1)
    codes[:, 1] = np.where(rng.random(600) < 0.5, codes[:, 0], codes[:, 1])
    codes[:, 2] = 1 - codes[:, 2]
    codes[:, 3] = rng.integers(0, 2, 600)
    return psyirt.check(psyirt.Responses.from_array(codes), draws=10, seed=3)


def test_parts_are_those_of_the_functions(checked: check_up.CheckUp) -> None:
    """A check that tests something else than item_fit does would be a second opinion nobody asked for."""
    fit = checked.calibration
    assert checked.item_fit.frame.equals(psyirt.item_fit(fit).frame)
    assert checked.pairs.frame.equals(psyirt.local_dependence(fit).frame)
    assert checked.persons.frame.equals(psyirt.person_fit(fit).frame)
    assert checked.model_fit["M2"] == psyirt.model_fit(fit)["M2"]
    assert checked.reliability.equals(psyirt.reliability(fit))
    alone = psyirt.dimensionality(fit.responses, draws=10, seed=3)
    assert checked.dimensions is not None
    assert checked.dimensions.criteria.equals(alone.criteria)
    items = checked.items
    assert items["s_x2"].equals(checked.item_fit["statistic"].rename("s_x2"))
    assert items["infit"].equals(psyirt.item_fit(fit, "infit")["statistic"].rename("infit"))
    assert not items.columns.duplicated().any()


def test_findings_name_the_faults(checked: check_up.CheckUp) -> None:
    """The sentences are what most people read."""
    text = "\n".join(checked.findings)
    assert "i1 with i2 (V +" in text
    assert "2 slopes below 0, look at the key: i3, i4" in text
    assert "item-rest correlation below 0.1: i3 (" in text
    assert "ended: converged" in text
    assert "RMSEA" in text
    assert all(not sentence.endswith(".") for sentence in checked.findings)
    assert text.splitlines()[0] in repr(checked)


def test_missing_responses_leave_notes_and_the_rest() -> None:
    """Sum scores of different items are not comparable; everything else stands."""
    codes = simulated(300, 6, seed=8, missing=0.1)
    found = psyirt.check(psyirt.Responses.from_array(codes), draws=0)
    assert found.sum_scores is None
    assert found.dimensions is None
    assert any("table of sum scores" in note for note in found.notes)
    assert found.item_fit["p"].notna().all()


def test_no_count_of_dimensions_is_a_note() -> None:
    """A pair nobody answered both of has no correlation: that must not cost the other nine tables."""
    codes = simulated(300, 6, seed=8)
    codes[:150, 0], codes[150:, 1] = -1, -1
    found = psyirt.check(psyirt.Responses.from_array(codes), draws=3)
    assert found.dimensions is None
    assert any("no count of dimensions" in note for note in found.notes)
    assert len(found.pairs.untested) == 1


def test_progress_and_refusals() -> None:
    """Each step is told, in order; bad options fail before the fit."""
    events: list[object] = []
    data = psyirt.Responses.from_array(simulated(200, 5, seed=4))
    psyirt.check(data, "Rasch", draws=0, progress=lambda event: events.append((event.task, event.step, event.total)))
    assert [event for event in events if event[0] == "diagnostics"] == [("diagnostics", k, 7) for k in range(1, 8)]
    for options, match in (({"draws": -1}, "draws"), ({"alpha": 2.0}, "alpha"), ({"adjust": "magic"}, "magic")):
        with pytest.raises(InputError, match=match):
            psyirt.check(data, **{"draws": 0} | options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="responses"):
        psyirt.check(pd.DataFrame({"q": [1, 0]}))  # type: ignore[arg-type]
