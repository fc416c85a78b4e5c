"""Information and reliability."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import InputError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.information import (
    characteristic_curve,
    empirical_reliability,
    information,
    item_information,
    marginal_reliability,
)
from tests.reference import scoring as twin
from tests.scoring.instruments import LSAT6_2PL, LSAT6_RASCH, Instrument, as_items, random_instrument


def test_item_information_is_the_twins(rng: np.random.Generator) -> None:
    """An asymptote left out of the information; rows and columns exchanged."""
    instrument = random_instrument(rng, 4, 0.2, 0.9)
    thetas = [-3.0, -0.4, 1.7]
    found = item_information(instrument.item_parameters, thetas)
    assert found.index.name == "theta"
    for item, name in zip(as_items(instrument.item_parameters), instrument.item_parameters.item_names, strict=True):
        np.testing.assert_allclose(found[name], [twin.information(item, x) for x in thetas], rtol=1e-6)
    total = information(instrument, thetas)
    np.testing.assert_allclose(total["information"], found.sum(axis=1), rtol=1e-14)
    np.testing.assert_allclose(total["se"], 1.0 / np.sqrt(found.sum(axis=1)), rtol=1e-14)


def test_no_information_is_an_infinite_error() -> None:
    """An SE of 0 or a crash where the items say nothing."""
    flat = Instrument(ItemParameters(("x",), [0.0], [0.5]))
    table = information(flat)
    assert len(table) == flat.grid.count
    assert (table["information"] == 0).all()
    assert np.isinf(table["se"]).all()


def test_reliability_does_not_depend_on_the_unit() -> None:
    """A Rasch model and the 1PL it equals are one model: a formula with variance 1 built in gives them two values."""
    rasch, sd = LSAT6_RASCH.item_parameters, LSAT6_RASCH.population.sd
    one_pl = ItemParameters(rasch.item_names, np.full(5, sd), rasch.intercepts)
    expected = marginal_reliability(one_pl, NormalPopulation(), Grid(121, -8.0, 8.0))
    found = marginal_reliability(rasch, LSAT6_RASCH.population, Grid(121, -8.0 * sd, 8.0 * sd))
    assert found == pytest.approx(expected, abs=1e-12)


def test_empirical_reliability_by_hand() -> None:
    """Error variance taken from the mean SE in place of the mean squared SE."""
    assert empirical_reliability([0.0, 1.0, 2.0], [1.0, 2.0, 1.0]) == pytest.approx(1.0 / (1.0 + 2.0))


@pytest.mark.parametrize(
    ("theta", "se", "message"),
    [([0.0, np.inf], [1.0, np.nan], "1 of 2"), ([0.0], [1.0], "1 estimates"), ([0.0, 1.0], [1.0], "1 standard")],
)
def test_reliability_needs_finite_estimates(theta: list[float], se: list[float], message: str) -> None:
    """Infinite ML scores silently left out make a test look better than it is."""
    with pytest.raises(InputError, match=message):
        empirical_reliability(theta, se)


def test_bad_arguments_are_refused() -> None:
    """NaN abilities and two dimensions give numbers that look like results."""
    with pytest.raises(InputError, match="finite"):
        item_information(LSAT6_2PL.item_parameters, [0.0, np.nan])
    with pytest.raises(InputError, match="2 abilities"):
        item_information(ItemParameters(("x",), [[1.0, 1.0]], [0.0]), 0.0)


def test_characteristic_curve_is_the_expected_score(rng: np.random.Generator) -> None:
    """A curve that starts at 0 although guessing earns points."""
    instrument = random_instrument(rng, 5, 0.2)
    table = characteristic_curve(instrument, [-40.0, 0.3, 40.0], items=True)
    items = as_items(instrument.item_parameters)
    chances = [twin.probability(item, 0.3) for item in items]
    assert table["expected_score"].tolist() == pytest.approx([1.0, sum(chances), 5.0], abs=1e-6)
    assert table["share"].iloc[1] == pytest.approx(sum(chances) / 5)
    assert table["score_sd"].iloc[1] ** 2 == pytest.approx(sum(p * (1 - p) for p in chances))
    assert table.iloc[1, 3:].tolist() == pytest.approx(chances)
    assert len(characteristic_curve(instrument)) == instrument.grid.count


def test_items_beside_the_total() -> None:
    """Item columns that do not add up; an item that takes the place of the total."""
    table = information(LSAT6_2PL, [-1.0, 2.0], items=True)
    np.testing.assert_allclose(table.iloc[:, 2:].sum(axis=1), table["information"], rtol=1e-14)
    with pytest.raises(InputError, match="called 'se'"):
        information(Instrument(ItemParameters(("se",), [1.0], [0.5])), 0.0, items=True)
