"""Fit of the whole model: M2, its indices, and the pattern tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics.whole_model.limited_information import require_memory
from psyirt.diagnostics.whole_model.model_fit import ModelFit, model_fit
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.latent.population import Grid
from psyirt.models.item_types import ItemType, fixed
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import Normal, NormalOnLogit
from psyirt.results.calibration import Calibration
from psyirt.simulation.graded import simulate_responses
from tests.diagnostics.calibrations import (
    LSAT6_2PL,
    LSAT7_1PL,
    LSAT7_2PL,
    LSAT7_RASCH,
    LSAT7_RASCH_VARIANCE,
    calibration_of,
    lsat_calibration,
)
from tests.reference import moments as twin
from tests.small_data import lsat, simulated

NUMBERS = [name for name in ModelFit.__dataclass_fields__ if name not in ("model", "notes")]


def numbers(fit: ModelFit) -> np.ndarray:
    return np.array([fit[name] for name in NUMBERS], dtype=float)


def by_enumeration(calibration: Calibration) -> tuple[float, int]:
    """The twin's M2 of a calibration."""
    layout, grid = calibration.layout, calibration.grid

    def items_of(x: np.ndarray) -> np.ndarray:
        values = layout.values(x)
        values[:, 2:] = 1 / (1 + np.exp(-values[:, 2:]))
        return values

    def density_of(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        variance = x[-1] if layout.frees_variance else calibration.population.variance
        weights = np.exp(-0.5 * grid.nodes[:, 0] ** 2 / variance)
        return grid.nodes[:, 0], weights / weights.sum()

    patterns = calibration.patterns
    return twin.m2(patterns.codes, patterns.weights, calibration.x.copy(), items_of, density_of)


# R mirt 1.47: M2, df, p, RMSEA, its limits (which divide by N where RMSEA divides by N - 1), SRMSR, TLI, CFI, G2, p
PUBLISHED = {
    "lsat7 2PL": (
        lambda: lsat_calibration(7, LSAT7_2PL),
        [
            11.9384123829176,
            5,
            0.0356414879158796,
            0.0372702501753297,
            0.00895474286893965,
            0.064967417943674,
            0.0319629153403325,
            0.936926636576873,
            0.968463318288436,
            31.7005408003866,
            0.062763429132893,
        ],
    ),
    "lsat7 1PL": (
        lambda: lsat_calibration(7, LSAT7_1PL, "1PL"),
        [
            23.1744863812173,
            9,
            0.00581611340233101,
            0.0397054083305671,
            0.0200423782991339,
            0.0599850923419503,
            0.0474381540411896,
            0.928415217782562,
            0.935573696004305,
            43.8920953675877,
            0.011150581273401,
        ],
    ),
    "lsat6 2PL": (
        lambda: lsat_calibration(6, LSAT6_2PL),
        [
            4.73838395696188,
            5,
            0.448634927111144,
            0,
            0,
            0.0427724470022438,
            0.0213221898512653,
            1.00921015144522,
            1,
            21.2296327163832,
            0.444999174864419,
        ],
    ),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_published_values(case: str) -> None:
    """A moment, derivative or index that differs from R mirt's where the definition is the same."""
    make, theirs = PUBLISHED[case]
    fit = model_fit(make())
    ours = [fit[k] for k in ("M2", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "srmsr", "tli", "cfi", "G2", "G2_p")]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=5e-5)


def test_rasch_is_the_1pl_in_other_words() -> None:
    """Without the derivative in the latent variance Rasch would be held to one restriction more than its df says."""
    rasch = model_fit(lsat_calibration(7, LSAT7_RASCH, "Rasch", LSAT7_RASCH_VARIANCE))
    one = model_fit(lsat_calibration(7, LSAT7_1PL, "1PL"))
    np.testing.assert_allclose(numbers(rasch), numbers(one), rtol=1e-5)


@pytest.mark.parametrize("model", ["Rasch", "1PL", "2PL", "3PL", "feasibility"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_matches_enumeration(model: str, missing: float) -> None:
    """Covariances over missing responses, shared slopes, asymptotes: none has an outside number to be held to."""
    codes = simulated(60, 5, seed=11, missing=missing)[:, : 4 if model in ("Rasch", "1PL") else 5]
    responses, items = Responses.from_array(codes), codes.shape[1]
    bank = ItemParameters(
        responses.item_names,
        np.full(items, 1.0 if model == "Rasch" else 1.2),
        np.linspace(-0.8, 0.9, items),
        np.where(np.arange(items) == 0, 0.2 if model == "3PL" else 0.0, 0.0),
        np.where(np.arange(items) == 0, 0.9 if model == "feasibility" else 1.0, 1.0),
    )
    types = [model, *["2PL"] * 4] if model in ("3PL", "feasibility") else model
    variance = 1.3 if model == "Rasch" else 1.0
    calibration = fix(bank, types, responses, latent_variance=variance, grid=Grid(21, -5.0, 5.0))
    fit = model_fit(calibration)
    value, df = by_enumeration(calibration)
    assert fit.df == df
    np.testing.assert_allclose(fit.M2, value, rtol=1e-6)


def test_srmsr_and_independence_match_loops() -> None:
    """Correlations of another divisor, or a null model that is not fitted, shift SRMSR, CFI and TLI alike."""
    codes = simulated(200, 5, seed=3)
    calibration = calibration_of(codes)
    fit = model_fit(calibration)
    items = np.column_stack([np.full(5, 1.2), np.linspace(-1, 1, 5), np.zeros(5), np.ones(5)])
    weights = np.exp(calibration.log_weights)
    assert fit.srmsr == pytest.approx(
        twin.srmsr(codes, np.ones(200), items, calibration.grid.nodes[:, 0], weights), rel=1e-10
    )
    # independent items are items of slope 0 with the observed difficulties
    flat = ItemType("flat", a=fixed(0.0))
    means = codes.mean(axis=0)
    bank = ItemParameters(calibration.item_names, np.zeros(5), np.log(means / (1 - means)))
    independent = model_fit(fix(bank, flat, calibration.responses))
    assert (independent.M2, independent.df) == pytest.approx((fit.null_M2, fit.null_df), rel=1e-9)
    assert independent.cfi == 0.0


def test_pattern_tests_match_loops() -> None:
    """X2 has to count the patterns that nobody gave."""
    calibration = lsat_calibration(6, LSAT6_2PL)
    fit = model_fit(calibration)
    items = np.column_stack([*LSAT6_2PL, np.zeros(5), np.ones(5)])
    chances = twin.pattern_probabilities(items, calibration.grid.nodes[:, 0], np.exp(calibration.log_weights))
    responses, frequencies = lsat(6)
    seen = {tuple(row): n for row, n in zip(responses.codes.tolist(), frequencies, strict=True)}
    assert len(seen) == 30
    x2 = sum((seen.get(y, 0) - 1000 * p) ** 2 / (1000 * p) for y, p in chances.items())
    np.testing.assert_allclose(fit.X2, x2, rtol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_order_of_subjects_and_duplicates_change_nothing(missing: float) -> None:
    """Weights that are counted as rows somewhere would double N there."""
    codes = simulated(240, 7, seed=5, missing=missing)
    base = numbers(model_fit(calibration_of(codes)))
    turned = numbers(model_fit(calibration_of(codes[np.random.default_rng(1).permutation(240)])))
    doubled = numbers(model_fit(calibration_of(np.vstack([codes, codes]), weights=np.full(480, 0.5))))
    np.testing.assert_allclose(turned, base, rtol=1e-8)
    np.testing.assert_allclose(doubled, base, rtol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_order_of_items_does_not_matter(missing: float) -> None:
    """Pairs are laid out by position: an index the wrong way round would show here."""
    responses = Responses.from_array(simulated(300, 7, seed=6, missing=missing))
    bank = ItemParameters(responses.item_names, np.linspace(0.7, 1.9, 7), np.linspace(-1.0, 1.0, 7))
    turned = list(reversed(responses.item_names))
    forward = model_fit(fix(bank, "2PL", responses))
    backward = model_fit(fix(bank.select(turned), "2PL", responses.select(items=turned)))
    np.testing.assert_allclose(numbers(forward), numbers(backward), rtol=1e-8)


def test_a_second_ability_is_seen_and_the_true_model_is_not() -> None:
    """A test without power, or one that rejects everything, would pass every other test here."""
    rng = np.random.default_rng(8)
    abilities = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 600)
    chance = 1 / (1 + np.exp(-1.5 * abilities[:, np.arange(12) % 2] - np.linspace(-1, 1, 12)))
    two = model_fit(fit_mml(Responses.from_array(rng.random((600, 12)) < chance)))
    one = model_fit(fit_mml(simulate_responses(600, 12, seed=9).responses))
    assert two.p < 1e-6
    assert two.rmsea > 0.05 > two.srmsr / 2
    assert two.cfi < 0.95 < one.cfi
    assert one.p > 0.05
    assert one.rmsea_low == 0.0 <= one.rmsea <= one.rmsea_high < 0.04


def test_missing_at_random_by_design_is_tested() -> None:
    """Booklets leave most pairs of items without a subject: the others still make a test."""
    study = simulate_responses(900, 12, seed=2, booklets=4).responses
    fit = model_fit(fit_mml(study))
    assert fit.df == 12 + 12 * 11 / 2 - 18 - 24
    assert 0.01 < fit.p < 1
    assert any("18 moments are left out" in note for note in fit.notes)
    assert any("completely at random" in note for note in fit.notes)


@pytest.mark.parametrize("kind", ["weak subjects stop early", "one item is left out when unknown"])
def test_missing_for_a_reason_is_not_tested(kind: str) -> None:
    """Pairwise means of those who answered are then not the model's, however well it fits."""
    study = simulate_responses(800, 12, seed=4)
    codes = study.responses.codes.copy()
    if kind.startswith("weak"):
        codes[np.asarray(study.theta < -0.5)[:, None] & (np.arange(12) >= 8)] = -1
    else:
        codes[(codes[:, 3] == 0) & (np.random.default_rng(1).random(800) < 0.6), 3] = -1
    fit = model_fit(fit_mml(Responses.from_array(codes)))
    assert np.isnan([fit.M2, fit.p, fit.rmsea, fit.srmsr, fit.cfi, fit.tli]).all()
    assert any("not valid" in note and "not missing completely at random" in note for note in fit.notes)


def test_mapping_and_print() -> None:
    """A result that cannot be read by name cannot be tabulated over fits."""
    fit = model_fit(lsat_calibration(7, LSAT7_2PL))
    assert {"M2", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "srmsr", "cfi", "tli", "notes"} <= set(fit)
    assert dict(fit.items())["M2"] == fit.M2 == fit["M2"]
    assert len(pd.Series(dict(fit))) == len(fit)
    assert "M2     11.938, df 5, p 0.0356" in repr(fit)
    with pytest.raises(KeyError):
        fit["m2"]
    with pytest.raises(AttributeError):
        fit.M2 = 0.0


@pytest.mark.parametrize("items", [1, 2])
def test_too_few_items(items: int) -> None:
    fit = model_fit(calibration_of(simulated(200, 3, seed=7)[:, :items]))
    assert np.isnan([fit.M2, fit.p, fit.rmsea]).all()
    assert any("items carry no test" in note for note in fit.notes)


def test_no_degrees_of_freedom() -> None:
    """A chi-square with df 0 would print p = nan, or 1, and say nothing."""
    fit = model_fit(calibration_of(simulated(200, 3, seed=7)))
    assert np.isnan([fit.M2, fit.df, fit.p, fit.rmsea, fit.cfi]).all()
    assert np.isfinite(fit.srmsr)
    assert any("leave no degrees of freedom" in note for note in fit.notes)


def test_an_item_that_does_not_vary() -> None:
    """Its correlations do not exist; the moments do."""
    codes = simulated(200, 6, seed=8)
    codes[:, 2] = 1
    fit = model_fit(calibration_of(codes))
    assert np.isfinite([fit.M2, fit.p, fit.rmsea]).all()
    assert np.isnan([fit.srmsr, fit.cfi, fit.tli]).all()
    assert any("does not vary" in note for note in fit.notes)


def test_items_that_determine_each_other() -> None:
    """Steps in place of curves leave moments that are functions of others: a number or a note, and no crash."""
    responses = Responses.from_array(simulated(200, 6, seed=8))
    for slope in (40.0, 400.0):
        bank = ItemParameters(responses.item_names, np.full(6, slope), np.linspace(-0.3, 0.3, 6) * slope)
        fit = model_fit(fix(bank, "2PL", responses))
        told = any("M2: not available" in note for note in fit.notes)
        assert told == (slope == 400.0)
        assert np.isnan([fit.M2, fit.rmsea, fit.rmsea_low, fit.rmsea_high]).all() == told


def test_an_item_nobody_answered() -> None:
    codes = simulated(200, 6, seed=8)
    codes[:, 2] = -1
    fit = model_fit(calibration_of(codes))
    assert fit.df == 15 - 10
    assert any("6 moments are left out" in note for note in fit.notes)
    assert any("2 of the parameters" in note for note in fit.notes)


def test_doubts_are_told() -> None:
    """Priors, given parameters, items set aside and asymptotes at an edge each bend the chi-square."""
    codes = simulated(300, 8, seed=12)
    codes[:, 1] = 1
    with pytest.warns(match="set aside"):
        fit = fit_mml(Responses.from_array(codes), priors={"a": Normal(1.0, 0.3)})
    notes = " ".join(model_fit(fit).notes)
    assert "held by priors" in notes
    assert "1 item was set aside" in notes
    edge = fit_mml(
        simulate_responses(500, 8, seed=1).responses, ["3PL", *["2PL"] * 7], priors={"c": NormalOnLogit(-9.0, 0.1)}
    )
    assert "1 asymptote lies at 0 or 1" in " ".join(model_fit(edge).notes)
    assert "parameters were given" in " ".join(model_fit(calibration_of(codes)).notes)


def test_parameters_known_from_elsewhere_keep_the_level() -> None:
    """The projection takes out whatever estimates could explain, so other estimates of the same items do as well."""
    truth = simulate_responses(1500, 10, seed=21)
    fit = model_fit(fix(truth.item_parameters, "2PL", truth.responses))
    assert fit.df == 35
    assert fit.p > 0.01


def test_memory_is_refused_with_the_number() -> None:
    """4,000 items would fill the memory of a small machine and end in a crash."""
    with pytest.raises(InputError, match=r"4000 items with 8000 parameters need 5.9 GB"):
        require_memory(4000, 8000)
    require_memory(2000, 4000)


def test_without_responses() -> None:
    bank = ItemParameters(["q1", "q2", "q3"], [1.0, 1.0, 1.0], [0.0, 0.5, -0.5])
    with pytest.raises(NotAvailableError, match="no responses"):
        model_fit(fix(bank, "2PL"))
    with pytest.raises(InputError, match="the calibration is a Responses"):
        model_fit(Responses.from_array([[1, 0, 1]]))


def test_many_patterns_leave_no_pattern_test() -> None:
    """G2 over 2^20 patterns has no chi-square, whatever its df."""
    fit = model_fit(fit_mml(simulate_responses(300, 20, seed=1).responses))
    assert np.isnan([fit.G2, fit.X2, fit.G2_p]).all()
    assert any("300 subjects for 2^20 patterns" in note for note in fit.notes)
    sparse = model_fit(fit_mml(simulate_responses(500, 8, seed=1).responses))
    assert np.isfinite(sparse.G2)
    assert np.isnan(sparse.G2_p)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_holds_its_level(missing: float) -> None:
    """Degrees of freedom off by a few, or covariances by a few per cent, show in the rejections."""
    p = [model_fit(fit_mml(simulate_responses(500, 10, seed=seed, missing=missing).responses)).p for seed in range(300)]
    assert 0.025 <= np.mean(np.array(p) < 0.05) <= 0.085
    assert 0.44 <= np.mean(p) <= 0.56
