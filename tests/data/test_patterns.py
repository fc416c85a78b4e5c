"""Collapsing repeated response patterns."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data import patterns as module
from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from tests.small_data import simulated

CODES = np.array([[1, 0, -1], [0, 0, 1], [1, 0, -1], [1, 0, 0], [0, 0, 1], [1, 0, -1]])


def test_collapsed_patterns_hold_every_subject() -> None:
    """A subject lost, or missing taken for wrong, in the collapse is lost to everything after it."""
    found = collapse(Responses.from_array(CODES), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    assert len(found.codes) == 3
    np.testing.assert_array_equal(found.codes[found.index], CODES)
    assert found.total == 21.0
    by_pattern = {tuple(code): weight for code, weight in zip(found.codes.tolist(), found.weights, strict=True)}
    assert by_pattern == {(1, 0, -1): 10.0, (0, 0, 1): 7.0, (1, 0, 0): 4.0}


def test_row_order_does_not_reach_the_patterns() -> None:
    """Results that depend on the order of rows are not results about the data."""
    codes = simulated(200, 5, seed=2, missing=0.1)
    shuffled = np.random.default_rng(0).permutation(200)
    one, other = collapse(Responses.from_array(codes)), collapse(Responses.from_array(codes[shuffled]))
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.index[shuffled], other.index)


def test_rows_that_hardly_repeat_are_not_sorted() -> None:
    """Sorting a million rows costs more than the fit."""
    codes = np.random.default_rng(0).integers(0, 2, (500, 40))
    codes[::50] = codes[0]
    found = collapse(Responses.from_array(codes))
    np.testing.assert_array_equal(found.codes, codes)


def test_uncollapsed_patterns_keep_one_row_per_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    """The uncollapsed form must be as valid as the collapsed one."""
    monkeypatch.setattr(module, "_REPEATED", 1.0)
    found = collapse(Responses.from_array(CODES))
    np.testing.assert_array_equal(found.codes, CODES)
    np.testing.assert_array_equal(found.index, np.arange(6))


@pytest.mark.parametrize("weights", [np.ones(5), np.ones((6, 1)), np.array([1, 1, 1, 1, 1, 0]), np.full(6, np.nan)])
def test_weights_that_fit_nobody_are_refused(weights: np.ndarray) -> None:
    """A zero weight is a removal that no output mentions; a NaN weight is a NaN fit."""
    with pytest.raises(InputError, match="weight"):
        collapse(Responses.from_array(CODES), weights)


def test_no_subjects_give_no_patterns() -> None:
    """An empty selection is an empty result, not an error in np.unique."""
    found = collapse(Responses.from_array(np.empty((0, 3))))
    assert found.codes.shape == (0, 3)
    assert found.total == 0.0
