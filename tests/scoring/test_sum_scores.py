"""Score distributions against writing out every pattern."""

from __future__ import annotations

import numpy as np

from psyirt.latent.population import NormalPopulation
from psyirt.scoring.abilities import score
from psyirt.scoring.sum_scores import score_distribution, sum_score_table
from tests.reference import scoring as twin
from tests.scoring.instruments import LSAT6_RASCH, Instrument, answers, random_instrument


def test_score_distribution_is_the_twins(rng: np.random.Generator) -> None:
    """A recursion that overwrites what it still has to read, or mixes nodes."""
    correct = rng.uniform(0, 1, (7, 4))
    correct[2, 1], correct[3, 2] = 0.0, 1.0
    found = score_distribution(correct)
    assert found.shape == (8, 4)
    for node in range(4):
        np.testing.assert_allclose(found[:, node], twin.score_distribution(list(correct[:, node])), atol=1e-15)


def test_score_distribution_keeps_its_mass_over_many_items() -> None:
    """Rounding that piles up: relative accuracy in the far tail, against the binomial's own."""
    found = score_distribution(np.full((2000, 1), 0.3))[:, 0]
    assert abs(found.sum() - 1.0) < 1e-12
    assert abs(found[0] / 0.7**2000 - 1.0) < 1e-10
    assert abs(found @ np.arange(2001) - 600.0) < 1e-8
    easy = score_distribution(np.full((70, 1), 0.9999))[:, 0]
    assert abs(easy[0] / (1.0 - 0.9999) ** 70 - 1.0) < 1e-12


def test_rasch_sum_scores_are_eap_scores() -> None:
    """For the Rasch model the sum is sufficient, so both tables must agree."""
    table = sum_score_table(LSAT6_RASCH)
    patterns = ["00000", "10000", "11000", "11100", "11110", "11111"]
    np.testing.assert_allclose(table[["theta", "se"]], score(LSAT6_RASCH, answers(*patterns)), atol=1e-10)
    assert abs(table["expected"].sum() - 1.0) < 1e-12


def test_sum_scores_of_a_long_test_are_not_nodes(rng: np.random.Generator) -> None:
    """With 600 items posteriors are narrower than the grid's spacing: SEs would collapse to 0."""
    instrument = random_instrument(rng, 600)
    table = sum_score_table(Instrument(instrument.item_parameters, NormalPopulation()))
    middle = table.iloc[200:400]
    assert middle["se"].between(0.05, 0.12).all()
    assert np.all(np.diff(middle["theta"]) > 0.001)
