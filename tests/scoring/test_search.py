"""The search for maxima, on functions whose maxima are known."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import EstimationError
from psyirt.scoring.search import Array, Rows, find_peaks, highest_peaks, mesh, polish


class Bumps:
    """Two bell curves per row: (centre, width, height) each."""

    def __init__(self, bumps: Array) -> None:
        self.bumps = bumps

    def _parts(self, theta: Array, rows: Rows) -> tuple[Array, Array]:
        centre, width, height = np.moveaxis(self.bumps[rows], -1, 0)
        z = (theta[:, None] - centre) / width
        bells = height * np.exp(-0.5 * z**2)
        return bells.sum(1), (-z / width * bells).sum(1)

    def at_nodes(self, nodes: Array) -> Array:
        return np.array([self._parts(nodes, np.full(len(nodes), r))[0] for r in range(len(self.bumps))])

    def value(self, theta: Array, rows: Rows) -> Array:
        return self._parts(theta, rows)[0]

    def slope(self, theta: Array, rows: Rows) -> Array:
        return self._parts(theta, rows)[1]


def test_the_higher_peak_wins_though_its_neighbours_are_lower() -> None:
    """Ranking peaks by the mesh point nearest to them: a peak between two points loses to one that a point hits."""
    points = np.linspace(-10, 10, 41)  # spacing 0.5
    bumps = np.array([[(-3.0, 0.8, 1.0), (4.25, 0.4, 1.05)], [(-3.25, 0.4, 1.0), (4.0, 0.8, 1.05)]])
    criterion = Bumps(bumps)
    scan = criterion.at_nodes(points)
    assert points[scan[0].argmax()] == -3.0
    np.testing.assert_allclose(highest_peaks(criterion, points), [4.25, 4.0], atol=1e-9)


def test_a_function_without_inner_maximum_has_none() -> None:
    """A rising function's last mesh point reported as its maximum."""

    class Line(Bumps):
        def at_nodes(self, nodes: Array) -> Array:
            return nodes[None, :]

    assert np.isnan(highest_peaks(Line(np.zeros((1, 2, 3))), np.linspace(-1, 1, 9))).all()


def test_polish_refuses_what_it_cannot_find() -> None:
    """A search that ends at its limit of steps and returns the last point as if it were found."""

    class NotANumber(Bumps):
        def slope(self, theta: Array, rows: Rows) -> Array:
            return np.full(len(theta), np.nan)

    criterion = NotANumber(np.array([[(0.0, 1.0, 1.0), (3.0, 1.0, 0.1)]]))
    points = np.linspace(-5, 5, 21)
    with pytest.raises(EstimationError, match="1 maxima not found"):
        polish(criterion, find_peaks(points, criterion.at_nodes(points)))


def test_mesh_is_fine_where_functions_bend() -> None:
    """A steep item far out missed between two points, or tails that the mesh does not reach."""
    centres, widths = np.array([-1.0, 30.0]), np.array([1.0, 0.05])
    points = mesh(centres, widths)
    gaps = np.diff(points)
    near = np.flatnonzero(np.abs(points[:-1] - 30.0) < 0.1)
    assert np.all(gaps[near] <= 0.025 + 1e-9)
    assert points[0] <= -41.0
    assert points[-1] >= 39.0
    assert len(points) < 500
