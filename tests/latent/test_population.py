"""Quadrature grid and normal population."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import InputError
from psyirt.latent.population import Grid, NormalPopulation
from tests.reference.marginal_likelihood import node_weights


def test_the_default_grid_is_the_fields() -> None:
    """Reference values hold for 61 nodes on [-6, 6]; another default would shift every log-likelihood."""
    grid = Grid()
    assert grid.nodes.shape == (61, 1)
    assert (grid.nodes[0, 0], grid.nodes[-1, 0]) == (-6.0, 6.0)
    assert grid.spacing == pytest.approx(0.2)


@pytest.mark.parametrize(
    "bad", [{"count": 2}, {"low": 1.0, "high": 1.0}, {"low": float("nan")}, {"high": float("inf")}, {"high": 1e308}]
)
def test_a_grid_that_carries_no_integral_is_refused(bad: dict[str, float]) -> None:
    """NaN nodes would give NaN estimates that look like a failed fit."""
    with pytest.raises(InputError):
        Grid(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [(0.0, 0.0), (0.0, -1.0), (0.0, float("inf")), (float("nan"), 1.0)])
def test_moments_no_density_has_are_refused(bad: tuple[float, float]) -> None:
    """An infinite variance gives uniform weights without a word."""
    with pytest.raises(InputError, match="latent population"):
        NormalPopulation(*bad)


@pytest.mark.parametrize("variance", [0.04, 1.0, 3.0, 25.0])
def test_weights_are_the_renormalised_density(variance: float) -> None:
    """Weights that do not sum to 1 shift the log-likelihood by a constant per subject."""
    grid = Grid()
    weights = np.exp(NormalPopulation(0.0, variance).log_weights(grid))
    assert weights.sum() == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(weights, node_weights(grid.nodes[:, 0], variance), rtol=1e-11, atol=0)


@pytest.mark.parametrize("mean", [0.0, -2.5])
@pytest.mark.parametrize("variance", [0.3, 1.0, 6.0])
def test_moment_scores_are_the_derivatives_of_the_log_weights(mean: float, variance: float) -> None:
    """A wrong second derivative shows nowhere but in the standard error of a free mean or variance."""
    grid, h = Grid(), 1e-4

    def at(i: int, j: int) -> np.ndarray:
        return NormalPopulation(mean + i * h, variance + j * h).log_weights(grid)

    first, second = NormalPopulation(mean, variance).moment_scores(grid, ("mean", "variance"))
    np.testing.assert_allclose(first[0], (at(1, 0) - at(-1, 0)) / (2 * h), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(first[1], (at(0, 1) - at(0, -1)) / (2 * h), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second[0, 0], (at(1, 0) - 2 * at(0, 0) + at(-1, 0)) / h**2, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(second[1, 1], (at(0, 1) - 2 * at(0, 0) + at(0, -1)) / h**2, rtol=1e-4, atol=1e-4)
    mixed = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h**2)
    np.testing.assert_allclose(second[0, 1], mixed, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(second[0, 1], second[1, 0])


def test_moment_scores_come_in_the_order_asked_for() -> None:
    """The variance's slope in the mean's place would send EM away from the maximum."""
    grid, population = Grid(), NormalPopulation(0.5, 2.0)
    first, second = population.moment_scores(grid, ("mean", "variance"))
    for k, name in enumerate(("mean", "variance")):
        one, bend = population.moment_scores(grid, (name,))
        np.testing.assert_array_equal(one[0], first[k])
        np.testing.assert_array_equal(bend[0, 0], second[k, k])
    none, no_bend = population.moment_scores(grid, ())
    assert (none.shape, no_bend.shape) == ((0, grid.count), (0, 0, grid.count))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Grid(61, "a", 6),
        lambda: Grid(61, -6, None),
        lambda: Grid(61.0),
        lambda: Grid(True),
        lambda: NormalPopulation("a"),
        lambda: NormalPopulation(0.0, "a"),
    ],
)
def test_what_is_no_number_is_refused_in_one_line(make) -> None:
    """A TypeError from inside numpy names neither the grid nor the argument."""
    with pytest.raises(InputError, match=r" is a (str|NoneType|float|bool)\. Give "):
        make()


def test_numpys_numbers_are_numbers() -> None:
    """A count that comes out of an array must not be refused for its type."""
    assert Grid(np.int64(5), np.float64(-1.0), np.float32(1.0)).spacing == 0.5
