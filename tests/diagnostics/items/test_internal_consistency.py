"""Alpha's error and interval, omega against what it estimates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import f

from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.diagnostics import classical
from psyirt.diagnostics.items.internal_consistency import alpha_coefficient, omega_coefficient, one_factor_loadings
from tests.small_data import lsat, simulated


def test_interval_is_feldts() -> None:
    """Degrees of freedom exchanged, or the two ends."""
    codes = simulated(80, 7, seed=3)
    found = alpha_coefficient(collapse(Responses.from_array(codes)), level=0.9)
    low = 1.0 - (1.0 - found.value) * f.ppf(0.95, 79, 79 * 6)
    high = 1.0 - (1.0 - found.value) * f.ppf(0.05, 79, 79 * 6)
    assert (found.lower, found.upper) == pytest.approx((low, high), rel=1e-10)
    assert low < found.value < high


def test_standard_error_is_the_spread_over_samples() -> None:
    """An influence function with a wrong sign or factor gives a standard error of another size."""
    values, errors = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        codes = (rng.random((400, 8)) < 1 / (1 + np.exp(-1.3 * rng.normal(size=(400, 1)) - 1.0))).astype(np.int8)
        found = alpha_coefficient(collapse(Responses.from_array(codes)))
        values.append(found.value)
        errors.append(found.se)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


def test_frequencies_count_as_subjects() -> None:
    """A pattern table with frequencies is 1,000 people, not 30."""
    responses, frequencies = lsat(6)
    table = classical(responses, weights=frequencies)
    every = classical(Responses.from_array(np.repeat(responses.codes, frequencies, axis=0)))
    assert table.alpha_se == pytest.approx(every.alpha_se, rel=1e-10)
    assert table.alpha_interval == pytest.approx(every.alpha_interval, rel=1e-10)
    assert table.omega == pytest.approx(every.omega, rel=1e-9)


def test_omega_is_the_reliability_of_the_number_right() -> None:
    """The items are made so that the truth is known: variance of the expected score / variance of the score."""
    rng = np.random.default_rng(0)
    loadings, thresholds = rng.uniform(0.3, 0.8, 12), rng.normal(0.0, 0.7, 12)
    factor = rng.normal(size=(20_000, 1))
    answers = loadings * factor + np.sqrt(1 - loadings**2) * rng.normal(size=(20_000, 12)) > thresholds
    expected = ndtr((loadings * factor - thresholds) / np.sqrt(1 - loadings**2)).sum(1)
    found = omega_coefficient(collapse(Responses.from_array(answers.astype(np.int8))))
    assert found.value == pytest.approx(expected.var() / answers.sum(1).var(), abs=0.006)
    missing = np.where(rng.random(answers.shape) < 0.2, -1, answers).astype(np.int8)
    assert omega_coefficient(collapse(Responses.from_array(missing))).value == pytest.approx(found.value, abs=0.01)


def test_loadings_reproduce_a_one_factor_matrix() -> None:
    """Also with a negative loading, and whatever the sign of the first vector."""
    loadings = np.array([0.9, 0.7, -0.4, 0.5, 0.2])
    correlations = np.outer(loadings, loadings)
    np.fill_diagonal(correlations, 1.0)
    np.testing.assert_allclose(one_factor_loadings(correlations), loadings, atol=1e-8)


def test_what_speaks_against_one_factor_is_said() -> None:
    """Opposed halves give an omega that describes neither; two copies of one item ask for a loading above 1."""
    codes = simulated(400, 8, seed=7, slopes=np.full(8, 1.5))
    codes[:, 5:] = 1 - codes[:, 5:]
    statistics = classical(Responses.from_array(codes))
    assert "3 loadings are negative" in statistics.omega_note
    assert "3 loadings are negative" in repr(statistics)
    slips = np.random.default_rng(0).random((2000, 2)) < 0.1
    first = np.arange(2000)[:, None] % 2
    copies = np.hstack([first, np.where(slips, 1 - first, first)])
    assert "1 loadings above 0.995" in classical(Responses.from_array(copies)).omega_note


def test_where_there_is_no_coefficient() -> None:
    """Too few items, no variance, pairs nobody answered: a reason instead of a number."""
    codes = simulated(60, 5, seed=2)
    assert "three items" in classical(Responses.from_array(codes[:, :2])).omega_note
    gap = codes.copy()
    gap[:30, 0], gap[30:, 1] = -1, -1
    statistics = classical(Responses.from_array(gap))
    assert np.isnan(statistics.omega)
    assert "every pair" in statistics.omega_note
    assert "omega not available" in repr(statistics)
    constant = classical(Responses.from_array(np.ones((9, 4))))
    assert np.isnan([constant.alpha, constant.alpha_se, constant.omega, *constant.alpha_interval]).all()
