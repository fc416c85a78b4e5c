"""Bivariate normal probabilities and the correlations found from them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtr

from psyirt.kernels.bivariate_normal import both_below, correlation_at, tetrachoric_matrix
from tests.reference import item_pairs


@pytest.mark.parametrize("rho", [-0.99999, -0.95, -0.6, -0.1, 0.0, 0.3, 0.89, 0.91, 0.97, 0.999, 0.9999999])
@pytest.mark.parametrize(("h", "k"), [(0.0, 0.0), (1.2, -0.7), (-1.9, -2.2), (0.5, 0.501), (2.5, 2.5), (-1.0, 1.0)])
def test_probability_equals_an_integral(h: float, k: float, rho: float) -> None:
    """Near |rho| = 1 the integrand jumps; a rule with too few points is off by 1e-5 there and nobody notices."""
    wanted = item_pairs.both_above(-h, -k, rho) if abs(rho) < 0.9999 else _by_parts(h, k, rho)
    assert both_below(h, k, rho) == pytest.approx(wanted, abs=2e-13)


def _by_parts(h: float, k: float, rho: float) -> float:
    """The same integral with points crowded where the conditional probability jumps."""
    rest = math.sqrt((1.0 - rho) * (1.0 + rho))
    edges = sorted({-9.0, h} | {min(max(k / rho + m * rest, -9.0), h) for m in range(-12, 13)})
    nodes, weights = np.polynomial.legendre.leggauss(60)
    total = 0.0
    for low, high in pairwise(edges):
        x = 0.5 * (low + high) + 0.5 * (high - low) * nodes
        density = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
        total += 0.5 * (high - low) * float(weights @ (density * ndtr((k - rho * x) / rest)))
    return total


@pytest.mark.parametrize("rho", [-1.0, 1.0])
def test_degenerate_correlations(rho: float) -> None:
    """At +-1 the two variables are one: P(min) or what the margins leave over."""
    wanted = ndtr(-0.3) if rho > 0 else max(ndtr(-0.3) + ndtr(0.8) - 1.0, 0.0)
    assert both_below(-0.3, 0.8, rho) == pytest.approx(wanted, abs=1e-15)


def test_closed_form_at_zero_thresholds() -> None:
    """Sheppard (1899): P(X < 0, Y < 0) = 1/4 + asin(rho) / (2 pi)."""
    for rho in (-0.999, -0.5, 0.2, 0.93):
        assert both_below(0.0, 0.0, rho) == pytest.approx(0.25 + math.asin(rho) / (2.0 * math.pi), abs=1e-15)


@pytest.mark.parametrize("rho", [-0.995, -0.7, -0.05, 0.4, 0.85, 0.96, 0.9995])
@pytest.mark.parametrize(("h", "k"), [(0.1, 0.2), (1.5, 1.2), (-0.4, 0.3)])
def test_correlation_comes_back(h: float, k: float, rho: float) -> None:
    """A search that stops early, or leaves its bracket, returns another correlation than the one put in."""
    p = both_below(h, k, rho)
    if min(p, ndtr(h) - p, ndtr(k) - p, 1.0 - ndtr(h) - ndtr(k) + p) > 1e-9:
        assert correlation_at(h, k, p) == pytest.approx(rho, abs=1e-8)
    else:
        assert abs(rho) > 0.9  # only there may the probability have lost the correlation


def _matrix(n11: float, n10: float, n01: float, n00: float, below: tuple[float, float]) -> float:
    def square(upper: float, lower: float) -> np.ndarray:
        return np.array([[0.0, upper], [lower, 0.0]])

    out = tetrachoric_matrix(np.array(below), square(n11, n11), square(n10, n01), square(n00, n00))
    assert out[0, 1] == out[1, 0] or math.isnan(out[0, 1])
    return float(out[0, 1])


def test_empty_cells_go_to_the_bound() -> None:
    """The likelihood grows up to rho = +-1: any other number is where a search happened to give up."""
    assert _matrix(10.0, 0.0, 5.0, 5.0, (0.0, 0.67448975)) == 1.0
    assert _matrix(0.0, 10.0, 5.0, 5.0, (0.0, -0.67448975)) == -1.0


def test_what_has_no_correlation_is_nan() -> None:
    """An item without variance, or a pair nobody answered, must not look uncorrelated."""
    assert math.isnan(_matrix(10.0, 0.0, 10.0, 0.0, (0.0, math.inf)))
    assert math.isnan(_matrix(0.0, 0.0, 0.0, 0.0, (0.0, 0.0)))
