"""Inverses of information matrices."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.results.inversion import invert


def positive(size: int) -> np.ndarray:
    """A positive definite matrix in very different units."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(size, size + 3)) * 10.0 ** rng.uniform(-3, 3, size)[:, None]
    return np.asarray(root @ root.T)


def test_the_inverse_is_the_inverse() -> None:
    """Both triangles of it, and exactly symmetric: a covariance is read from either side."""
    matrix = positive(7)
    inverse, carriers = invert(matrix)
    assert inverse is not None
    assert len(carriers) == 0
    units = np.sqrt(np.diag(matrix))
    np.testing.assert_allclose((inverse @ matrix) * units[:, None] / units, np.eye(7), atol=1e-9)
    np.testing.assert_array_equal(inverse, inverse.T)


@pytest.mark.parametrize("root", [-0.5, 0.0, 1e-17])
def test_a_direction_without_information_names_those_that_load_on_it(root: float) -> None:
    """Rounding may leave a singular matrix an inverse of enormous numbers."""
    direction = np.array([0.0, 0.6, 0.0, 0.8, 0.0])
    matrix = np.eye(5) + (root - 1.0) * np.outer(direction, direction)
    inverse, carriers = invert(matrix)
    assert inverse is None
    assert list(carriers) == [1, 3] if root == -0.5 else set(carriers) == {1, 3}


def test_a_diagonal_that_is_not_positive_names_its_owners() -> None:
    """Eigenvectors of a matrix that cannot be scaled would name others."""
    matrix = positive(4)
    matrix[2, 2] = -1.0
    matrix[0, 0] = np.nan
    inverse, carriers = invert(matrix)
    assert inverse is None
    assert {0, 2} <= set(carriers)


def test_no_parameters_have_an_empty_covariance() -> None:
    """Everything may stand at its boundary."""
    inverse, carriers = invert(np.zeros((0, 0)))
    assert inverse is not None
    assert inverse.shape == (0, 0)
    assert len(carriers) == 0
