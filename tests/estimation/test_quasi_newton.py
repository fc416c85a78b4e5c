"""L-BFGS directions against the matrix form of the same updates."""

from __future__ import annotations

import numpy as np

from psyirt.estimation.quasi_newton import QuasiNewton


def bfgs_inverse(first: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The inverse updated pair by pair as a full matrix (Nocedal & Wright 2006, eq. 6.17)."""
    inverse = first.copy()
    for step, fall in pairs:
        share = 1.0 / (fall @ step)
        left = np.eye(len(step)) - share * np.outer(step, fall)
        inverse = left @ inverse @ left.T + share * np.outer(step, step)
    return inverse


def test_the_direction_is_the_full_matrix_form() -> None:
    """A slip in the recursion still points uphill and only costs iterations, so nobody would notice."""
    rng = np.random.default_rng(1)
    bend = np.diag(np.linspace(1.0, 30.0, 8)) + 0.5
    first = np.diag(1.0 / np.linspace(1.0, 20.0, 8))
    newton, pairs = QuasiNewton(), []
    for _ in range(14):
        step = rng.normal(size=8)
        newton.learn(step, bend @ step, np.ones(8))
        pairs.append((step, bend @ step))
    gradient = rng.normal(size=8)
    wanted = bfgs_inverse(first, pairs[-10:]) @ gradient
    np.testing.assert_allclose(newton.direction(gradient, lambda right: first @ right), wanted, rtol=1e-9)
    newton.forget()
    np.testing.assert_allclose(newton.direction(gradient, lambda right: first @ right), first @ gradient)


def test_a_pair_without_curvature_is_not_kept() -> None:
    """Along a ridge, or where the function bends up, the update would make the direction point downhill."""
    newton = QuasiNewton()
    step = np.array([1.0, 2.0])
    for fall in (np.zeros(2), -step, 1e-8 * step):
        newton.learn(step, fall, np.ones(2))
    np.testing.assert_array_equal(newton.direction(step, lambda right: 3.0 * right), 3.0 * step)
