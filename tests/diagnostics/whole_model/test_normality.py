"""The test of a normal ability."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics.whole_model.normality import normality_test
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.models.priors import Normal, NormalOnLogit
from psyirt.results.calibration import Calibration
from tests.published import lsat6
from tests.reference.latent_normality import normality


def simulated(rng: np.random.Generator, theta: np.ndarray, items: int = 12) -> Responses:
    """Answers of these subjects to 2PL items spread over the scale."""
    slope, difficulty = np.linspace(0.9, 1.8, items), np.linspace(-1.5, 1.5, items)
    return Responses.from_array(
        rng.random((len(theta), items)) < 1 / (1 + np.exp(-slope * (theta[:, None] - difficulty)))
    )


def _nobody_answered_everything() -> Calibration:
    """A fit of 12 items of which each subject left out one."""
    rng = np.random.default_rng(6)
    codes = simulated(rng, rng.normal(size=400)).codes.copy()
    codes[np.arange(400), rng.integers(0, 12, 400)] = -1
    return fit_mml(Responses.from_array(codes))


def test_statistic_matches_mirt_and_df_is_smaller() -> None:
    """R mirt 1.47, LSAT6, 2PL: X2 = .780472 (it counts 5 df, as if no parameter had been estimated)."""
    patterns, counts = lsat6()
    test = normality_test(fit_mml(Responses.from_array(patterns), weights=counts.astype(float)), min_expected=0.0)
    assert test.statistic == pytest.approx(0.780471671595386, abs=1e-5)
    assert test.cells == 6
    assert 2.0 < test.df < 4.0


@pytest.mark.parametrize("prior_sd", [None, 0.1])
def test_matches_brute_force_twin(prior_sd: float | None) -> None:
    """A wrong derivative of a score probability, or a prior left out, shows only in the degrees of freedom."""
    patterns, counts = lsat6()
    priors = None if prior_sd is None else {"a": Normal(1.0, prior_sd)}
    fit = fit_mml(Responses.from_array(patterns), priors=priors, weights=counts.astype(float))
    order = [name for item in fit.item_names for name in (("a", item), ("intercept", item))]
    inverse = fit.cov_params("louis").loc[order, order].to_numpy()
    # estimates move by C (score) with C = (H + B)^-1: residual covariance Gamma - 2 D C D' + D C H C D'
    information = np.linalg.inv(inverse)
    if prior_sd is not None:
        information[np.arange(0, 10, 2), np.arange(0, 10, 2)] -= prior_sd**-2
    covariance = 2 * inverse - inverse @ information @ inverse
    observed = np.bincount(patterns.sum(1), weights=counts)
    expected = normality(
        list(fit.item_parameters.slopes[:, 0]),
        list(fit.item_parameters.intercepts),
        covariance,
        observed,
        fit.grid.nodes[:, 0],
        np.exp(fit.log_weights),
    )
    test = normality_test(fit, min_expected=0.0)
    assert (test.statistic, test.adjusted, test.df, test.p) == pytest.approx(expected, rel=1e-5)


def test_normal_abilities_pass_and_skewed_ones_do_not(rng: np.random.Generator) -> None:
    """A test that never rejects would certify every crowd as normal."""
    normal = normality_test(fit_mml(simulated(rng, rng.normal(size=1500))))
    skewed = normality_test(fit_mml(simulated(rng, (rng.chisquare(2, 1500) - 2) / 2)))
    assert normal.p > 0.05
    assert skewed.p < 1e-4


@pytest.mark.slow
def test_holds_its_level() -> None:
    """With cells - 1 degrees of freedom p-values of true nulls would crowd near 1."""
    rng = np.random.default_rng(5)
    p = np.array([normality_test(fit_mml(simulated(rng, rng.normal(size=600)))).p for _ in range(150)])
    assert 0.005 <= (p < 0.05).mean() <= 0.11
    assert 0.42 <= p.mean() <= 0.58


def test_free_variance_takes_part(rng: np.random.Generator) -> None:
    """Rasch frees the latent variance: left out of the derivatives it would add a degree of freedom."""
    data = simulated(rng, rng.normal(size=800), items=6)
    rasch = normality_test(fit_mml(data, "Rasch"), min_expected=0.0)
    # 7 scores give 6 degrees of freedom; the difficulties' level takes one, the latent variance another
    assert 3.5 < rasch.df < 4.5


def test_prior_leaves_degrees_of_freedom(rng: np.random.Generator) -> None:
    """Parameters held by a prior move less with the data, so fewer degrees of freedom are used up."""
    data = simulated(rng, rng.normal(size=800), items=8)
    held = normality_test(fit_mml(data, "3PL", priors={"c": NormalOnLogit(-2.0, 0.01)}))
    loose = normality_test(fit_mml(data, "3PL", priors={"c": NormalOnLogit(-2.0, 1.0)}))
    assert loose.df < held.df
    assert loose.statistic <= held.statistic


def test_complete_rows_are_tested_where_others_lack_answers(rng: np.random.Generator) -> None:
    """One missing answer among a thousand subjects took the verdict away."""
    whole = simulated(rng, rng.normal(size=800), items=8)
    codes = whole.codes.copy()
    codes[:40, 3] = -1
    fit = fit_mml(Responses.from_array(codes))
    found = normality_test(fit)
    of_rest = normality_test(fix(fit.item_parameters, "2PL", Responses.from_array(codes[40:])))
    assert found.available
    assert found.statistic == pytest.approx(of_rest.statistic)
    assert "40 of 800 subjects have missing responses" in found.note
    assert "missing completely at random" in found.note


@pytest.mark.parametrize("case", ["missing", "no data", "two items"])
def test_where_it_is_not_available_it_says_why(case: str) -> None:
    """A p-value for data that have none is worse than no p-value."""
    if case == "missing":
        test, reason = normality_test(_nobody_answered_everything()), "nobody answered everything"
    elif case == "no data":
        made = fix(pd.DataFrame({"a": [1.0, 1.0], "b": [0.0, 1.0]}, index=["x", "y"]))
        test, reason = normality_test(made), "without responses"
    else:
        items = pd.DataFrame({"a": [1.0, 1.0], "b": [0.0, 1.0]}, index=["x", "y"])
        data = Responses.from_array([[1, 0], [0, 1]], item_names=["x", "y"])
        test, reason = normality_test(fix(items, responses=data)), "covariance of the item parameters"
    assert not test.available
    assert reason in test.note
    assert np.isnan([test.statistic, test.p, test.df]).all()


def test_rare_scores_are_pooled(rng: np.random.Generator) -> None:
    """One subject in a cell that expects a thousandth of one would decide the whole test."""
    easy = pd.DataFrame({"a": 1.0, "b": np.linspace(-4, -2, 12)}, index=[f"i{k}" for k in range(12)])
    chance = 1 / (1 + np.exp(-(rng.normal(size=400)[:, None] - easy["b"].to_numpy())))
    fit = fix(easy, responses=Responses.from_array(rng.random(chance.shape) < chance, item_names=list(easy.index)))
    assert normality_test(fit, min_expected=0.0).cells == 13
    assert normality_test(fit).cells < 9
    assert np.isfinite(normality_test(fit).statistic)
