"""Frequency and sampling weights: what they change, and what they forbid."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics.items.guessing import guessing_test
from psyirt.diagnostics.items.s_x2 import s_x2
from psyirt.diagnostics.pairs.ld_x2 import ld_x2
from psyirt.diagnostics.whole_model.normality import normality_test
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.mml import fit_mml
from psyirt.models.priors import Normal
from psyirt.results import estimates
from psyirt.results.calibration import Calibration
from tests.small_data import simulated

RESPONSES = Responses.from_array(simulated(300, 4, seed=3))
WEIGHTS = np.linspace(0.5, 4.0, 300)


@pytest.fixture(scope="module")
def sampled() -> Calibration:
    return fit_mml(RESPONSES, "2PL", weights=WEIGHTS, weights_kind="sampling")


def test_the_estimates_are_those_of_frequencies_and_the_errors_are_not(sampled: Calibration) -> None:
    """Weights of sum 675 taken as 675 subjects make standard errors too small by a third."""
    counted = fit_mml(RESPONSES, "2PL", weights=WEIGHTS)
    np.testing.assert_array_equal(sampled.params, counted.params)
    assert sampled.default_cov.kind == "sandwich"
    assert counted.default_cov.kind == "louis"
    assert np.all(sampled.bse > 1.2 * counted.bse)
    assert "sampling weights" in sampled.summary()
    assert "subjects         300 (sampling weights, sum 675)" in sampled.summary()
    assert "standard errors: sandwich" in sampled.summary()


def test_the_sandwich_is_that_of_every_subject_a_cluster(sampled: Calibration) -> None:
    """A weight multiplies its subject's score before it is squared, though patterns were put together."""
    alone = sampled.cov("cluster", groups=range(300)).variances
    np.testing.assert_allclose(sampled.cov().variances, alone * 299 / 300, rtol=1e-9)


def test_the_unit_of_sampling_weights_does_not_matter(sampled: Calibration) -> None:
    """Weights that sum to the sample or to the population are the same weights."""
    large = fit_mml(RESPONSES, "2PL", weights=1000.0 * WEIGHTS, weights_kind="sampling")
    np.testing.assert_allclose(large.params, sampled.params, atol=1e-5)
    np.testing.assert_allclose(large.bse, sampled.bse, rtol=1e-4)


def test_weights_of_one_are_the_unweighted_sandwich() -> None:
    """The two kinds differ only where weights do."""
    ones = fit_mml(RESPONSES, "2PL", weights=np.ones(300), weights_kind="sampling")
    np.testing.assert_allclose(ones.cov().variances, fit_mml(RESPONSES, "2PL").cov("sandwich").variances, rtol=1e-9)


def test_model_based_errors_say_that_they_are_not_valid(sampled: Calibration) -> None:
    """Asked for by name they are given, and look like any others."""
    for kind in ("louis", "crossprod", "item-blocks"):
        assert any("not valid for sampling weights" in note for note in sampled.cov(kind).notes)
    for found in (sampled.cov(), sampled.cov("cluster", groups=range(300))):
        assert not any("not valid" in note for note in found.notes)


def test_a_bootstrap_draws_subjects_and_not_weights() -> None:
    """Drawn as often as their weights say, three hundred subjects would be 675, and errors a third too small."""
    rasch = fit_mml(RESPONSES, "Rasch", weights=WEIGHTS, weights_kind="sampling")
    ratio = np.sqrt(rasch.cov("bootstrap", replications=80, seed=2).variances / rasch.cov().variances)
    assert np.all((ratio > 0.8) & (ratio < 1.25))


@pytest.mark.parametrize("test", [s_x2, ld_x2, guessing_test])
def test_chi_squares_are_refused(sampled: Calibration, test: object) -> None:
    """Nobody was observed as often as a sampling weight says, or half a time."""
    with pytest.raises(NotAvailableError, match="sampling weights"):
        test(sampled)  # type: ignore[operator]
    half = fit_mml(RESPONSES, "2PL", weights=WEIGHTS)
    with pytest.raises(NotAvailableError, match="not whole numbers"):
        test(half)  # type: ignore[operator]
    assert any("not whole numbers" in note for note in half.notes)


def test_information_criteria_and_normality_say_why_there_is_none(sampled: Calibration) -> None:
    """A pseudo-log-likelihood compares no models."""
    assert np.isnan([sampled.aic, sampled.bic, sampled.sabic]).all()
    assert any("AIC, BIC, SABIC" in note for note in sampled.notes)
    assert "AIC " not in sampled.summary().split("note:")[0]
    assert not normality_test(sampled).available
    assert "sampling weights" in normality_test(sampled).note


def test_with_priors_the_sum_of_sampling_weights_is_said() -> None:
    """A prior is worth so many subjects, and the weights' unit decides how many there are."""
    held = fit_mml(RESPONSES, "2PL", weights=WEIGHTS, weights_kind="sampling", priors={"a": Normal(1.0, 0.5)})
    assert any("count as 675 subjects" in note for note in held.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"weights_kind": "sampling"}, "without weights"), ({"weights_kind": "pweight"}, "not known")],
)
def test_kinds_that_mean_nothing_are_refused(options: dict[str, str], message: str) -> None:
    """A misspelt kind must not be taken for frequencies."""
    with pytest.raises(InputError, match=message):
        fit_mml(RESPONSES, "2PL", **options)  # type: ignore[arg-type]


def test_too_many_parameters_for_a_sandwich_are_said(sampled: Calibration, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bank of thousands of items must print, and not fail for want of a matrix."""
    monkeypatch.setattr(estimates, "has_room", lambda size: False)
    assert np.isnan(sampled.bse).all()
    assert "sampling weights need a full matrix" in sampled.default_cov.notes[0]
