"""simulate_responses: the truth that recovery studies and tests compare estimates with."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from psyirt.models.parameters import ItemParameters
from psyirt.models.registry import ITEM_TYPES
from psyirt.simulation import graded
from psyirt.simulation.graded import simulate_responses

FOUR = ItemParameters(
    ["w", "x", "y", "z"], [1.0, 2.0, 0.5, 1.5], [0.0, 1.0, -1.0, -0.5], [0, 0.2, 0, 0.1], [1, 1, 0.9, 0.8]
)


def test_same_seed_same_bits_other_seed_other() -> None:
    """A simulation that cannot be repeated is no evidence; one that ignores its seed is one sample for ever."""
    first, again, other = (simulate_responses(300, 20, "4PL", seed=seed, missing=0.2) for seed in (7, 7, 8))
    assert first.responses.digest == again.responses.digest
    pd.testing.assert_frame_equal(first.items, again.items, check_exact=True)
    pd.testing.assert_series_equal(first.theta, again.theta, check_exact=True)
    assert first.responses.digest != other.responses.digest
    assert not np.isclose(first.theta, other.theta).any()


@pytest.mark.parametrize("seed", [None, -1, 1.5, True, "1"])
def test_seed_is_explicit(seed: object) -> None:
    """A seed of None would silently make the study unrepeatable."""
    with pytest.raises(InputError, match="seed is"):
        simulate_responses(10, 5, seed=seed)  # type: ignore[arg-type]


def test_proportions_follow_the_model() -> None:
    """A slip in the formula (asymptotes, sign of the intercept) would make every recovery study judge wrongly."""
    subjects = 40_000
    for theta in (-1.5, 0.0, 2.0):
        right = simulate_responses(items=FOUR, theta=np.full(subjects, theta), seed=3).responses.codes.mean(axis=0)
        for j in range(4):
            z = FOUR.slopes[j, 0] * theta + FOUR.intercepts[j]
            p = FOUR.lower[j] + (FOUR.upper[j] - FOUR.lower[j]) / (1 + math.exp(-z))
            assert abs(right[j] - p) < 4 * math.sqrt(p * (1 - p) / subjects)


def test_answers_are_independent_given_theta() -> None:
    """Answers that share random numbers would be locally dependent, and LD statistics would be blamed."""
    codes = simulate_responses(items=FOUR, theta=np.zeros(20_000), seed=5).responses.codes
    off = np.corrcoef(codes.T)[np.triu_indices(4, 1)]
    assert np.abs(off).max() < 4 / math.sqrt(20_000)


def test_default_abilities_are_standard_normal() -> None:
    """Another variance would put every slope on another scale."""
    theta = simulate_responses(50_000, 2, seed=11).theta
    assert abs(theta.mean()) < 4 / math.sqrt(50_000)
    assert abs(theta.var() - 1) < 4 * math.sqrt(2 / 50_000)


def test_blocks_do_not_change_the_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large studies are drawn in blocks: the same seed must not depend on how memory was cut."""
    whole = simulate_responses(101, 7, seed=2).responses.digest
    monkeypatch.setattr(graded, "_CELLS_AT_ONCE", 50)
    assert simulate_responses(101, 7, seed=2).responses.digest == whole


@pytest.mark.parametrize("name", list(ITEM_TYPES))
def test_drawn_items_are_of_their_type(name: str) -> None:
    """Items drawn outside the model would make its recovery look biased."""
    kind = ITEM_TYPES[name]
    study = simulate_responses(5, 200, name, seed=4)
    for slot in ("a", "intercept", "c", "d"):
        values = study.items[slot].to_numpy()
        how = kind.slot(slot)
        if how.state == "fixed":
            assert (values == how.value).all()
        else:
            assert len(np.unique(values)) == (1 if how.state == "shared" else 200)
    again = simulate_responses(5, study.item_parameters, name, seed=4)
    pd.testing.assert_frame_equal(again.items, study.items)


def test_items_are_drawn_from_the_stated_distributions() -> None:
    """The recovery page names these distributions: others would make its design another one."""
    items = simulate_responses(1, 20_000, "4PL", seed=9).items
    for values, mean, sd in ((np.log(items["a"]), 0.2, 0.3), (items["b"], 0.0, 1.0)):
        assert abs(values.mean() - mean) < 4 * sd / math.sqrt(20_000)
        assert abs(values.std() - sd) < 4 * sd / math.sqrt(2 * 20_000)
    assert abs(np.corrcoef(np.log(items["a"]), items["b"])[0, 1]) < 4 / math.sqrt(20_000)
    for values, low, high in ((items["c"], 0.1, 0.3), (items["d"], 0.8, 0.98)):
        assert values.between(low, high).all()
        assert abs(values.mean() - (low + high) / 2) < 4 * (high - low) / math.sqrt(12 * 20_000)


def test_given_parameters_that_contradict_the_model_are_refused() -> None:
    """Naming a model that the parameters do not follow must not be ignored."""
    with pytest.raises(InputError, match=r"item 'x': c = 0.2, but the 2PL model has c = 0"):
        simulate_responses(10, FOUR, "2PL", seed=1)
    with pytest.raises(InputError, match=r"item 'x': a = 2, but the 1PL model has a = 1"):
        simulate_responses(10, FOUR, "1PL", seed=1)


def test_table_of_parameters_is_taken_as_it_is() -> None:
    """A table read in the wrong order or with b for intercept would give other items than the user's."""
    table = pd.DataFrame({"b": [-1.0, 0.5], "a": [2.0, 1.0]}, index=["p", "q"])
    study = simulate_responses(10, table, seed=1)
    assert study.responses.item_names == ("p", "q")
    assert study.items.loc["p", "intercept"] == 2.0
    assert study.items["b"].tolist() == [-1.0, 0.5]


def test_subjects_named_by_theta() -> None:
    """Abilities of one subject under another's name would make every comparison with the truth wrong."""
    theta = pd.Series([-9.0, 9.0], index=["low", "high"])
    study = simulate_responses(items=5, theta=theta, seed=1)
    assert study.responses.subject_names == ("low", "high")
    assert study.responses.to_frame().loc["low"].sum() < study.responses.to_frame().loc["high"].sum()
    assert study.theta["high"] == 9.0


def test_missing_share_hides_and_changes_nothing() -> None:
    """Missing at random must be at random: a share that depends on the answer would bias every fit."""
    full, holed = (simulate_responses(2000, 25, seed=6, missing=share).responses for share in (0.0, 0.3))
    hidden = holed.codes == -1
    assert abs(hidden.mean() - 0.3) < 4 * math.sqrt(0.21 / hidden.size)
    assert (full.codes[~hidden] == holed.codes[~hidden]).all()
    right = full.codes == 1
    spread = math.sqrt(0.21 / right.sum() + 0.21 / (~right).sum())
    assert abs(hidden[right].mean() - hidden[~right].mean()) < 4 * spread


def test_booklets_link_all_items() -> None:
    """Blocks without overlap would leave scales that only the population assumption links."""
    full, cut = (simulate_responses(90, 31, seed=6, booklets=count).responses for count in (None, 5))
    given = cut.codes >= 0
    assert (full.codes[given] == cut.codes[given]).all()
    assert set(given.sum(axis=1)) == {12, 13}
    assert (given.sum(axis=0) == 36).all()
    blocks = [np.flatnonzero(given[k] & given[(k - 1) % 5]) for k in range(5)]
    assert np.concatenate(blocks).tolist() == list(range(31))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subjects": 0}, "subjects is 0"),
        ({"items": 0}, "items is 0"),
        ({"items": 2.0}, "items is 2.0"),
        ({"items": FOUR.select([])}, "0 items"),
        ({"items": ItemParameters(["p"], [[1.0, 2.0]], [0.0])}, "measure 2 abilities"),
        ({"model": "5PL"}, "no model is called '5PL'"),
        ({"missing": 1.0}, "missing is 1.0"),
        ({"missing": float("nan")}, "missing is nan"),
        ({"booklets": 2}, "booklets is 2"),
        ({"booklets": 31}, "31 booklets of 30 items"),
        ({"subjects": 3, "theta": [0.0, 1.0]}, "2 abilities for 3 subjects"),
        ({"theta": [0.0, np.inf]}, "finite"),
        ({"theta": [[0.0], [1.0]]}, "finite number for each"),
    ],
)
def test_bad_options_are_refused_in_one_line(options: dict[str, object], message: str) -> None:
    """A number out of range must not quietly become another study."""
    with pytest.raises(InputError, match=message) as caught:
        simulate_responses(**options, seed=1)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"model": 3}, "no model is called 3"), ({"theta": ["able"]}, "an ability is not a number")],
)
def test_arguments_of_another_type_are_refused_in_one_line(arguments, message) -> None:
    """An AttributeError from inside does not say which argument was wrong."""
    with pytest.raises(InputError, match=message):
        simulate_responses(seed=1, **arguments)
