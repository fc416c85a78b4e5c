"""Davidian curves against quadrature, differences and the powers of z that the literature writes them in."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from psyirt.errors import InputError
from psyirt.latent.davidian import HIGHEST_ORDER, DavidianCurve, angle_names
from psyirt.latent.population import Grid, NormalPopulation
from tests.reference import davidian_curve as twin

THETA = np.array([-3.1, -1.0, 0.0, 0.4, 2.2])
ORDERS = range(HIGHEST_ORDER + 1)


def curve(order: int, mean: float = 0.0, variance: float = 1.0) -> DavidianCurve:
    rng = np.random.default_rng(40 + order)
    return DavidianCurve(tuple(rng.uniform(-1.4, 1.4, order)), mean, variance)


@pytest.mark.parametrize("order", ORDERS)
def test_density_and_distribution_function_are_the_twins(order: int) -> None:
    """A wrong Hermite coefficient or normaliser gives percentiles of another population."""
    made = curve(order, 0.3, 1.7)
    for theta in THETA.tolist():
        assert made.density(theta) == pytest.approx(twin.density(theta, made.angles, 0.3, 1.7), abs=1e-9)
        assert made.share_below(theta) == pytest.approx(twin.share_below(theta, made.angles, 0.3, 1.7), abs=1e-9)
    assert made.share_below(np.array([-np.inf, np.inf])).tolist() == [0.0, 1.0]
    assert np.isnan(made.share_below(np.nan))


@pytest.mark.parametrize("order", ORDERS)
def test_moments_are_those_it_says(order: int) -> None:
    """The scale of the items is that of mean 0 and variance 1: a curve with others would shift every difficulty."""
    made = curve(order, -0.5, 0.6)

    def moment(power: int) -> float:
        return twin.integral(lambda theta: ((theta + 0.5) / 0.6**0.5) ** power * float(made.density(theta)))

    assert [moment(k) for k in (0, 1, 2)] == pytest.approx([1.0, 0.0, 1.0], abs=1e-9)
    assert moment(3) == pytest.approx(made.skewness, abs=1e-8)
    assert moment(4) - 3.0 == pytest.approx(made.kurtosis, abs=1e-8)


@pytest.mark.parametrize("order", [1, 2])
def test_the_polynomials_are_woods_and_lins(order: int) -> None:
    """Curves of the literature must be among ours: their polynomial, in our angles, is the same function."""
    rng = np.random.default_rng(order)
    for _ in range(5):
        angles = rng.uniform(-1.5, 1.5, order)
        nodes, weights = np.polynomial.hermite_e.hermegauss(8)
        theirs = np.array([twin.power_polynomial(z, angles) for z in nodes])
        # their coefficients on our basis are a unit vector, so that angles of ours give it
        basis = [nodes**0, nodes, (nodes**2 - 1.0) / np.sqrt(2.0)][: order + 1]
        vector = np.array([weights @ (theirs * each) for each in basis]) / np.sqrt(2.0 * np.pi)
        assert vector @ vector == pytest.approx(1.0, abs=1e-12)
        vector *= np.sign(vector[0])
        ours = DavidianCurve(tuple(np.arctan2(vector[1:], [np.hypot(vector[0], sum(vector[2:])), vector[0]][:order])))
        np.testing.assert_allclose(ours.coefficients, vector, atol=1e-12)


def test_order_0_is_the_normal_density() -> None:
    """The orders are compared by likelihood: they must nest."""
    grid = Grid()
    plain, normal = DavidianCurve((), 0.4, 2.0), NormalPopulation(0.4, 2.0)
    np.testing.assert_allclose(plain.log_weights(grid), normal.log_weights(grid), atol=1e-12)
    np.testing.assert_allclose(plain.share_below(THETA), norm.cdf(THETA, 0.4, 2.0**0.5), atol=1e-15)
    longer = DavidianCurve((*curve(2).angles, 0.0))
    np.testing.assert_allclose(longer.density(THETA), curve(2).density(THETA), atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_scores_are_derivatives_of_the_log_weights(order: int) -> None:
    """A wrong one shows as a fit that does not converge, or as wrong standard errors of everything."""
    made, grid, step = curve(order, 0.2, 1.4), Grid(), 1e-6
    names = ("mean", "variance", *angle_names(order))
    first, second = made.moment_scores(grid, names)
    for k, name in enumerate(names):
        up, down = (made.moved({name: made.value(name) + sign * step}) for sign in (1, -1))
        numeric = (up.log_weights(grid) - down.log_weights(grid)) / (2 * step)
        # beside a root of the polynomial derivatives are steep: compare where there is weight
        weight = np.exp(made.log_weights(grid))
        np.testing.assert_allclose(weight * first[k], weight * numeric, atol=1e-7)
        bend = (up.moment_scores(grid, names)[0] - down.moment_scores(grid, names)[0]) / (2 * step)
        np.testing.assert_allclose(weight * second[k], weight * bend, atol=1e-5)
    weights, slopes = made.weights_and_slopes(grid, names)
    np.testing.assert_allclose(slopes, first, atol=1e-12)
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("order", ORDERS)
def test_slopes_in_theta_are_derivatives(order: int) -> None:
    """The mode of a posterior is where they vanish."""
    made, step = curve(order, 0.2, 1.4), 1e-6
    first, second = made.log_density_slopes(THETA)
    up, down = made.log_density(THETA + step), made.log_density(THETA - step)
    np.testing.assert_allclose(first, (up - down) / (2 * step), rtol=1e-5, atol=1e-6)
    bend = (made.log_density_slopes(THETA + step)[0] - made.log_density_slopes(THETA - step)[0]) / (2 * step)
    np.testing.assert_allclose(second, bend, rtol=1e-5, atol=1e-6)


def test_a_root_of_the_polynomial_on_a_node_is_no_trap() -> None:
    """P(z) = z has a root at the middle node: a logarithm of 0 there would make every likelihood NaN."""
    made, grid = DavidianCurve((np.pi / 2,)), Grid()
    first, second = made.moment_scores(grid, ("angle_1",))
    weights = np.exp(made.log_weights(grid))
    assert np.isfinite(made.log_weights(grid)).all()
    assert np.isfinite(first).all()
    assert np.isfinite(weights * second[0, 0]).all()
    assert weights[30] < 1e-30


def test_angles_beyond_a_right_angle_are_named_within_it() -> None:
    """Iterations may turn an angle further; two names of one curve would look like two curves."""
    made = DavidianCurve((2.9, -4.0, 7.0))
    named = made.canonical()
    assert all(abs(angle) <= np.pi / 2 for angle in named.angles)
    np.testing.assert_allclose(named.density(THETA), made.density(THETA), atol=1e-13)
    assert named.canonical().angles == pytest.approx(named.angles, abs=1e-12)


def test_draws_follow_the_curve() -> None:
    """Simulated crowds are compared with the observed one."""
    made = curve(4, 0.3, 1.5)
    draws = made.draw(20_000, np.random.default_rng(1))
    for theta in THETA:
        assert np.mean(draws < theta) == pytest.approx(float(made.share_below(theta)), abs=0.015)


@pytest.mark.parametrize("bad", [((0.1,) * 7, 0.0, 1.0), ((np.nan,), 0.0, 1.0), ((), 0.0, 0.0), ((), "a", 1.0)])
def test_what_is_no_curve_is_refused(bad: tuple[tuple[float, ...], float, float]) -> None:
    """NaN angles would give NaN percentiles."""
    with pytest.raises(InputError, match="Davidian curve"):
        DavidianCurve(*bad)
