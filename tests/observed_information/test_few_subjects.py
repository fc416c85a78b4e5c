"""Blocks of the inverse without the matrix against the inverted matrix."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.latent.population import Grid
from psyirt.observed_information import few_subjects as module
from psyirt.observed_information.few_subjects import inverse_blocks
from psyirt.observed_information.louis import general_information
from psyirt.observed_information.point import FitPoint
from tests.observed_information.made import point


def long_test(kind: str = "2PL", missing: float = 0.1) -> FitPoint:
    """Thirty subjects and sixty items, information made positive by a ridge in the place of priors."""
    at = point((kind,) * 60, subjects=30, missing=missing, grid=Grid(121))
    vars(at)["priors"] = Ridge()
    return at


class Ridge:
    """A prior of curvature -30 on every parameter."""

    def curvature(self, x: np.ndarray) -> np.ndarray:
        """Minus 30 each."""
        return np.full(len(x), -30.0)


def every(at: FitPoint) -> np.ndarray:
    """All parameters are used."""
    return np.ones(at.layout.size, dtype=bool)


@pytest.mark.parametrize(("kind", "missing"), [("2PL", 0.0), ("2PL", 0.1), ("4PL", 0.1), ("Rasch", 0.0)])
def test_blocks_are_those_of_the_inverse(kind: str, missing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weighted subjects, missing answers, a latent variance, several blocks of items: nothing may be lost between."""
    at = long_test(kind, missing)
    inverse = np.linalg.inv(general_information(at) + 30.0 * np.eye(at.layout.size))
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 30_000)
    found = inverse_blocks(at, every(at))
    assert found is not None
    for j, places in enumerate(at.layout.index):
        free = places >= 0
        expected = inverse[np.ix_(places[free], places[free])]
        np.testing.assert_allclose(found.items[j][np.ix_(free, free)], expected, rtol=1e-4, atol=1e-5 * expected.max())
    if at.layout.free_moments:
        np.testing.assert_allclose(found.latent, inverse[-1:, -1:], rtol=1e-4)


def test_parameters_that_are_not_used_are_taken_as_known() -> None:
    """One at its boundary must drop out of its item's block and of the others'."""
    at = long_test()
    use = every(at)
    use[[3, 6, 7]] = False
    whole = general_information(at) + 30.0 * np.eye(at.layout.size)
    expected = np.linalg.inv(whole[np.ix_(use, use)])
    found = inverse_blocks(at, use)
    assert found is not None
    at_place = np.cumsum(use) - 1
    for position in (2, 4, 119):
        j, slot = divmod(position, 2)
        assert found.items[j, slot, slot] == pytest.approx(expected[at_place[position], at_place[position]], rel=1e-4)
    assert np.all(found.items[3] == 0.0)


def test_wide_posteriors_and_many_subjects_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few polynomials would pass for the whole; too many rows would fill the memory."""
    at = point(("2PL",) * 3, subjects=20, missing=0.0)
    assert inverse_blocks(at, every(at)) is None
    at = long_test()
    monkeypatch.setattr(module, "LARGEST", 29)
    assert inverse_blocks(at, every(at)) is None


def test_what_is_left_out_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one polynomial only, the measure must not say that one is enough."""
    at = long_test()
    monkeypatch.setattr(module, "_DEGREES", (1,))
    assert inverse_blocks(at, every(at)) is None


def test_an_item_that_the_sample_missed_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """One steep item among thousands needs more polynomials than its neighbours."""
    at = long_test(missing=0.0)
    at.x[at.layout.index[41, 0]] = 5.0
    monkeypatch.setattr(module, "_ITEMS_ASKED", 10)
    inverse = np.linalg.inv(general_information(at) + 30.0 * np.eye(at.layout.size))
    found = inverse_blocks(at, every(at))
    assert found is not None
    np.testing.assert_allclose(found.items[41, 0, 0], inverse[82, 82], rtol=1e-4)
    sampled = next(module._FewSubjects.with_enough_polynomials(at, every(at)))
    assert max(block.left_out for block in sampled.blocks()) > module._TOLERATED
    assert sampled.inverse() is None
