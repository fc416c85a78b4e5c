"""Scoring in populations that are not normal, against quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from psyirt.errors import NotAvailableError
from psyirt.latent.davidian import DavidianCurve
from psyirt.latent.density import Population
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import Grid
from psyirt.scoring.abilities import estimate_abilities
from psyirt.scoring.percentiles import posterior_summary
from tests.reference import davidian_curve
from tests.reference.scoring import log_likelihood
from tests.scoring.instruments import LSAT6_2PL, answers, as_items

PATTERNS = ("00000", "01100", "11111", "1.0..")
ITEMS = as_items(LSAT6_2PL.item_parameters)
CURVE = DavidianCurve((-0.6, 0.9), 0.2, 1.4)  # two modes, skewed
BARS = HistogramPopulation(Grid(13, -3.0, 3.0), np.array([0, 0, 1, 2, 0, 0, 4, 3, 0, 0, 0, 2, 1]) / 13)


def curve_density(theta: float) -> float:
    return davidian_curve.density(theta, CURVE.angles, 0.2, 1.4)


def marks_of(pattern: str) -> list[int | None]:
    return [None if mark == "." else int(mark) for mark in pattern]


def bar_density(theta: float) -> float:
    bar = math.floor((theta + 3.0) / 0.5 + 0.5)
    return float(BARS.weights[bar]) / 0.5 if 0 <= bar < 13 else 0.0


@pytest.mark.parametrize(
    ("population", "density", "theta_near", "percent_near"),
    [(CURVE, curve_density, 1e-4, 0.02), (BARS, bar_density, 0.02, 1.0)],
    ids=["curve", "bars"],
)
def test_eap_and_percentiles_use_the_density(
    population: Population, density: Callable[[float], float], theta_near: float, percent_near: float
) -> None:
    """A normal prior, or a normal distribution function, left in one place gives another crowd's percentile.

    A histogram counts its weights at the nodes where they are closer than the posterior is wide.
    """
    grid = BARS.grid if population is BARS else Grid()
    found = posterior_summary(LSAT6_2PL.item_parameters, population, grid, answers(*PATTERNS))
    points = np.linspace(-8.0, 8.0, 3200, endpoint=False) + 0.0025
    prior = np.array([density(float(theta)) for theta in points])
    below = (np.cumsum(prior) - 0.5 * prior) / prior.sum()
    for pattern, row in found.iterrows():
        posterior = prior * np.exp([log_likelihood(ITEMS, marks_of(str(pattern)), float(theta)) for theta in points])
        posterior /= posterior.sum()
        mean = posterior @ points
        assert row["theta"] == pytest.approx(mean, abs=theta_near)
        assert row["se"] == pytest.approx(math.sqrt(posterior @ (points - mean) ** 2), abs=theta_near)
        assert row["percentile"] == pytest.approx(100.0 * posterior @ below, abs=percent_near)
        low, high = np.interp([0.025, 0.975], np.cumsum(posterior), points)
        assert row["lower"] == pytest.approx(low, abs=0.01 if population is CURVE else 0.15)
        assert row["upper"] == pytest.approx(high, abs=0.01 if population is CURVE else 0.15)


def test_a_population_averages_percentile_50() -> None:
    """Percentiles of the people whom the density describes must be uniform on the average."""
    for population in (CURVE, BARS):
        theta = population.draw(4000, np.random.default_rng(3))
        assert 100.0 * population.share_below(theta).mean() == pytest.approx(50.0, abs=1.5)


def test_map_is_the_highest_mode_under_a_curve() -> None:
    """A posterior with two modes, whose lower one is nearer to the mean."""
    found = estimate_abilities(LSAT6_2PL.item_parameters, CURVE, Grid(), answers(*PATTERNS), "MAP")
    for pattern, row in found.iterrows():
        answered = marks_of(str(pattern))

        def loss(theta: float, marks: list[int | None] = answered) -> float:
            return -log_likelihood(ITEMS, marks, theta) - math.log(curve_density(theta) + 1e-300)

        grid = np.linspace(-5.0, 5.0, 201)
        near = float(grid[np.argmin([loss(float(t)) for t in grid])])
        best = minimize_scalar(loss, bounds=(near - 0.1, near + 0.1), method="bounded", options={"xatol": 1e-9})
        assert row["theta"] == pytest.approx(best.x, abs=1e-5)
        bend = (loss(best.x + 1e-3) - 2.0 * loss(best.x) + loss(best.x - 1e-3)) / 1e-6
        assert row["se"] == pytest.approx(1.0 / math.sqrt(bend), rel=1e-3)


def test_a_histogram_has_no_map() -> None:
    """Its posterior has steps: a mode would be the edge of a bar."""
    with pytest.raises(NotAvailableError, match="no smooth mode"):
        estimate_abilities(LSAT6_2PL.item_parameters, BARS, Grid(), answers(*PATTERNS), "MAP")
