"""Percentiles in the population and in a crowd."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from psyirt.errors import InputError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.scoring.abilities import score
from psyirt.scoring.percentiles import crowd_percentile, grid_quantiles, posterior_summary
from tests.reference import scoring as twin
from tests.scoring.instruments import (
    LSAT6_2PL,
    LSAT6_3PL,
    Instrument,
    answers,
    as_items,
    random_answers,
    random_instrument,
)


@pytest.mark.parametrize("instrument", [LSAT6_2PL, LSAT6_3PL], ids=["2PL", "3PL"])
def test_intervals_are_posterior_quantiles(instrument: Instrument) -> None:
    """theta +- 1.96 se in place of quantiles, or quantiles cut to the nearest node."""
    patterns = ("00000", "01100", "11111", "1.0..")
    found = posterior_summary(instrument.item_parameters, instrument.population, instrument.grid, answers(*patterns))
    items = as_items(instrument.item_parameters)
    for pattern, row in found.iterrows():
        marks = [None if mark == "." else int(mark) for mark in str(pattern)]
        for column, level in (("lower", 0.025), ("upper", 0.975)):
            assert row[column] == pytest.approx(twin.posterior_quantile(items, marks, level, -8.0, 8.0), abs=1e-3)


def test_summary_repeats_the_eap(rng: np.random.Generator) -> None:
    """Two numbers called theta that differ between the score table and the summary."""
    instrument = random_instrument(rng, 30)
    responses = random_answers(rng, instrument, 50, missing=0.2)
    summary = posterior_summary(instrument.item_parameters, instrument.population, instrument.grid, responses)
    np.testing.assert_array_equal(summary[["theta", "se"]], score(instrument, responses))


def test_percentile_is_the_posterior_mean_of_phi() -> None:
    """100 Phi(EAP) is another number: with five items it is off by several points."""
    found = posterior_summary(LSAT6_2PL.item_parameters, NormalPopulation(), Grid(), answers("11111")).iloc[0]
    items, nodes = as_items(LSAT6_2PL.item_parameters), np.linspace(-6, 6, 1201)
    weights = np.exp([twin.log_likelihood(items, [1] * 5, x) - 0.5 * x * x for x in nodes])
    expected = 100.0 * np.sum(weights * norm.cdf(nodes)) / weights.sum()
    assert found["percentile"] == pytest.approx(expected, abs=1e-4)
    assert abs(expected - 100.0 * norm.cdf(found["theta"])) > 3.0
    assert found["percentile_low"] == pytest.approx(100.0 * norm.cdf(found["lower"]), abs=1e-9)
    assert found["percentile_high"] == pytest.approx(100.0 * norm.cdf(found["upper"]), abs=1e-9)


@pytest.mark.parametrize("population", [NormalPopulation(), NormalPopulation(-1.5, 9.0)])
def test_without_responses_the_summary_is_the_population(population: NormalPopulation) -> None:
    """Percentiles taken in N(0, 1) whatever the population: nothing answered must give the 50th, 2.5 to 97.5."""
    row = posterior_summary(LSAT6_2PL.item_parameters, population, Grid(), answers(".....")).iloc[0]
    assert row["percentile"] == pytest.approx(50.0, abs=0.01)
    assert row["percentile_low"] == pytest.approx(2.5, abs=0.02)
    assert row["percentile_high"] == pytest.approx(97.5, abs=0.02)


def test_long_tests_have_narrow_intervals(rng: np.random.Generator) -> None:
    """Quantiles from a grid coarser than the posterior: the interval would be a whole cell wide, or empty."""
    instrument = random_instrument(rng, 400)
    summary = posterior_summary(
        instrument.item_parameters, instrument.population, instrument.grid, random_answers(rng, instrument, 5)
    )
    width = (summary["upper"] - summary["lower"]) / summary["se"]
    np.testing.assert_allclose(width, 2 * 1.96, rtol=0.01)


@pytest.mark.parametrize("offset", [0.0, 0.25, 0.5])
def test_grid_quantiles_of_a_normal(offset: float) -> None:
    """Linear interpolation of summed weights is off by a tenth of a standard deviation here."""
    nodes = np.arange(-32, 33) / 4.0 + offset / 4.0
    weights = np.exp(-0.5 * nodes**2)
    found = grid_quantiles(nodes, (weights / weights.sum())[None], (0.025, 0.5, 0.9))
    np.testing.assert_allclose(found[0], norm.ppf([0.025, 0.5, 0.9]), atol=1e-3)


def test_crowd_percentile_is_the_mid_rank(rng: np.random.Generator) -> None:
    """Counting ties as below puts everyone at the ceiling at 100; counting them as above at 61."""
    crowd = rng.integers(0, 8, 60).astype(float)
    values = np.arange(-1.0, 9.0)
    found = crowd_percentile(values, crowd)
    np.testing.assert_allclose(found.percentile, [twin.mid_rank(value, list(crowd)) for value in values])
    np.testing.assert_allclose(found.tied, [(crowd == value).mean() for value in values])


def test_crowd_percentile_of_scores_that_differ_in_the_last_digit() -> None:
    """The same pattern scored in two ways must tie; infinite ML scores must rank at the ends."""
    found = crowd_percentile([0.1 + 0.2, np.inf, -np.inf, np.nan], [0.3, 0.3, 1.0, np.inf])
    np.testing.assert_allclose(found.percentile, [25.0, 87.5, 0.0, np.nan])
    np.testing.assert_allclose(found.tied, [0.5, 0.25, 0.0, np.nan])


@pytest.mark.parametrize(("crowd", "message"), [([], "empty"), ([1.0, np.nan], "1 of the crowd's 2")])
def test_crowd_must_have_values(crowd: list[float], message: str) -> None:
    """A crowd with missing values would rank everyone too low."""
    with pytest.raises(InputError, match=message):
        crowd_percentile(0.0, crowd)
