"""EAP: the twin's sums, and posteriors that the calibration's grid does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import EstimationError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.scoring.abilities import estimate_abilities, score
from psyirt.scoring.eap import refined, widened
from tests.reference import scoring as twin
from tests.scoring.instruments import Instrument, as_items, random_answers, random_instrument


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (0.2, 1.0), (0.1, 0.9)])
def test_eap_is_the_twins(rng: np.random.Generator, lower: float, upper: float) -> None:
    """Posterior sums with a node, an item or the missing responses handled wrongly."""
    instrument = random_instrument(rng, 6, lower, upper)
    responses = random_answers(rng, instrument, 12, missing=0.3)
    population, grid = NormalPopulation(0.3, 1.44), Grid(81, -8.0, 8.0)
    found = estimate_abilities(instrument.item_parameters, population, grid, responses)
    items, nodes = as_items(instrument.item_parameters), [float(x) for x in grid.nodes[:, 0]]
    for pattern, row in zip(responses.codes, found.to_numpy(), strict=True):
        answered = [None if code < 0 else int(code) for code in pattern]
        if any(response is not None for response in answered):
            np.testing.assert_allclose(row, twin.eap(items, answered, nodes, 0.3, 1.2), atol=1e-12)


def test_a_long_test_is_not_scored_to_the_nearest_node(rng: np.random.Generator) -> None:
    """With 1,500 items the posterior fits between two nodes: a fixed grid gives everyone a node and an SE near 0."""
    instrument = random_instrument(rng, 1500)
    responses = random_answers(rng, instrument, 1)
    found = score(instrument, responses).iloc[0]
    nodes = [float(x) for x in np.linspace(found["theta"] - 0.5, found["theta"] + 0.5, 201)]
    items, pattern = as_items(instrument.item_parameters), [int(code) for code in responses.codes[0]]
    at_best = twin.log_likelihood(items, pattern, found["theta"])
    weights = np.exp([twin.log_likelihood(items, pattern, x) - at_best - 0.5 * x * x for x in nodes])
    mean = np.sum(weights * nodes) / weights.sum()
    se = np.sqrt(np.sum(weights * (nodes - mean) ** 2) / weights.sum())
    assert 0.01 < se < 0.1
    np.testing.assert_allclose(found, [mean, se], atol=1e-8)


def test_a_score_may_leave_the_grid(rng: np.random.Generator) -> None:
    """All right on hard items of a wide population: the last node must not cap the score."""
    instrument = random_instrument(rng, 5)
    population = NormalPopulation(0.0, 25.0)
    wide = Instrument(instrument.item_parameters, population, Grid(601, -60.0, 60.0))
    narrow = Instrument(instrument.item_parameters, population)
    responses = random_answers(rng, instrument, 20)
    found, expected = score(narrow, responses), score(wide, responses)
    assert expected["theta"].max() > 4.0
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_hopeless_grid_is_an_error(rng: np.random.Generator) -> None:
    """A population a million units wide on a grid of twelve: no number is better than the wrong one."""
    instrument = Instrument(random_instrument(rng, 2).item_parameters, NormalPopulation(0.0, 1e12))
    with pytest.raises(EstimationError, match="fit no grid"):
        score(instrument, random_answers(rng, instrument, 3))


def test_grids_grow_as_they_say() -> None:
    """A refined grid without the old nodes, or a widened one with another spacing, changes the integral's points."""
    grid = Grid(7, -3.0, 3.0)
    assert set(grid.nodes[:, 0]) <= set(refined(grid, 4).nodes[:, 0])
    assert refined(grid, 4).spacing == pytest.approx(0.25)
    wider = widened(grid)
    assert wider.spacing == pytest.approx(grid.spacing)
    assert wider.low <= -6.0
    assert wider.high >= 6.0
