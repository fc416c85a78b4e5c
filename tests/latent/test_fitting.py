"""The M-step of the ability density."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from psyirt.latent.davidian import DavidianCurve, angle_names
from psyirt.latent.fitting import fit_curve, fit_density, fit_moments, fit_variance
from psyirt.latent.population import Grid, NormalPopulation, smallest_variance


@pytest.mark.parametrize("mean", [-1.7, 0.0, 3.0])
def test_the_fitted_moments_maximise_the_expected_log_density(mean: float) -> None:
    """EM's latent step must reach the maximum, or it converges to something else than the likelihood's."""
    grid = Grid(81, -8.0, 8.0)
    theta = grid.nodes[:, 0]
    counts = 300.0 * np.exp(NormalPopulation(mean, 1.4).log_weights(grid)) * (1.2 + np.sin(theta))

    def loss(moments: np.ndarray) -> float:
        return -float(counts @ NormalPopulation(moments[0], float(np.exp(moments[1]))).log_weights(grid))

    found = np.array([0.0, 1.0])
    for _ in range(5):
        found = fit_moments(counts, NormalPopulation(*found), grid, ("mean", "variance"))
    best = optimize.minimize(loss, [mean, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-11})
    np.testing.assert_allclose([found[0], np.log(found[1])], best.x, atol=1e-4)
    known = NormalPopulation(0.3, 2.0)
    assert fit_moments(counts, known, grid, ()).shape == (0,)
    (only_mean,) = fit_moments(counts, known, grid, ("mean",))
    assert only_mean == pytest.approx(counts @ theta / counts.sum(), abs=1e-2)


@pytest.mark.parametrize("mean", [-5.0, -0.4, 2.0])
def test_the_moments_never_lower_the_expected_log_density(mean: float) -> None:
    """On few and narrow nodes the pooled moments themselves may lower it, and EM would not be monotone."""
    grid = Grid(9, -3.0, 2.0)
    counts = np.exp(NormalPopulation(mean, 3.0).log_weights(grid))
    population = NormalPopulation(0.0, 0.2)
    reached = counts @ population.log_weights(grid)
    for _ in range(30):
        found = fit_moments(counts, population, grid, ("mean", "variance"))
        assert grid.low <= found[0] <= grid.high
        population = NormalPopulation(*found)
        before, reached = reached, counts @ population.log_weights(grid)
        assert reached >= before - 1e-12


@pytest.mark.parametrize("moment", [0.05, 0.57, 1.02, 4.0, 9.0])
def test_the_fitted_variance_maximises_the_expected_log_density(moment: float) -> None:
    """On a coarse or short grid the second moment itself is not the maximum; EM would then not be monotone."""
    grid = Grid(21, -4.0, 4.0)
    moment = min(moment, 5.0)
    found = fit_variance(moment, grid)

    def loss(log_variance: float) -> float:
        population = NormalPopulation(0.0, float(np.exp(log_variance)))
        weights = np.exp(population.log_weights(grid))
        log_normaliser = -population.log_weights(grid)[grid.count // 2]
        assert weights.sum() == pytest.approx(1.0)
        return 0.5 * moment / population.variance + log_normaliser

    best = optimize.minimize_scalar(loss, bounds=(-6, 8), method="bounded", options={"xatol": 1e-10})
    assert np.log(found) == pytest.approx(best.x, abs=1e-4)
    reached = np.exp(NormalPopulation(0.0, found).log_weights(grid)) @ grid.nodes[:, 0] ** 2
    assert reached == pytest.approx(moment, rel=1e-10)


@pytest.mark.parametrize("names", [(), ("angle_1",), ("mean", "variance"), ("variance", "angle_1", "angle_2")])
def test_a_curves_m_step_never_lowers_the_expected_log_density(
    names: tuple[str, ...], rng: np.random.Generator
) -> None:
    """EM is monotone only if every step of every free parameter is."""
    grid = Grid()
    for _ in range(10):
        counts = rng.gamma(0.3, 10.0, grid.count) * np.exp(-0.5 * grid.nodes[:, 0] ** 2)
        curve = DavidianCurve(tuple(rng.uniform(-1.5, 1.5, 2)), 0.2, 0.8)
        found = fit_density(counts, curve, grid, names)
        moved = curve.moved(dict(zip(names, found.tolist(), strict=True)))
        assert counts @ moved.log_weights(grid) >= counts @ curve.log_weights(grid)
        assert len(found) == len(names)


def test_a_curve_is_fitted_to_its_own_counts(rng: np.random.Generator) -> None:
    """Fisher scoring in wrong units stops on the way, and starting curves are not what they should be."""
    grid, true = Grid(), DavidianCurve((0.5, -0.4), 0.3, 1.3)
    counts = 1000.0 * np.exp(true.log_weights(grid))
    start = true.moved({"mean": 0.0, "variance": 1.0, "angle_1": 0.3, "angle_2": -0.2})
    found = fit_curve(counts, start, grid, ("mean", "variance", *angle_names(2)), 60)
    np.testing.assert_allclose(found.log_weights(grid), true.log_weights(grid), atol=1e-4)
    assert found.mean == pytest.approx(0.3, abs=1e-5)


def test_a_curves_variance_stays_what_the_nodes_can_tell_from_0() -> None:
    """Counts on one node would let it fall until every weight but one is 0."""
    grid = Grid()
    counts = np.zeros(grid.count)
    counts[30] = 50.0
    curve = fit_curve(counts, DavidianCurve((0.2,)), grid, ("variance",), 100)
    assert curve.variance >= smallest_variance(grid)
