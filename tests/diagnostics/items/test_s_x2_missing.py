"""S-X2 with missing responses: valid, with nobody dropped, and the same bits whoever runs it."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import chi2

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit, s_x2_cells
from psyirt.diagnostics.items.rest_score_test import fit_at, rest_score_tests
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import ProgressEvent
from psyirt.latent.population import Grid
from psyirt.simulation import simulate_responses
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_fit as twin
from tests.small_data import simulated


def _parts(codes: np.ndarray) -> tuple[list[list[float]], list[float], list[float]]:
    """Probabilities, nodes and weights of `calibration_of(codes, slopes)`."""
    nodes = np.linspace(-6.0, 6.0, 61)
    weights = np.exp(-0.5 * nodes**2)
    items = codes.shape[1]
    slopes = np.linspace(0.7, 1.9, items)
    p = expit(slopes[:, None] * nodes + np.linspace(-1.0, 1.0, items)[:, None])
    return p.tolist(), nodes.tolist(), (weights / weights.sum()).tolist()


def test_cells_equal_to_plain_loops() -> None:
    """Groups, right answers and their expectation are the statistic: a row too few in one of them is another."""
    codes = simulated(400, 9, seed=61)
    codes[np.random.default_rng(61).random(codes.shape) < 0.2] = -1
    codes[:320, 4], codes[320:, 4] = np.abs(codes[:320, 4]), -1
    calibration = calibration_of(codes, slopes=np.linspace(0.7, 1.9, 9))
    cells = s_x2_cells(calibration, "i5", groups=4)
    wanted = twin.rest_score_cells(codes.tolist(), *_parts(codes), 4, 4)
    for (_, row), (subjects, right, expected, _) in zip(cells.iterrows(), wanted, strict=True):
        found = (row["subjects"], row["correct"], row["expected_correct"])
        assert found == pytest.approx((subjects, right, expected), rel=1e-9)
    assert cells["subjects"].sum() == 320
    assert (np.diff(cells["ability"]) > 0).all()


def test_with_known_parameters_every_group_is_a_degree_of_freedom() -> None:
    """With nothing estimated the null is chi-square: the one case in which the p-value is known beforehand."""
    calibration = calibration_of(simulated(450, 16, seed=62, missing=0.2), slopes=np.linspace(0.7, 1.9, 16))
    fit = fit_at(calibration)
    known = replace(fit, layout=replace(fit.layout, index=np.full_like(fit.layout.index, -1)))
    test = rest_score_tests(known, np.zeros(fit.layout.index.shape), 4, 1.0)[2]
    cells = twin.rest_score_cells(fit.codes[fit.codes[:, 2] >= 0][:320].tolist(), *_parts(fit.codes), 2, 4)
    first = replace(known, codes=fit.codes[fit.codes[:, 2] >= 0][:320], weights=np.ones(320))
    wanted = sum((right - expected) ** 2 / variance for _, right, expected, variance in cells)
    assert rest_score_tests(first, np.zeros(fit.layout.index.shape), 4, 1.0)[2].statistic == pytest.approx(wanted)
    assert test.df == pytest.approx(4.0)
    assert test.p == pytest.approx(chi2.sf(test.statistic, 4))


def test_estimation_takes_degrees_of_freedom_away() -> None:
    """df of all groups although two parameters were fitted to them would reject too rarely."""
    fit = fit_mml(simulate_responses(1000, 15, seed=63, missing=0.3).responses)
    table = item_fit(fit)
    np.testing.assert_allclose(table["df"], 8.0, atol=0.6)
    assert (table["rows"] == 10).all()
    assert table["note"].tolist() == [""] * 15
    assert "of 1000 subjects have missing responses" in table.notes[0]
    assert "every subject used" in table.notes[0]


@pytest.mark.parametrize("how", [{"missing": 0.3}, {"booklets": 3}])
def test_size_under_the_null(how: dict[str, float]) -> None:
    """A liberal test prunes good items: 240 tests are rejected 12 times on average (SD 3.4)."""
    p = [
        item_fit(fit_mml(simulate_responses(400, 12, seed=700 + k, **how).responses))["p"].to_numpy()  # type: ignore[arg-type]
        for k in range(20)
    ]
    values = np.concatenate(p)
    assert 2 <= (values < 0.05).sum() <= 26
    assert np.nanmean(values) == pytest.approx(0.5, abs=0.08)


def test_finds_a_non_monotone_item_although_a_third_is_missing() -> None:
    """Valid without power would be "not valid" in other words."""
    rng = np.random.default_rng(64)
    theta = rng.standard_normal((1000, 1))
    p = expit(1.2 * theta + np.linspace(-1.0, 1.0, 15))
    p[:, 7] = expit(1.0 - theta[:, 0] ** 2)
    codes = (rng.random(p.shape) < p).astype(np.int8)
    codes[rng.random(p.shape) < 0.33] = -1
    table = item_fit(fit_mml(Responses.from_array(codes)))
    assert table.flagged.index.tolist() == ["i8"]


def test_a_prior_lets_estimates_follow_the_data_less() -> None:
    """Without the prior's part the null of a 3PL item is too narrow: .07 in place of .05 were rejected."""
    study = simulate_responses(800, 12, "3PL", seed=65, missing=0.2)
    fit = fit_mml(study.responses, "3PL")
    with_prior = item_fit(fit)["df"].mean()
    object.__setattr__(fit, "priors", type(fit.priors)(fit.priors.size))
    assert with_prior > item_fit(fit)["df"].mean() + 0.2


def test_weights_count_subjects() -> None:
    """A pattern of weight 2 is two subjects, in the groups and in the variance."""
    codes = simulated(200, 8, seed=66, missing=0.2)
    weights = np.random.default_rng(66).integers(1, 4, 200)
    one = item_fit(calibration_of(codes, weights=weights))
    other = item_fit(calibration_of(np.repeat(codes, weights, axis=0)))
    np.testing.assert_allclose(one["statistic"], other["statistic"], rtol=1e-9)
    np.testing.assert_allclose(one["p"], other["p"], rtol=1e-9)
    np.testing.assert_allclose(one["rmsea"], other["rmsea"], rtol=1e-9)


def test_bootstrap_agrees_with_the_approximate_p() -> None:
    """Two ways to the same p: if they part, one of them is wrong. 39 data sets leave a standard error of .08."""
    fit = fit_mml(simulate_responses(300, 8, seed=67, missing=0.25).responses)
    seen: list[ProgressEvent] = []
    quick = item_fit(fit)["p"]
    table = item_fit(fit, missing="bootstrap", replications=39, seed=1, progress=seen.append)
    assert np.abs(table["p"] - quick).max() < 0.27
    assert np.abs(table["p"] - quick).mean() < 0.11
    assert seen[-1].step == seen[-1].total == 39
    assert any("39 simulated data sets, items fitted again" in note for note in table.notes)


def test_bootstrap_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A p-value that depends on the machine's cores cannot be reported."""
    fit = calibration_of(simulated(100, 6, seed=68, missing=0.2))
    many = item_fit(fit, missing="bootstrap", replications=19, seed=3)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    one = item_fit(fit, missing="bootstrap", replications=19, seed=3)
    assert many["p"].tolist() == one["p"].tolist()
    assert item_fit(fit, missing="bootstrap", replications=19, seed=4)["p"].tolist() != one["p"].tolist()


def test_bootstrap_of_fixed_parameters_does_not_fit() -> None:
    """Published parameters were not estimated from these data, so that refitting would be another null."""
    codes = simulated(150, 6, seed=69, missing=0.2)
    table = item_fit(calibration_of(codes), missing="bootstrap", replications=19, seed=1)
    assert any("parameters held" in note for note in table.notes)
    with pytest.raises(NotAvailableError, match="not whole numbers"):
        item_fit(calibration_of(codes, weights=np.full(150, 1.5)), missing="bootstrap", seed=1)


def test_items_that_cannot_be_tested_say_why() -> None:
    """No variance, hardly any answers, none at all: a note in that row, numbers in the others."""
    codes = simulated(200, 8, seed=70, missing=0.1)
    codes[:, 1] = np.where(codes[:, 1] >= 0, 1, -1)
    codes[4:, 2], codes[:4, 2] = -1, [1, 0, 1, 0]
    codes[:, 3] = -1
    table = item_fit(calibration_of(codes))
    assert table["note"].str.split(":").str[0].tolist()[:5] == [
        "",
        "no variance",
        "no degrees of freedom",
        "no variance",
        "",
    ]
    assert table["p"].notna().sum() == 5


def test_nodes_that_are_too_coarse_are_told_of() -> None:
    """On nodes wider than the posteriors every predicted answer is the one at the nearest node."""
    study = simulate_responses(40, 200, seed=71, missing=0.1)
    coarse = item_fit(fix(study.item_parameters, "2PL", study.responses, grid=Grid(21, -6.0, 6.0)))
    assert any("nodes 0.6 apart are coarse" in note for note in coarse.notes)
    fine = item_fit(fix(study.item_parameters, "2PL", study.responses, grid=Grid(121, -6.0, 6.0)))
    assert not any("coarse" in note for note in fine.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 1},
        {"replications": 99},
        {"missing": "bootstrap"},
        {"missing": "bootstrap", "seed": -1},
        {"missing": "bootstrap", "seed": 1, "replications": 9},
        {"groups": 1},
        {"groups": 4.5},
    ],
)
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    """A seed that is ignored without a word lets its user believe that something was drawn."""
    with pytest.raises(InputError):
        item_fit(lsat_calibration(7, LSAT7_2PL), **options)
