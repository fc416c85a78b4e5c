"""Abilities: matching items by name, missing responses, and what each method must satisfy."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.abilities import METHODS, estimate_abilities, score
from tests.scoring.instruments import LSAT6_2PL, LSAT6_RASCH, Instrument, answers, random_answers, random_instrument


@pytest.mark.parametrize("method", tuple(METHODS))
def test_items_are_matched_by_name(rng: np.random.Generator, method: str) -> None:
    """A file with its columns in another order would be scored with other items' parameters."""
    instrument = random_instrument(rng, 7, lower=0.1)
    responses = random_answers(rng, instrument, 40, missing=0.2)
    shuffled = responses.select(items=[responses.item_names[k] for k in rng.permutation(7)])
    np.testing.assert_array_equal(score(instrument, shuffled, method), score(instrument, responses, method))


@pytest.mark.parametrize("method", tuple(METHODS))
def test_a_missing_item_is_no_item(rng: np.random.Generator, method: str) -> None:
    """Missing taken for wrong; or an absent column treated otherwise than an empty one."""
    instrument = random_instrument(rng, 6, upper=0.95)
    table = random_answers(rng, instrument, 30).to_frame()
    table["q2"] = np.nan
    empty, absent = Responses.from_frame(table), Responses.from_frame(table.drop(columns="q2"))
    without = Instrument(instrument.item_parameters.select([f"q{k}" for k in (0, 1, 3, 4, 5)]))
    expected = score(without, absent, method)
    np.testing.assert_array_equal(score(instrument, absent, method), expected)
    np.testing.assert_allclose(score(instrument, empty, method), expected, atol=1e-9)


@pytest.mark.parametrize("method", tuple(METHODS))
def test_subjects_keep_their_order(rng: np.random.Generator, method: str) -> None:
    """Scores spread from distinct patterns to the wrong subjects."""
    instrument = random_instrument(rng, 3)
    responses = random_answers(rng, instrument, 50)
    together = score(instrument, responses, method)
    assert list(together.index) == list(responses.subject_names)
    assert together.index.name == "subject"
    for name in responses.subject_names[::7]:
        alone = score(instrument, responses.select(subjects=[name]), method)
        np.testing.assert_allclose(alone, together.loc[[name]], atol=1e-12)


def test_unknown_items_are_named() -> None:
    """An item without parameters silently dropped from the score."""
    names = ("i1", *(f"new{k}" for k in range(7)))
    with pytest.raises(InputError, match=r"7 of 8 items have no parameters: 'new0', .*'new4' and 2 more"):
        score(LSAT6_2PL, answers("11111111", names=names))


def test_unknown_method_is_refused() -> None:
    """A misspelt method silently scored by the default."""
    with pytest.raises(InputError, match="WLE"):
        score(LSAT6_2PL, answers("11111"), "WLW")
    assert score(LSAT6_2PL, answers("11111"), "wle").equals(score(LSAT6_2PL, answers("11111"), "WLE"))


def test_several_dimensions_are_refused() -> None:
    """A model of two abilities scored as if it had one."""
    parameters = ItemParameters(("x", "y"), np.ones((2, 2)), [0.0, 0.0])
    with pytest.raises(InputError, match="2 abilities"):
        estimate_abilities(parameters, NormalPopulation(), Grid(), answers("11", names=("x", "y")))


@pytest.mark.parametrize("population", [NormalPopulation(), NormalPopulation(0.7, 6.25)])
def test_no_responses_leave_the_population(population: NormalPopulation) -> None:
    """A subject who answered nothing scored 0 on a scale whose mean is not 0; or given an ML estimate."""
    instrument = Instrument(LSAT6_2PL.item_parameters, population)
    for responses in (answers("....."), Responses.from_array(np.empty((1, 0)), item_names=[])):
        for method in ("EAP", "MAP"):
            np.testing.assert_allclose(
                score(instrument, responses, method), [[population.mean, population.sd]], atol=1e-12
            )
        for method in ("ML", "WLE"):
            assert score(instrument, responses, method).isna().all(axis=None)


def test_no_subjects_no_scores() -> None:
    """An empty file of predictions must give an empty table, not an error from deep inside."""
    responses = Responses.from_array(np.empty((0, 5)), item_names=LSAT6_2PL.item_parameters.item_names)
    for method in METHODS:
        assert score(LSAT6_2PL, responses, method).shape == (0, 2)


@pytest.mark.parametrize("method", tuple(METHODS))
def test_shifting_the_scale_shifts_the_scores(rng: np.random.Generator, method: str) -> None:
    """A method with 0 and 1 built in, where it should use the population's mean and spread."""
    instrument = random_instrument(rng, 8, lower=0.15)
    old, grid = instrument.item_parameters, Grid(241, -12.0, 12.0)
    shift, unit = 3.0, 2.5
    slopes = old.slopes[:, 0] / unit
    moved = ItemParameters(old.item_names, slopes, old.intercepts - slopes * shift, old.lower)
    responses = random_answers(rng, instrument, 60, missing=0.1)
    before = estimate_abilities(old, NormalPopulation(), grid, responses, method)
    wide = Grid(241, shift - 12.0 * unit, shift + 12.0 * unit)
    after = estimate_abilities(moved, NormalPopulation(shift, unit**2), wide, responses, method)
    np.testing.assert_allclose(after["theta"], shift + unit * before["theta"], atol=1e-8)
    np.testing.assert_allclose(after["se"], unit * before["se"], rtol=1e-6)


@pytest.mark.parametrize("method", tuple(METHODS))
def test_rasch_scores_depend_on_the_number_correct(method: str) -> None:
    """The Rasch model's sufficient statistic: equal sums, equal scores; more correct, higher score."""
    patterns = [f"{k:05b}" for k in range(32)]
    scores = score(LSAT6_RASCH, answers(*patterns), method)["theta"].to_numpy()
    sums = np.array([pattern.count("1") for pattern in patterns])
    levels = []
    for value in range(6):
        same = scores[sums == value]
        np.testing.assert_allclose(same, same[0], atol=1e-10)
        levels.append(same[0])
    assert np.all(np.diff(levels) > 0.1)
