"""Item parameters as given and as kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from psyirt.models.parameters import ItemParameters


def frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns, index=["q1", "q2"])


def test_difficulty_and_intercept_are_two_views_of_one_number() -> None:
    """A sign error in b = -intercept / a reverses the difficulty order of a whole bank."""
    by_b = ItemParameters.from_frame(frame(a=[2.0, 0.5], b=[1.0, -3.0]))
    by_intercept = ItemParameters.from_frame(frame(a=[2.0, 0.5], intercept=[-2.0, 1.5]))
    np.testing.assert_array_equal(by_b.intercepts, by_intercept.intercepts)
    np.testing.assert_array_equal(by_b.difficulties, [1.0, -3.0])
    assert len(by_b) == 2


def test_a_flat_item_has_no_difficulty() -> None:
    """0 / 0 must not pass for an item of average difficulty."""
    parameters = ItemParameters(["q1", "q2"], [0.0, 0.0], [1.0, 0.0])
    assert np.isinf(parameters.difficulties[0])
    assert np.isnan(parameters.difficulties[1])
    table = frame(a=[0.0, 0.0], b=list(parameters.difficulties), intercept=[1.0, 0.0])
    np.testing.assert_array_equal(ItemParameters.from_frame(table).intercepts, [1.0, 0.0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"b": [0.0, 1.0]}, "no column 'a'"),
        ({"a": [1.0, 1.0]}, "neither"),
        ({"a": [1.0, 1.0], "b": [0.0, 1.0], "intercept": [0.0, 1.0]}, "disagree"),
        ({"a": [1.0, np.nan], "b": [0.0, 1.0]}, "'q2': slopes are not finite"),
        ({"a": [1.0, 1.0], "b": [0.0, 1.0], "c": [0.2, 1.2]}, "'q2': asymptotes"),
        ({"a": [1.0, 1.0], "b": [0.0, 1.0], "c": [0.5, 0.2], "d": [0.5, 1.0]}, "'q1': asymptotes"),
        ({"a": [1.0, 1.0], "b": [0.0, 1.0], "g": [0.2, 0.2]}, "R mirt"),
        ({"a1": [1.0, 1.0], "a2": [1.0, 1.0], "b": [0.0, 1.0]}, "one dimension"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(columns: dict[str, list[float]], message: str) -> None:
    """A guessing column under another program's name, silently ignored, changes every score."""
    with pytest.raises(InputError, match=message):
        ItemParameters.from_frame(frame(**columns))


def test_ten_slopes_keep_their_order() -> None:
    """Sorted as text, a10 comes before a2."""
    table = pd.DataFrame({f"a{k}": [float(k)] for k in range(1, 12)} | {"intercept": [0.0]}, index=["q1"])
    np.testing.assert_array_equal(ItemParameters.from_frame(table).slopes[0], np.arange(1.0, 12.0))


def test_parameters_are_frozen() -> None:
    """A bank whose numbers can be changed in place scores two systems on two scales."""
    slopes = np.array([1.0, 2.0])
    parameters = ItemParameters(["q1", "q2"], slopes, [0.0, 0.0])
    slopes[0] = 9.0
    assert parameters.slopes[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        parameters.slopes[0, 0] = 9.0


@pytest.mark.parametrize(
    "bad", [(["q1", "q1"], [1.0, 1.0], [0.0, 0.0]), (["q1", "q2"], [1.0], [0.0, 0.0]), (["q1"], [1.0], [0.0, 0.0])]
)
def test_names_and_lengths_must_match(bad: tuple[list[str], list[float], list[float]]) -> None:
    """Parameters that slip by one item are wrong for all of them."""
    with pytest.raises(InputError):
        ItemParameters(*bad)


def test_select_reorders_and_names_what_it_does_not_know() -> None:
    """Items in another order must take their parameters with them."""
    parameters = ItemParameters(["q1", "q2"], [1.0, 2.0], [0.1, 0.2], [0.0, 0.3], [0.9, 1.0])
    swapped = parameters.select(["q2", "q1"])
    assert swapped.item_names == ("q2", "q1")
    for what in ("slopes", "intercepts", "lower", "upper"):
        np.testing.assert_array_equal(getattr(swapped, what), getattr(parameters, what)[::-1])
    with pytest.raises(InputError, match="'q9'"):
        parameters.select(["q1", "q9"])


def test_difficulty_exists_in_one_dimension_only() -> None:
    """-intercept / a1 of a two-dimensional item is no difficulty."""
    with pytest.raises(InputError, match="one dimension"):
        _ = ItemParameters(["q1"], [[1.0, 0.5]], [0.0]).difficulties


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ItemParameters.from_frame([1.0, 2.0]), "the parameters are a list"),
        (lambda: ItemParameters.from_frame(pd.DataFrame({"a": ["steep"], "b": [0.0]})), "column 'a' holds"),
        (lambda: ItemParameters.from_frame(pd.DataFrame({"a": [1.0], "b": ["hard"]})), "column 'b' holds"),
        (lambda: ItemParameters.from_frame(pd.DataFrame({"a": [1.0], "b": [0.0], "c": ["?"]})), "column 'c' holds"),
        (lambda: ItemParameters(["q1"], ["steep"], [0.0]), "slopes hold"),
        (lambda: ItemParameters(["q1", "q2"], [1.0, 1.0], [0.0, 0.0], [0.1, 0.1, 0.1]), "3 lower for 2 items"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(make: Callable[[], ItemParameters], message: str) -> None:
    """A word in a column of a published table must be found by its column's name."""
    with pytest.raises(InputError, match=message):
        make()


def test_parameters_know_the_model_they_belong_to() -> None:
    """A model of another dimension would read an intercept as a slope."""
    one, two = ItemParameters(["q1"], [1.0], [0.0]), ItemParameters(["q1"], [[1.0, 0.5]], [0.0])
    for parameters in (one, two):
        assert parameters.model.dimensions == parameters.dimensions
        assert len(parameters.model.slots) == parameters.values.shape[1]
