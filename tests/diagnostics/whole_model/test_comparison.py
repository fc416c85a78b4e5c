"""Comparison of fits: which are nested, likelihood ratios, criteria, held-out responses, and the verdict."""

from __future__ import annotations

import dataclasses
import warnings
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2

from psyirt.data.responses import Responses
from psyirt.diagnostics.whole_model.comparison import compare_models
from psyirt.diagnostics.whole_model.expanded import subject_rows
from psyirt.diagnostics.whole_model.held_out import held_out
from psyirt.diagnostics.whole_model.likelihood_ratio import ratio_test
from psyirt.diagnostics.whole_model.nesting import Nesting, nesting
from psyirt.diagnostics.whole_model.ratio_bootstrap import bootstrap_tail
from psyirt.errors import ConvergenceWarning, InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import ProgressEvent, silent
from psyirt.models.item_types import ItemType, fixed
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import NormalOnLogit
from psyirt.results.calibration import Calibration
from psyirt.simulation.graded import simulate_responses
from tests.reference.predictive import predictive
from tests.small_data import lsat

GUESSED = ItemType("c known", c=fixed(0.1))
NO_PRIOR = {"c": None}


@cache
def data() -> Responses:
    return simulate_responses(400, 6, seed=3).responses


@cache
def fitted(model: str) -> Calibration:
    """Fits of the same responses, by name; that guessing parameters without priors end at 0 is what is tested."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "fit_mml: c of .* ends at its boundary", ConvergenceWarning)
        return _fitted(model)


def _fitted(model: str) -> Calibration:
    if model == "3PL":
        return fit_mml(data(), "3PL", priors=NO_PRIOR)
    if model == "3PL prior":
        return fit_mml(data(), "3PL", priors={"c": NormalOnLogit(-1.4, 0.5)})
    if model == "4PL":
        bank = ItemParameters(data().item_names, np.ones(6), np.zeros(6), np.full(6, 0.1), np.full(6, 0.9))
        return fix(bank, "4PL", data())
    if model == "c known":
        return fit_mml(data(), GUESSED)
    if model == "one 3PL":
        return fit_mml(data(), ["3PL", *["2PL"] * 5], priors=NO_PRIOR)
    if model == "Rasch of variance 2":
        return fit_mml(data(), "Rasch", latent_variance=2.0)
    if model == "Rasch items and 2PL":
        return fit_mml(data(), [*["Rasch"] * 3, *["2PL"] * 3])
    if model == "1PL items and 2PL":
        return fit_mml(data(), [*["1PL"] * 3, *["2PL"] * 3])
    return fit_mml(data(), model)


@pytest.mark.parametrize(
    ("restricted", "general", "expected"),
    [
        ("1PL", "2PL", Nesting(5, 0)),
        ("Rasch", "2PL", Nesting(5, 0)),
        ("Rasch", "1PL", Nesting(0, 0)),
        ("1PL", "Rasch", Nesting(0, 0)),
        ("Rasch of variance 2", "Rasch", Nesting(1, 0)),
        ("Rasch of variance 2", "1PL", Nesting(1, 0)),
        ("Rasch items and 2PL", "1PL items and 2PL", Nesting(0, 0)),
        ("1PL", "Rasch items and 2PL", Nesting(3, 0)),
        ("2PL", "3PL", Nesting(6, 6)),
        ("2PL", "one 3PL", Nesting(1, 1)),
        ("one 3PL", "3PL", Nesting(5, 5)),
        ("1PL", "3PL", Nesting(11, 6)),
        ("2PL", "4PL", Nesting(12, 12)),
        ("3PL", "4PL", Nesting(6, 6)),
        ("c known", "3PL", Nesting(6, 0)),
        ("2PL", "c known", None),
        ("c known", "2PL", None),
        ("2PL", "1PL", None),
        ("2PL", "Rasch", None),
    ],
)
def test_nesting(restricted: str, general: str, expected: Nesting | None) -> None:
    """A test of fits that are not nested has no chi-square; one at an edge has another."""
    assert nesting(fitted(restricted), fitted(general)) == expected


def test_likelihood_ratio_and_criteria_are_those_published() -> None:
    """R mirt 1.47 on LSAT 7: log-likelihoods, AIC, BIC, SABIC and HQ of 1PL and 2PL."""
    responses, frequencies = lsat(7)
    fits = [fit_mml(responses, model, weights=frequencies) for model in ("1PL", "2PL")]
    found = compare_models(*fits)
    theirs = {
        "loglik": [-2664.90089091593, -2658.80511363233],
        "AIC": [5341.80178183186, 5337.61022726466],
        "BIC": [5371.24831350576, 5386.68778005448],
        "SABIC": [5352.19197853964, 5354.92722177763],
        "HQ": [5352.99351863886, 5356.26312194298],
    }
    for name, values in theirs.items():
        np.testing.assert_allclose(found.models[name], values, atol=1e-4)
    np.testing.assert_allclose(found.models["AICc"] - found.models["AIC"], [84 / 993, 220 / 989])
    row = found.tests.loc[("1PL", "2PL")]
    assert row["statistic"] == pytest.approx(2 * (2664.90089091593 - 2658.80511363233), abs=1e-4)
    assert row["p"] == row["p_low"] == row["p_high"] == pytest.approx(chi2.sf(row["statistic"], 4))
    assert "The criteria disagree: AIC, AICc prefer 2PL; BIC, SABIC, HQ prefer 1PL." in found.verdict
    assert "1PL is rejected" in found.verdict


def test_bounds_at_an_edge() -> None:
    """One guessing parameter: half a chi-square with 1 df (Self & Liang 1987, case 5), not a whole one."""
    one = ratio_test(fitted("2PL"), fitted("one 3PL"), Nesting(1, 1))
    if one.statistic > 1e-6:
        assert one.p == pytest.approx(0.5 * chi2.sf(one.statistic, 1))
    all_six = ratio_test(fitted("2PL"), fitted("3PL"), Nesting(6, 6))
    assert np.isnan(all_six.p)
    assert all_six.p_low == pytest.approx(0.5 * chi2.sf(all_six.statistic, 1))
    assert all_six.p_high == pytest.approx(0.5 * (chi2.sf(all_six.statistic, 5) + chi2.sf(all_six.statistic, 6)))
    assert "bounds p" in all_six.note
    mixed = ratio_test(fitted("1PL"), fitted("3PL"), Nesting(11, 6))
    assert mixed.p_low == pytest.approx(0.5 * (chi2.sf(mixed.statistic, 5) + chi2.sf(mixed.statistic, 6)))


def test_bounds_hold_the_mixture_of_two_edges() -> None:
    """With two uncorrelated edges the weights are 1/4, 1/2, 1/4: between the bounds for every statistic."""
    for size in (0.1, 1.0, 3.0, 8.0):

        class _Fit:
            priors, converged, status, model_name, loglik = (), True, "converged", "", 0.0
            why_no_chi_square = ""

        class _Better(_Fit):
            loglik = size / 2

        test = ratio_test(_Fit(), _Better(), Nesting(2, 2))
        mixture = 0.5 * chi2.sf(size, 1) + 0.25 * chi2.sf(size, 2)
        assert test.p_low <= mixture <= test.p_high


def test_priors_leave_no_chi_square_and_are_told() -> None:
    """The likelihood at a posterior mode is below its maximum: the ratio can even be negative."""
    found = compare_models(fitted("2PL"), fitted("3PL prior"))
    row = found.tests.loc[("2PL", "3PL with priors")]
    assert np.isnan(row[["p", "p_low", "p_high"]].to_numpy(float)).all()
    assert "priors" in row["note"]
    assert any("priors" in note for note in found.notes)
    assert "no p-value" in found.verdict


def test_equivalent_models_do_not_vote_against_each_other() -> None:
    """Rasch and 1PL differ by the last digits of an iteration, which would read as a disagreement."""
    found = compare_models(fitted("Rasch"), fitted("1PL"), fitted("2PL"))
    assert "the same model in other words" in found.tests.loc[("Rasch", "1PL"), "note"]
    assert "1PL" not in found.verdict
    assert "Rasch" in found.verdict


def test_bootstrap_repeats_and_rejects_what_is_wrong() -> None:
    """A bootstrap from the general fit, or without refits, would never reject."""
    seen: list[ProgressEvent] = []
    first = compare_models(fitted("1PL"), fitted("2PL"), bootstrap=19, seed=1, progress=seen.append)
    again = compare_models(fitted("1PL"), fitted("2PL"), bootstrap=19, seed=1)
    assert first.tests["p_bootstrap"].iloc[0] == again.tests["p_bootstrap"].iloc[0]
    assert len(seen) == 19
    slopes = np.array([0.4, 2.2, 0.5, 2.4, 0.6, 2.0])
    bank = ItemParameters([f"i{k}" for k in range(6)], slopes, np.linspace(-1, 1, 6))
    varied = simulate_responses(600, bank, seed=4, missing=0.1).responses
    wrong = compare_models(fit_mml(varied, "1PL"), fit_mml(varied, "2PL"), bootstrap=19, seed=1)
    assert wrong.tests["p_bootstrap"].iloc[0] == pytest.approx(1 / 20)
    assert "1PL is rejected" in wrong.verdict


def test_bootstrap_at_an_edge() -> None:
    """Refits that start at c = 0, or stay at the real data's estimates, have no likelihood ratio."""
    found = bootstrap_tail(fitted("2PL"), fitted("one 3PL"), 6, 1, silent)
    assert (found.replications, found.failed) == (6, 0)
    assert 2 / 7 <= found.p <= 1.0


def test_bootstrap_looks_for_the_maximum_of_the_responses_too() -> None:
    """Draws fitted from several starts beside responses fitted from one would make every p too large."""
    short = dataclasses.replace(fitted("2PL"), item_parameters=fitted("1PL").item_parameters)
    found = compare_models(fitted("1PL"), short, bootstrap=19, seed=1).tests.iloc[0]
    whole = compare_models(fitted("1PL"), fitted("2PL"), bootstrap=19, seed=1).tests.iloc[0]
    assert found["statistic"] == pytest.approx(0.0, abs=1e-6)
    assert found["p_bootstrap"] == whole["p_bootstrap"]
    assert "from another start the statistic is" in found["note"]


def test_held_out_densities_match_loops() -> None:
    """A response that helps to predict itself makes the largest model the best."""
    rows = simulate_responses(40, 5, seed=6, missing=0.1).responses
    bank = ItemParameters(rows.item_names, np.linspace(0.6, 1.8, 5), np.linspace(-1, 1, 5))
    calibration = fix(bank, "2PL", rows)
    found = held_out([calibration], calibration.patterns, 3, 7, silent)
    codes = subject_rows(calibration.patterns, "folds")
    seen = codes >= 0
    fold = np.full(rows.shape, -1)
    fold[seen] = np.random.default_rng(7).permutation(np.arange(seen.sum()) % 3)
    args = bank.slopes[:, 0], bank.intercepts, calibration.grid.nodes[:, 0], np.exp(calibration.log_weights)
    expected = sum(np.array(predictive(codes, fold == k, *args)) for k in range(3))
    np.testing.assert_allclose(found.by_subject[0], expected, rtol=1e-9)
    assert found.responses == seen.sum()


def test_held_out_responses_prefer_the_true_model() -> None:
    """Slopes that differ are worth estimating, guessing that is not there is not worth much."""
    bank = ItemParameters([f"i{k}" for k in range(10)], np.tile([0.4, 2.2], 5), np.linspace(-1, 1, 10))
    responses = simulate_responses(800, bank, seed=5).responses
    found = compare_models(fit_mml(responses, "1PL"), fit_mml(responses, "2PL"), folds=4, seed=2)
    models = found.models
    assert models["held_out"].idxmax() == "2PL"
    assert models.loc["1PL", "held_out_difference"] < -3 * models.loc["1PL", "held_out_se"]
    assert models.loc["2PL", ["held_out_difference", "held_out_se"]].tolist() == [0.0, 0.0]
    assert "All criteria prefer 2PL." in found.verdict


def test_frequencies_are_subjects_when_resampled() -> None:
    """Held out by rows, a pattern of 300 subjects would count as one and lose all its answers to an item at once."""
    responses, frequencies = lsat(7)
    rows = Responses.from_array(np.repeat(responses.codes, frequencies, axis=0))
    one = compare_models(*(fit_mml(responses, m, weights=frequencies) for m in ("1PL", "2PL")), folds=2, seed=1)
    other = compare_models(*(fit_mml(rows, m) for m in ("1PL", "2PL")), folds=2, seed=1)
    np.testing.assert_allclose(one.models["held_out"], other.models["held_out"], rtol=1e-6)
    halves = [fit_mml(data(), m, weights=np.full(400, 0.5)) for m in ("1PL", "2PL")]
    with pytest.raises(NotAvailableError, match="not whole numbers"):
        compare_models(*halves, folds=2, seed=1)


def test_given_parameters_are_not_tested() -> None:
    """Published parameters have no likelihood-ratio distribution on other data."""
    found = compare_models(fitted("2PL"), fitted("4PL"), folds=2, seed=1)
    assert "parameters were given" in found.tests.loc[("2PL", "4PL"), "note"]
    assert "without fitting again" in found.models.loc["4PL", "note"]


def test_same_names_are_numbered() -> None:
    found = compare_models(fitted("2PL"), fit_mml(data(), "2PL"), fit_mml(data(), "2PL"))
    assert list(found.models.index) == ["2PL", "2PL (2)", "2PL (3)"]


@pytest.mark.parametrize(
    ("others", "options", "message"),
    [
        (list, {}, "1 calibrations"),
        (lambda: [data()], {}, "the calibration is a Responses"),
        (lambda: [fit_mml(data().select(items=data().item_names[:5]))], {}, "different items"),
        (lambda: [fit_mml(simulate_responses(400, 6, seed=4).responses)], {}, "different responses"),
        (lambda: [fit_mml(data(), weights=np.full(400, 2.0))], {}, "different weights"),
        (lambda: [fitted("1PL")], {"folds": 5}, "no seed"),
        (lambda: [fitted("1PL")], {"seed": 5}, "nothing to draw"),
        (lambda: [fitted("1PL")], {"folds": 1, "seed": 1}, "folds is 1"),
        (lambda: [fitted("1PL")], {"bootstrap": 5, "seed": 1}, "bootstrap is 5"),
        (lambda: [fitted("1PL")], {"bootstrap": "many", "seed": 1}, "bootstrap is a str"),
        (lambda: [fitted("1PL")], {"folds": 5, "seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be_compared_is_refused(others, options, message) -> None:
    """Log-likelihoods of different data, subtracted, look like any other difference."""
    with pytest.raises(InputError, match=message):
        compare_models(fitted("2PL"), *others(), **options)


def test_without_responses() -> None:
    bank = ItemParameters(data().item_names, np.ones(6), np.zeros(6))
    with pytest.raises(NotAvailableError, match="no likelihood"):
        compare_models(fitted("2PL"), fix(bank, "2PL"))


def test_tables_of_a_comparison_are_copies() -> None:
    """A table edited in place would change what the verdict was read from."""
    found = compare_models(fitted("1PL"), fitted("2PL"))
    spoilt = found.models
    spoilt.loc["1PL", "AIC"] = 0.0
    assert found.models.loc["1PL", "AIC"] > 1.0
    assert "Likelihood-ratio tests" in repr(found)
    assert "<table" in found._repr_html_()


@pytest.mark.slow
def test_bootstrap_holds_its_level_at_an_edge() -> None:
    """A plain chi-square with 5 df would hardly ever reject 2PL within 3PL."""
    rejected = []
    for seed in range(40):
        responses = simulate_responses(400, 5, seed=seed).responses
        fits = [fit_mml(responses, "2PL"), fit_mml(responses, "3PL", priors=NO_PRIOR)]
        row = compare_models(*fits, bootstrap=39, seed=seed).tests.iloc[0]
        rejected.append(row["p_bootstrap"] <= 0.1)
    assert 0.01 <= np.mean(rejected) <= 0.24
