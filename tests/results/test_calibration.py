"""What a reader can ask of a calibration."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from psyirt.data.responses import Responses
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.models.priors import Beta, NormalOnLogit
from psyirt.results import estimates as module
from psyirt.results.calibration import Calibration
from tests.small_data import lsat, simulated

BANK = pd.DataFrame({"a": [1.0, 1.2, 0.8], "b": [-1.0, 0.0, 1.0]}, index=["q1", "q2", "q3"])


@pytest.fixture(scope="module")
def fit() -> Calibration:
    responses, frequencies = lsat(6)
    return fit_mml(responses, "2PL", weights=frequencies)


def test_a_calibration_is_frozen(fit: Calibration) -> None:
    """A result that can be edited is quoted with numbers nobody fitted."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        fit.status = "converged"  # type: ignore[misc]
    before = fit.items
    changed = fit.items
    changed.loc["i1", "a"] = 99.0
    params = fit.params
    params.iloc[0] = 99.0
    pd.testing.assert_frame_equal(fit.items, before)
    assert fit.params.iloc[0] == before.loc["i1", "a"]


def test_information_criteria_are_the_references(fit: Calibration) -> None:
    """A criterion with another n or k ranks models differently (R mirt 1.47, LSAT6 2PL)."""
    assert fit.loglik == fit.llf == pytest.approx(-2466.653378, abs=1e-5)
    assert fit.n_parameters == 10
    assert fit.nobs == 1000
    assert fit.aic == pytest.approx(4953.306755, abs=1e-4)
    assert fit.bic == pytest.approx(5002.384308, abs=1e-4)
    assert fit.sabic == pytest.approx(4970.623750, abs=1e-4)


def test_items_have_the_fields_columns(fit: Calibration) -> None:
    """Scripts read these columns by name."""
    items = fit.items
    assert items.index.name == "item"
    assert list(items.columns) == [
        "a", "b", "c", "d", "intercept", "se_a", "se_b", "se_c", "se_d", "se_intercept", "model", "n", "note",
    ]  # fmt: skip
    assert (items["model"] == "2PL").all()
    assert (items["n"] == 1000).all()
    assert items[["se_c", "se_d"]].isna().all(axis=None)
    np.testing.assert_allclose(items["b"], -items["intercept"] / items["a"])


def test_standard_errors_of_b_are_the_references(fit: Calibration) -> None:
    """The delta method without the covariance of slope and intercept is off by a factor of two (R mirt 1.47)."""
    np.testing.assert_allclose(fit.items["se_b"], [0.866472, 0.307491, 0.099623, 0.434317, 0.871222], rtol=1e-4)


def test_standard_errors_of_b_by_numeric_derivative(fit: Calibration) -> None:
    """The same, without trusting any reference: b's gradient by differences, over the full covariance."""
    matrix = fit.cov().matrix
    assert matrix is not None
    for j, item in enumerate(fit.item_names):
        at, h = fit.layout.index[j, :2], 1e-6
        gradient = np.zeros(len(fit.x))
        for position in at:
            up, down = fit.x.copy(), fit.x.copy()
            up[position] += h
            down[position] -= h
            gradient[position] = (-up[at[1]] / up[at[0]] + down[at[1]] / down[at[0]]) / (2 * h)
        assert fit.items.loc[item, "se_b"] == pytest.approx(np.sqrt(gradient @ matrix @ gradient), rel=1e-6)


def test_statsmodels_words_agree_with_ours(fit: Calibration) -> None:
    """Two names of one number that differ are worse than one name."""
    table = fit.items
    assert fit.params[("a", "i2")] == table.loc["i2", "a"]
    assert fit.bse[("intercept", "i3")] == pytest.approx(table.loc["i3", "se_intercept"])
    covariance = fit.cov_params()
    assert covariance.loc[("a", "i1"), ("intercept", "i1")] == pytest.approx(0.042, abs=5e-4)
    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-12)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), fit.bse)
    interval = fit.conf_int(0.1)
    np.testing.assert_allclose(interval["upper"] - interval["lower"], 2 * norm.ppf(0.95) * fit.bse)
    with pytest.raises(InputError, match="alpha"):
        fit.conf_int(95)


def test_asymptotes_are_reported_as_probabilities() -> None:
    """A guessing parameter of -1.4 in a table is a logit somebody forgot."""
    responses, frequencies = lsat(7)
    fit = fit_mml(responses, "4PL", weights=frequencies)
    assert fit.params["c"].between(0, 1).all()
    assert fit.params["d"].between(0, 1).all()
    np.testing.assert_allclose(fit.params["d"], fit.items["d"])
    np.testing.assert_allclose(fit.bse["c"], fit.items["se_c"])
    assert fit.log_prior < 0
    assert "log-prior" in fit.summary()


def test_printing_is_the_summary(fit: Calibration) -> None:
    """What a notebook shows must be what .summary() says, and the same every time."""
    assert repr(fit) == fit.summary() == fit.summary()
    assert "-2466.6534" in str(fit)
    assert "converged after" in str(fit)
    assert "standard errors: louis" in str(fit)
    page = fit._repr_html_()
    assert "<table" in page
    assert "-2466.6534" in page


def test_printing_starts_no_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typing the name of a large fit must not start minutes of work on standard errors."""
    monkeypatch.setattr(module, "_QUICK", 1.0)
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "Rasch", weights=frequencies)
    text = str(fit)
    assert "not computed yet" in text
    assert not fit._covariances
    assert fit.items["se_intercept"].notna().all()
    assert "standard errors: louis" in str(fit)


def test_parameters_dominated_by_their_prior_are_marked() -> None:
    """LSAT6 says nothing about guessing; a c of .2 there is the prior's, and a reader must see it."""
    responses, frequencies = lsat(6)
    for prior in (NormalOnLogit(-1.386, 0.5), Beta(5, 17)):
        notes = fit_mml(responses, "3PL", weights=frequencies, priors={"c": prior}).items["note"]
        assert notes.str.contains("c is dominated by its prior").all()
    rng = np.random.default_rng(0)
    theta = rng.standard_normal(4000)
    probability = 0.25 + 0.75 / (1 + np.exp(-(2.0 * theta[:, None] - np.linspace(0, 2, 8))))
    strong = fit_mml(Responses.from_array((rng.random((4000, 8)) < probability).astype(int)), "3PL")
    assert not strong.items["note"].str.contains("dominated").any()


def test_without_data_what_needs_data_says_so() -> None:
    """NaN, or an AttributeError on None, sends the reader looking for a bug."""
    fixed = fix(BANK, "2PL")
    assert (fixed.status, fixed.converged, fixed.iterations) == ("fixed", False, 0)
    np.testing.assert_allclose(fixed.items["intercept"], [1.0, 0.0, -0.8])
    assert fixed.items[["se_a", "se_b", "n"]].isna().all(axis=None)
    assert "no responses given" in str(fixed)
    for needs in (
        lambda: fixed.loglik,
        lambda: fixed.aic,
        lambda: fixed.nobs,
        lambda: fixed.bse,
        lambda: fixed.cov(),
        lambda: fixed.abilities(),
        lambda: fixed.expectation,
    ):
        with pytest.raises(NotAvailableError, match="without data"):
            needs()


def test_abilities_belong_to_the_fitted_subjects() -> None:
    """Scores in another order than the subjects are other people's scores."""
    responses = Responses.from_array(simulated(60, 6, seed=8), subject_names=[f"p{k}" for k in range(60)])
    fit = fit_mml(responses, "2PL")
    found = fit.abilities()
    assert list(found.index) == list(responses.subject_names)
    assert list(found.columns[:2]) == ["theta", "se"]
    assert np.corrcoef(found["theta"], responses.codes.sum(1))[0, 1] > 0.9


def test_mixed_models_are_named() -> None:
    """A bank of 2PL items with one 3PL item is no 2PL."""
    responses, frequencies = lsat(7)
    fit = fit_mml(responses, ["2PL", "2PL", "3PL", "2PL", "2PL"], weights=frequencies)
    assert fit.model_name == "2PL + 3PL"
    assert list(fit.items["model"]) == ["2PL", "2PL", "3PL", "2PL", "2PL"]
    assert list(fit.items["se_c"].isna()) == [True, True, False, True, True]


def test_a_free_latent_variance_is_shown_with_its_error() -> None:
    """The Rasch variance is the model's only slope (R mirt 1.47: LSAT6 0.570228, SE 0.104863)."""
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "Rasch", weights=frequencies)
    assert fit.population.variance == pytest.approx(0.570228, abs=1e-5)
    assert fit.latent_variance_se == pytest.approx(0.104863, rel=1e-4)
    assert "variance estimated, SE 0.1049" in str(fit)
    assert np.isnan(fit_mml(responses, "1PL", weights=frequencies).latent_variance_se)
