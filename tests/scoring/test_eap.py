"""EAP: the twin's sums, and posteriors that the calibration's grid does not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.patterns import Patterns
from psyirt.errors import EstimationError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.scoring import eap
from psyirt.scoring.abilities import estimate_abilities, score
from psyirt.scoring.eap import grid_posteriors, refined, widened
from psyirt.scoring.problem import ScoringProblem
from tests.reference import marginal_likelihood
from tests.reference import scoring as twin
from tests.scoring.instruments import Instrument, answers, as_items, random_answers, random_instrument


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


@pytest.mark.parametrize("slope", [8.0, 30.0, 400.0, 1e6])
def test_an_item_that_is_a_step_cuts_where_it_stands(slope: float) -> None:
    """Between two nodes of a fixed grid a step may stand anywhere: abilities were off by up to .04."""
    slopes, b = np.array([1.3] * 5 + [slope]), np.array([-1.5, -0.7, 0.0, 0.7, 1.5, 0.137])
    instrument = Instrument(ItemParameters([f"q{k}" for k in range(6)], slopes, -slopes * b))
    patterns = ["111001", "111000", "100001", "111110"]
    found = score(instrument, answers(*patterns, names=instrument.item_parameters.item_names)).to_numpy()
    # the other twin works in logs: a step's probability is 0 on most nodes
    nodes = [float(x) for x in np.linspace(-6.0, 6.0, 6001) + 0.137]
    weights = marginal_likelihood.node_weights(nodes)
    for pattern, row in zip(patterns, found, strict=True):
        posterior = marginal_likelihood.posterior(
            [int(mark) for mark in pattern], as_items(instrument.item_parameters), nodes, weights
        )
        mean = float(np.dot(posterior, nodes))
        se = float(np.sqrt(np.dot(posterior, (np.array(nodes) - mean) ** 2)))
        np.testing.assert_allclose(row, [mean, se], atol=1e-6 if slope < 100 else 1.5e-3)


def test_ordinary_items_keep_the_calibrations_nodes() -> None:
    """Refining for every instrument would make scoring slower for nothing, and change numbers in the last digits."""
    grid = Grid()
    for slope, count in ((4.9, 61), (-4.9, 61), (5.1, 121), (-31.0, 421), (1e9, 4981)):
        parts = grid_posteriors(
            ScoringProblem(
                Patterns.of(np.array([[1, 0]], np.int8)),
                ItemParameters(["x", "y"], [0.5, slope], [0.0, 0.0]),
                NormalPopulation(),
                grid,
            )
        )
        assert [part.grid.count for part in parts] == [count]


def test_many_nodes_do_not_need_much_memory(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Posteriors of thousands of patterns on thousands of nodes are taken a few patterns at a time: same numbers."""
    instrument = random_instrument(rng, 5)
    responses = random_answers(rng, instrument, 50, missing=0.2)
    whole = score(instrument, responses)
    monkeypatch.setattr(eap, "_CELLS", 200)
    pd.testing.assert_frame_equal(score(instrument, responses), whole)
