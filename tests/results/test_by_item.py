"""Standard errors of more parameters than a full matrix may have."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import LogNormal, NormalOnLogit
from psyirt.observed_information import few_subjects
from psyirt.results import covariance as module
from psyirt.results.calibration import Calibration
from tests.small_data import simulated

PRIORS = {"a": LogNormal(0.2, 0.4), "c": NormalOnLogit(-1.5, 0.4)}


def fitted(model: str = "3PL", missing: float = 0.1) -> Calibration:
    """Forty subjects and sixty items."""
    priors = {slot: prior for slot, prior in PRIORS.items() if slot == "a" or model == "3PL"}
    data = Responses.from_array(simulated(40, 60, seed=8, missing=missing))
    return fit_mml(data, model, priors=None if model in ("Rasch", "1PL") else priors)


@pytest.mark.parametrize(("model", "missing"), [("3PL", 0.1), ("2PL", 0.0), ("Rasch", 0.1)])
def test_they_are_those_of_the_full_matrix(model: str, missing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that leave out what the items share would be too small; these must not be."""
    full = fitted(model, missing)
    items = full.items
    monkeypatch.setattr(module, "FULL_LIMIT", 5)
    by_item = fitted(model, missing)
    assert by_item.cov().matrix is None
    assert "item by item" in by_item.cov().notes[0]
    np.testing.assert_allclose(by_item.bse, full.bse, rtol=1e-4)
    errors = [column for column in items.columns if column.startswith("se_")]
    np.testing.assert_allclose(by_item.items[errors], items[errors], rtol=1e-4)
    assert np.all(by_item.cov("item-blocks").variances[:2] < full.cov().variances[:2])


def test_too_many_subjects_leave_the_errors_out_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bank of ten thousand items gets its estimates instead of an exhausted memory."""
    monkeypatch.setattr(module, "FULL_LIMIT", 5)
    monkeypatch.setattr(few_subjects, "LARGEST", 39)
    fit = fitted("2PL")
    assert np.isfinite(fit.items[["a", "b"]]).all(axis=None)
    assert fit.items[["se_a", "se_b"]].isna().all(axis=None)
    assert (fit.items["note"] == "standard error not available").all()
    assert "cov('item-blocks')" in fit.cov().notes[0]
    assert "too many for a full matrix" in fit.summary()
    with pytest.raises(NotAvailableError):
        fit.cov_params()


def test_a_shared_slope_leaves_them_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slope of all items belongs to no block."""
    monkeypatch.setattr(module, "FULL_LIMIT", 5)
    fit = fitted("1PL")
    assert np.isnan(fit.bse).all()
    assert "items share a parameter" in fit.cov().notes[0]


@pytest.mark.parametrize(("slope", "intercept"), [(0.05, 6.0), (-1.5, 0.0)], ids=["item", "between items"])
def test_information_that_is_not_positive_names_its_items(
    slope: float, intercept: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ones that the full matrix names, the worst first."""
    fit = fitted("2PL", 0.0)
    slopes, intercepts = fit.item_parameters.slopes[:, 0].copy(), fit.item_parameters.intercepts.copy()
    slopes[7], intercepts[7] = slope, intercept
    bank = ItemParameters(fit.item_names, slopes, intercepts)
    full = fix(bank, "2PL", fit.responses)
    monkeypatch.setattr(module, "FULL_LIMIT", 5)
    by_item = fix(bank, "2PL", fit.responses)
    for fitted_one in (full, by_item):
        assert np.isnan(fitted_one.bse).all()
        assert "no standard errors; caused by i8" in fitted_one.cov().notes[0]


def test_an_asymptote_at_its_boundary_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken as known it has no error; left in, its block is singular."""
    fit = fitted("2PL", 0.0)
    bank = ItemParameters(fit.item_names, fit.item_parameters.slopes, fit.item_parameters.intercepts)
    full = fix(bank, "3PL", fit.responses)
    before = full.items
    monkeypatch.setattr(module, "FULL_LIMIT", 5)
    after = fix(bank, "3PL", fit.responses).items
    assert after["se_c"].isna().all()
    np.testing.assert_allclose(after["se_a"], before["se_a"], rtol=1e-4)
    assert (after["note"] == before["note"]).all()
