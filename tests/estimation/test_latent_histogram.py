"""Ability as free weights on the nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.latent_histogram import empirical_histogram
from psyirt.latent.population import Grid
from psyirt.results.calibration import Calibration
from tests.reference.latent_histogram import em_weights

NAMES = [f"i{k}" for k in range(1, 21)]
BANK = pd.DataFrame({"a": 1.5, "b": np.linspace(-2, 2, 20)}, index=NAMES)


def fixed_to(
    theta: np.ndarray, rng: np.random.Generator, missing: float = 0.0, grid: Grid | None = None
) -> Calibration:
    """Known items with answers of subjects of these abilities."""
    chance = 1 / (1 + np.exp(-1.5 * (theta[:, None] - BANK["b"].to_numpy())))
    answers = (rng.random(chance.shape) < chance).astype(float)
    answers[rng.random(chance.shape) < missing] = np.nan
    return fix(BANK, responses=Responses.from_array(answers, item_names=NAMES), grid=grid)


def test_reaches_what_plain_em_climbs_to(rng: np.random.Generator) -> None:
    """A faster method that stops short, or climbs elsewhere, reports another shape."""
    fit = fixed_to(rng.normal(size=60), rng, missing=0.1, grid=Grid(13, -4.0, 4.0))
    found = empirical_histogram(fit)
    assert fit.responses is not None
    patterns = [[None if code < 0 else int(code) for code in row] for row in fit.responses.codes]
    slopes, intercepts = fit.item_parameters.slopes[:, 0], fit.item_parameters.intercepts
    nodes, start = fit.grid.nodes[:, 0], np.exp(fit.log_weights)
    _, reached = em_weights(patterns, slopes, intercepts, nodes, start, 3000)
    assert found.status == "converged"
    assert fit.loglik + found.log_likelihood_gain == pytest.approx(reached, abs=0.02)


def test_weights_are_a_distribution_with_the_moments_it_reports(rng: np.random.Generator) -> None:
    """Percentiles read off weights that do not sum to 1 exceed 100."""
    found = empirical_histogram(fixed_to(rng.normal(size=300), rng))
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert (found.weights >= 0).all()
    draws = np.repeat(found.nodes, np.rint(found.weights * 1e6).astype(int))
    assert found.mean == pytest.approx(draws.mean(), abs=1e-3)
    assert found.sd == pytest.approx(draws.std(), abs=1e-3)
    assert found.skewness == pytest.approx(((draws - draws.mean()) ** 3).mean() / draws.std() ** 3, abs=1e-2)
    assert found.log_likelihood_gain > 0


def test_finds_two_groups(rng: np.random.Generator) -> None:
    """A crowd of novices and experts is what a normal density hides and this must show."""
    theta = np.where(rng.random(2000) < 0.5, -1.5, 1.5)
    found = empirical_histogram(fixed_to(theta, rng))
    assert found.kurtosis < -1.2
    assert found.sd == pytest.approx(1.5, abs=0.1)
    assert found.share_below(0.0) == pytest.approx(0.5, abs=0.05)
    assert found.weights[np.abs(found.nodes) < 0.5].sum() < 0.05
    assert found.log_likelihood_gain > 50


def test_normal_crowd_gains_little(rng: np.random.Generator) -> None:
    """A gain without reason would make every crowd look non-normal."""
    found = empirical_histogram(fixed_to(rng.normal(size=2000), rng))
    assert found.log_likelihood_gain < 10
    assert found.mean == pytest.approx(0.0, abs=0.1)
    assert found.sd == pytest.approx(1.0, abs=0.1)


def test_frequency_weights_count(rng: np.random.Generator) -> None:
    """A pattern with weight 3 is three people."""
    fit = fixed_to(rng.normal(size=80), rng)
    assert fit.responses is not None
    codes = fit.responses.codes
    tripled = fix(BANK, responses=Responses.from_array(np.repeat(codes, 3, axis=0), item_names=NAMES))
    weighted = fix(BANK, responses=fit.responses, weights=np.full(80, 3.0))
    first, second = empirical_histogram(tripled), empirical_histogram(weighted)
    assert first.log_likelihood_gain == pytest.approx(second.log_likelihood_gain, abs=1e-6)
    np.testing.assert_allclose(first.weights, second.weights, atol=1e-9)


def test_share_below_is_a_distribution_function(rng: np.random.Generator) -> None:
    """Outside the nodes everybody is above or below."""
    found = empirical_histogram(fixed_to(rng.normal(size=100), rng))
    values = found.share_below([-100.0, -6.2, 6.2, 100.0])
    assert values[0] == 0.0
    assert values[-1] == pytest.approx(1.0)
    assert (np.diff(found.share_below(np.linspace(-7, 7, 99))) >= 0).all()
    logs = found.log_weights()
    assert ((logs == -np.inf) == (found.weights == 0)).all()


ANSWERS = pd.DataFrame([[1, 0, 1], [0, 1, 1]], columns=["x", "y", "z"])


def test_needs_data_and_one_ability() -> None:
    """Nothing can be said of people who are not there."""
    with pytest.raises(NotAvailableError, match="no responses"):
        empirical_histogram(fix(BANK))
    two = pd.DataFrame({"a1": [1.0, 0.5, 1.0], "a2": [0.5, 1.0, 0.2], "intercept": 0.0}, index=["x", "y", "z"])
    one = fix(two.rename(columns={"a1": "a"})[["a", "intercept"]], responses=Responses.from_frame(ANSWERS))
    with pytest.raises(InputError, match="several abilities"):
        empirical_histogram(replace(one, item_parameters=fix(two).item_parameters))
