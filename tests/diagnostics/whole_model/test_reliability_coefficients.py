"""Reliability coefficients against R mirt, their definitions, and their spread over samples."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import classical, reliability
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.models.parameters import ItemParameters
from tests.diagnostics.calibrations import LSAT7_1PL, LSAT7_2PL, calibration_of, lsat_calibration
from tests.small_data import simulated

# R mirt 1.47, LSAT7: marginal_rxx, empirical_rxx by method, EAPsum's rxx_F1. WLE: by its formula from its polished
# estimates with 1 / sqrt(expected information) as SE (.4767 with the SE it reports, from the observed information)
MIRT = {
    "marginal": 0.441819014891784,
    "empirical EAP": 0.452304978725269,
    "empirical MAP": 0.435407988510217,
    "empirical ML": 0.452184118552689,
    "empirical WLE": 0.4542105782354207,
    "empirical sum-score EAP": 0.431995633072704,
}


def test_equal_to_mirt() -> None:
    """Each coefficient by its own definition; a standard deviation with n in place of n - 1 shows here."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    for scoring in ("EAP", "MAP", "ML", "WLE"):
        table = reliability(calibration, scoring=scoring.lower())
        known = table.index.intersection(list(MIRT))
        assert len(known) == 3
        np.testing.assert_allclose(table.loc[known, "reliability"], [MIRT[name] for name in known], atol=2e-5)
    assert table.loc["empirical WLE, errors taken out", "reliability"] == pytest.approx(-0.2016219964, abs=1e-6)
    assert "too high" in table.loc["empirical WLE", "note"]


def test_alpha_and_omega_are_the_classical_ones() -> None:
    """Two places that compute one number must agree on it."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    assert calibration.responses is not None
    weights = calibration.patterns.weights[calibration.patterns.index]  # type: ignore[union-attr]
    own = classical(calibration.responses, weights=weights)
    table = reliability(calibration)
    assert table.loc["alpha", "reliability"] == pytest.approx(own.alpha, rel=1e-12)
    assert tuple(table.loc["alpha", ["lower", "upper"]]) == pytest.approx(own.alpha_interval, rel=1e-12)
    assert table.loc["omega", "reliability"] == pytest.approx(own.omega, rel=1e-12)


def test_number_right_by_simulation() -> None:
    """Variance of expected scores / variance of scores, of 200,000 simulated people."""
    a, b = np.linspace(0.6, 1.8, 9), np.linspace(-1.5, 1.5, 9)
    bank = ItemParameters([f"q{k}" for k in range(9)], a, -a * b, 0.2)
    rng = np.random.default_rng(1)
    chance = 0.2 + 0.8 / (1 + np.exp(-a * (rng.normal(size=(200_000, 1)) - b)))
    scores = (rng.random(chance.shape) < chance).sum(1)
    table = reliability(fix(bank, "3PL"))
    assert list(table.index) == ["marginal", "number right"]
    assert table.loc["number right", "reliability"] == pytest.approx(chance.sum(1).var() / scores.var(), abs=0.005)


@pytest.mark.parametrize("model", ["1PL", "Rasch", "2PL", "3PL"])
def test_standard_errors_are_derivatives_by_hand(model: str) -> None:
    """Shared slopes, a free variance and logits of asymptotes each have a place in the gradient to go wrong."""
    fit = fit_mml(Responses.from_array(simulated(400, 8, seed=4)), model)
    table = reliability(fit)
    natural, matrix = fit.params.to_numpy(), fit.default_cov.matrix
    assert matrix is not None

    def at(values: np.ndarray) -> np.ndarray:
        x = values.copy()
        for slot in ("c", "d"):
            here = fit.layout.positions(slot)
            x[here] = np.log(values[here] / (1 - values[here]))
        bank = ItemParameters.from_values(fit.item_names, fit.layout.values(x))
        variance = float(x[-1]) if fit.layout.frees_variance else 1.0
        plain = fix(bank, "4PL", latent_variance=variance, grid=fit.grid)
        return reliability(plain)["reliability"].to_numpy()

    steps = 1e-5 * np.eye(len(natural))
    gradient = np.array([(at(natural + step) - at(natural - step)) / 2e-5 for step in steps])
    known = ~np.isnan(fit.default_cov.variances)
    expected = np.sqrt(np.diag(gradient[known].T @ matrix[np.ix_(known, known)] @ gradient[known]))
    np.testing.assert_allclose(table.loc[["marginal", "number right"], "se"], expected, rtol=1e-4)


def test_nothing_is_missing_without_a_note() -> None:
    """NaN without a reason reads as a bug, and a bare number as certain."""
    calibration = calibration_of(simulated(80, 6, seed=5, missing=0.2))
    for source in (calibration, calibration.responses, fix(calibration.item_parameters, "2PL")):
        table = reliability(source, scoring="ML")
        gaps = table[["reliability", "se", "lower", "upper"]].isna().any(axis=1)
        assert (table["note"][gaps] != "").all()
    table = reliability(calibration, scoring="ML")
    assert np.isnan(table.loc["alpha", "reliability"])
    assert "without a finite estimate" in table.loc["empirical ML", "note"]


def test_intervals_hold_the_estimate_and_stay_below_one() -> None:
    """A symmetric interval of a reliability of .99 would end above 1."""
    fit = fit_mml(Responses.from_array(simulated(300, 10, seed=6)), "2PL")
    wide, narrow = reliability(fit, alpha=0.01), reliability(fit, alpha=0.5)
    some = ["marginal", "number right", "alpha"]
    assert (wide.loc[some, "lower"] < narrow.loc[some, "lower"]).all()
    assert (narrow.loc[some, "lower"] < wide.loc[some, "reliability"]).all()
    assert (wide.loc[some, "upper"] < 1.0).all()


def test_asymptotes_at_their_bounds() -> None:
    """c = 0 of a 4PL has no logit, and nothing has a covariance: a note, not 0 / 0."""
    base = calibration_of(simulated(300, 8, seed=4))
    table = reliability(fix(base.item_parameters, "4PL", base.responses))
    assert 0.0 < table.loc["marginal", "reliability"] < 1.0
    assert table.loc["marginal", "note"] == "no SE: the covariance of the parameters is not available"


def test_what_is_refused() -> None:
    """Numbers, misspelt methods, levels that are none."""
    calibration = lsat_calibration(7, LSAT7_1PL)
    for options in ({"scoring": "EPA"}, {"alpha": 0.0}):
        with pytest.raises(InputError):
            reliability(calibration, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        reliability([[1, 0], [0, 1]])
