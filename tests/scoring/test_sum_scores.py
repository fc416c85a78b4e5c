"""Sum-score EAP against R mirt and against all patterns one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from psyirt.errors import InputError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.abilities import score
from psyirt.scoring.sum_scores import sum_score_table
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import scoring as twin
from tests.scoring.instruments import Instrument, answers, as_items, random_instrument
from tests.small_data import simulated

# R mirt 1.47, fscores(method = "EAPsum"), LSAT7, 2PL: theta, SE, expected subjects
LSAT7 = """
-1.86978355939917  0.692699891330037 10.089857058496
-1.43186461296683  0.683865600878069 44.6589927651576
-0.94885394354316  0.694228534010802 109.773000855957
-0.413196408922294 0.721095852262087 207.738272795244
 0.151732864644518 0.758771703538253 319.185961263927
 0.727184851504628 0.800932062368089 308.553915261219
"""


def test_equal_to_mirt() -> None:
    """A recursion that is off by one score, or a prior left out."""
    table = sum_score_table(lsat_calibration(7, LSAT7_2PL))
    expected = np.array([[float(word) for word in line.split()] for line in LSAT7.split("\n")[1:-1]])
    np.testing.assert_allclose(table[["theta", "se", "expected"]], expected, rtol=1e-10)
    assert table["observed"].tolist() == [12, 40, 114, 205, 321, 308]
    assert table.index.name == "score"


def test_equal_to_all_patterns_one_by_one(rng: np.random.Generator) -> None:
    """Percentiles and ranks too, with asymptotes and a population of its own."""
    base = random_instrument(rng, 5, 0.2, 0.95)
    instrument = Instrument(base.item_parameters, NormalPopulation(0.4, 1.7), Grid(161, -10.0, 10.0))
    table = sum_score_table(instrument)
    nodes = instrument.grid.nodes[:, 0]
    mean, sd = 0.4, math.sqrt(1.7)
    density = np.array([twin.normal_density(x, mean, sd) for x in nodes])
    below = np.array([0.5 * math.erfc(-(x - mean) / sd / math.sqrt(2.0)) for x in nodes])
    items = as_items(base.item_parameters)
    likelihood = np.zeros((6, len(nodes)))
    for pattern in itertools.product((0, 1), repeat=5):
        likelihood[sum(pattern)] += [math.exp(twin.log_likelihood(items, pattern, x)) for x in nodes]
    weights = likelihood * density / density.sum()
    share = weights.sum(1)
    theta = weights @ nodes / share
    np.testing.assert_allclose(table["theta"], theta, rtol=1e-9)
    np.testing.assert_allclose(table["se"], np.sqrt(weights @ nodes**2 / share - theta**2), rtol=1e-9)
    np.testing.assert_allclose(table["percentile"], 100 * (weights @ below) / share, rtol=1e-9)
    np.testing.assert_allclose(table["rank"], 100 * (np.cumsum(share) - share / 2), rtol=1e-9)
    assert table["expected_share"].sum() == pytest.approx(1.0)


def test_rasch_sum_scores_are_pattern_scores() -> None:
    """Under the Rasch model the number right says all: any difference is an error of one of the two."""
    names = [f"q{k}" for k in range(6)]
    rasch = Instrument(ItemParameters(names, np.ones(6), np.linspace(-1.0, 1.0, 6)))
    table = sum_score_table(rasch)
    found = score(rasch, answers("000000", "010010", "111111", names=tuple(names)))
    np.testing.assert_allclose(table["theta"].iloc[[0, 2, 6]], found["theta"], rtol=1e-7)
    np.testing.assert_allclose(table["se"].iloc[[0, 2, 6]], found["se"], rtol=1e-7)


def test_many_items_need_close_nodes() -> None:
    """On 61 nodes every score of a long test would land on a node, with a standard error of 0."""
    items = 400
    long = Instrument(
        ItemParameters([f"q{k}" for k in range(items)], np.full(items, 1.5), np.linspace(-2.0, 2.0, items))
    )
    table = sum_score_table(long)
    middle = table.loc[150:250]
    assert (np.diff(middle["theta"]) > 0).all()
    assert middle["se"].between(0.06, 0.12).all()


def test_scores_without_probability_say_so() -> None:
    """The chance of 0 right of 300 easy items is below the smallest number: no theta, and a note."""
    items = 300
    easy = Instrument(ItemParameters([f"q{k}" for k in range(items)], np.full(items, 0.1), np.full(items, 6.0)))
    table = sum_score_table(easy)
    assert np.isnan(table.loc[0, "theta"])
    assert "no probability" in table.loc[0, "note"]
    assert (table["note"][table["theta"].notna()] == "").all()


def test_what_it_is_not_for() -> None:
    """Numbers right of unequal items are not observed scores; several abilities have no one score."""
    assert "observed" not in sum_score_table(calibration_of(simulated(40, 6, seed=1, missing=0.2)))
    with pytest.raises(InputError, match="2 abilities"):
        sum_score_table(Instrument(ItemParameters(("x",), [[1.0, 1.0]], [0.0])))
