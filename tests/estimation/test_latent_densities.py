"""Fits whose ability is a Davidian curve or a histogram."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import psyirt.estimation.davidian_order as davidian_order
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.latent_choice import LatentChoice
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.setup import Setup, set_up
from psyirt.latent.davidian import DavidianCurve, angle_names
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import Grid
from psyirt.models.priors import LogNormal
from psyirt.results.calibration import Calibration
from tests.reference.marginal_likelihood import gradient, hessian

SMALL = MMLOptions(grid=Grid(31, -5.0, 5.0))


def skewed(subjects: int = 600, items: int = 8, seed: int = 5, missing: float = 0.0) -> Responses:
    """2PL answers of people whose ability is a standardised chi-square(2)."""
    rng = np.random.default_rng(seed)
    theta = (rng.chisquare(2.0, subjects) - 2.0) / 2.0
    slopes, difficulty = rng.uniform(0.8, 2.2, items), np.linspace(-1.2, 2.0, items)
    codes = (rng.random((subjects, items)) < expit(slopes * (theta[:, None] - difficulty))).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    return Responses.from_array(codes)


DATA, GAPS = skewed(), skewed(missing=0.1)


def laid_out(model: str, latent: str, data: Responses = DATA, order: int = 0, variance: float | None = None) -> Setup:
    """A setup, of a Davidian curve with this many angles free."""
    setup = set_up(data, model, None, None, variance, None, SMALL, LatentChoice(latent))  # type: ignore[arg-type]
    if not order:
        return setup
    curve = DavidianCurve((0.0,) * order, 0.0, setup.problem.known.variance)
    problem = setup.problem.with_shape(curve, angle_names(order))
    start = np.append(setup.start, [0.4, -0.5, 0.3][:order])
    return Setup(problem, start, setup.item_types, setup.responses)


@pytest.fixture(scope="module")
def curved() -> Calibration:
    return fit_mml(DATA, "2PL", latent="davidian", latent_order=2, options=SMALL)


@pytest.fixture(scope="module")
def barred() -> Calibration:
    return fit_mml(DATA, "2PL", latent="histogram", options=SMALL)


@pytest.mark.parametrize("data", [DATA, GAPS], ids=["complete", "missing"])
@pytest.mark.parametrize("model", ["Rasch", "2PL", "3PL"])
def test_the_gradient_knows_the_angles(model: str, data: Responses) -> None:
    """Convergence is judged by it: angles that are left out are called converged wherever they stand."""
    setup = laid_out(model, "davidian", data, 3)
    problem, x = setup.problem, setup.start + 0.05
    assert [name for name, _ in problem.layout.names[-3:]] == ["angle_1", "angle_2", "angle_3"]
    numeric = gradient(lambda y: problem.objective(y, problem.expectation(y)), x, step=1e-5)
    np.testing.assert_allclose(problem.gradient(x, problem.expectation(x)), numeric, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("model", ["Rasch", "1PL", "2PL", "3PL"])
def test_the_gradient_of_the_profile_is_that_at_the_weights_found(model: str) -> None:
    """Weights that are not at their maximum would add a term that nobody computes."""
    setup = laid_out(model, "histogram")
    problem, x = setup.problem, setup.start + 0.05

    def objective(y: np.ndarray) -> float:
        return problem.objective(y, problem.expectation(y))

    numeric = gradient(objective, x, step=1e-3)
    np.testing.assert_allclose(problem.gradient(x, problem.expectation(x)), numeric, rtol=2e-3, atol=2e-2)


@pytest.mark.parametrize("model", ["Rasch", "1PL", "2PL"])
def test_a_curve_of_order_0_is_the_normal_fit(model: str) -> None:
    """The order is chosen by likelihood: another likelihood of the same density would decide it."""
    normal, curve = fit_mml(GAPS, model), fit_mml(GAPS, model, latent="davidian", latent_order=0)
    assert curve.loglik == pytest.approx(normal.loglik, abs=1e-8)
    np.testing.assert_allclose(curve.x, normal.x, atol=1e-6)
    assert curve.n_parameters == normal.n_parameters


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("model", "latent"), [("2PL", "davidian"), ("Rasch", "histogram"), ("3PL", "histogram")])
def test_the_log_posterior_never_falls(model: str, latent: str, missing: float) -> None:
    """The promise of EM, which acceleration must keep for every density."""
    order = 1 if latent == "davidian" else None
    data = GAPS if missing else DATA
    # without a prior some slopes of a 3PL run away in so small a sample
    priors = {"a": LogNormal(0.2, 0.5)} if model == "3PL" else None
    fit = fit_mml(data, model, latent=latent, latent_order=order, priors=priors, options=SMALL)  # type: ignore[arg-type]
    assert fit.converged
    assert np.diff([step.objective for step in fit.trace]).min(initial=0.0) > -1e-6
    assert fit.trace[-1].objective == pytest.approx(fit.loglik + fit.log_prior, abs=1e-6)


def test_both_find_the_skewed_crowd(curved: Calibration, barred: Calibration) -> None:
    """What they are for; nested densities of higher likelihood, on the metric of a 2PL."""
    normal = fit_mml(DATA, "2PL", options=SMALL)
    assert curved.loglik > normal.loglik + 5.0
    assert barred.loglik > curved.loglik
    assert isinstance(curved.population, DavidianCurve)
    assert curved.population.skewness > 0.5
    for fit in (curved, barred):
        assert fit.population.mean == pytest.approx(0.0, abs=1e-6)
        assert fit.population.variance == pytest.approx(1.0, abs=1e-6)
    assert curved.n_parameters == normal.n_parameters + 2


def test_standard_errors_of_a_curves_fit_are_the_numeric_hessians(curved: Calibration) -> None:
    """The items' errors must know that the density is estimated with them."""
    assert curved.refit is not None
    problem = curved.refit.problem  # type: ignore[attr-defined]
    numeric = np.linalg.inv(-hessian(lambda y: problem.objective(y, problem.expectation(y)), curved.x, 1e-3))
    np.testing.assert_allclose(curved.bse.to_numpy(), np.sqrt(np.diag(numeric)), rtol=1e-3)
    np.testing.assert_allclose(np.sqrt(curved.cov("oakes").variances), curved.bse.to_numpy(), rtol=1e-4)
    assert np.isfinite(curved.cov("sandwich").variances).all()


def test_the_order_of_lowest_criterion_is_kept(curved: Calibration, monkeypatch: pytest.MonkeyPatch) -> None:
    """An order taken by likelihood alone is always the highest."""
    monkeypatch.setattr(davidian_order, "HIGHEST_ORDER", 2)
    fits = [fit_mml(DATA, "2PL", latent="davidian", latent_order=k, options=SMALL) for k in (0, 1)]
    price = 2.0 * np.log(np.log(DATA.shape[0]))
    criteria = [-2.0 * fit.loglik + price * fit.n_parameters for fit in (*fits, curved)]
    chosen = fit_mml(DATA, "2PL", latent="davidian", options=SMALL)
    assert isinstance(chosen.population, DavidianCurve)
    assert chosen.population.order == int(np.argmin(criteria)) > 0
    assert any("Hannan-Quinn" in note for note in chosen.notes)
    rng = np.random.default_rng(4)
    codes = (rng.random((300, 6)) < expit(rng.normal(size=(300, 1)) - np.linspace(-1, 1, 6))).astype(int)
    normal = fit_mml(Responses.from_array(codes), "2PL", latent="davidian", options=SMALL)
    assert normal.population.order == 0  # type: ignore[attr-defined]


def test_a_histogram_says_what_it_has_not(barred: Calibration) -> None:
    """AIC with 31 weights counted, or not counted, is another number; neither means anything."""
    assert np.isnan([barred.aic, barred.bic, barred.sabic]).all()
    assert any("AIC" in note for note in barred.notes)
    assert any("taken as known" in note for note in barred.default_cov.notes)
    assert "AIC, BIC, SABIC not available" in barred.summary()
    assert "histogram on 31 nodes, mean 0, variance 1," in barred.summary()


def test_a_bootstrap_fits_the_histogram_anew(barred: Calibration) -> None:
    """Resampled people have a histogram of their own; with the old one held their errors would be too small."""
    found = barred.cov("bootstrap", replications=4, seed=1)
    assert np.isfinite(found.variances).all()
    assert not any("taken as known" in note for note in found.notes)


def test_no_other_weights_are_likelier(barred: Calibration) -> None:
    """The weights must be at their maximum at the estimates, not where an iteration left them."""
    from psyirt.estimation.latent_histogram import empirical_histogram

    assert isinstance(barred.population, HistogramPopulation)
    free = empirical_histogram(barred)
    # the free histogram need not keep mean and variance: two more numbers
    assert -1e-6 <= free.log_likelihood_gain < 0.5


@pytest.mark.parametrize("latent", ["histogram", "davidian"])
@pytest.mark.parametrize("model", ["Rasch", "1PL", "3PL"])
def test_every_model_takes_every_density(model: str, latent: str) -> None:
    """A free variance must stay free, and one that is fixed must stay fixed."""
    order = 1 if latent == "davidian" else None
    priors = {"a": LogNormal(0.2, 0.5)} if model == "3PL" else None
    fit = fit_mml(DATA, model, latent=latent, latent_order=order, priors=priors, options=SMALL)  # type: ignore[arg-type]
    assert fit.converged
    assert fit.population.mean == pytest.approx(0.0, abs=1e-6)
    if model == "Rasch":
        slope = fit_mml(DATA, "1PL", latent=latent, latent_order=order, options=SMALL)  # type: ignore[arg-type]
        assert fit.population.sd == pytest.approx(slope.item_parameters.slopes[0, 0], rel=0.1)
        held = fit_mml(
            DATA,
            model,
            latent_variance=0.7,
            latent=latent,
            latent_order=order,
            options=SMALL,  # type: ignore[arg-type]
        )
        assert held.population.variance == pytest.approx(0.7, abs=1e-6)
        assert held.loglik < fit.loglik
    else:
        assert fit.population.variance == pytest.approx(1.0, abs=1e-6)


def test_rasch_and_1pl_are_one_model_under_a_curve() -> None:
    """A variance of the curve that is not a pure change of scale would make them differ."""
    grids = [MMLOptions(grid=Grid(201, -12.0 * k, 12.0 * k), tolerance=1e-6) for k in (1.0, 1.5)]
    rasch, shared = (
        fit_mml(DATA, model, latent="davidian", latent_order=1, options=grid)
        for model, grid in zip(("Rasch", "1PL"), grids, strict=True)
    )
    assert rasch.loglik == pytest.approx(shared.loglik, abs=1e-3)
    assert rasch.population.sd == pytest.approx(shared.item_parameters.slopes[0, 0], rel=1e-3)


@pytest.mark.parametrize("latent", ["histogram", "davidian"])
def test_weights_and_priors_work_with_every_density(latent: str) -> None:
    """A person with weight 2 is two, also for the density."""
    order = 1 if latent == "davidian" else None
    how = {"latent": latent, "latent_order": order, "options": SMALL, "priors": {"a": LogNormal(0.2, 0.5)}}
    twice = Responses.from_array(np.repeat(DATA.codes, 2, axis=0))
    first = fit_mml(twice, "2PL", **how)  # type: ignore[arg-type]
    second = fit_mml(DATA, "2PL", weights=np.full(len(DATA.codes), 2.0), **how)  # type: ignore[arg-type]
    assert first.loglik == pytest.approx(second.loglik, abs=1e-4)
    np.testing.assert_allclose(first.x, second.x, atol=1e-3)


def test_finer_nodes_keep_the_density() -> None:
    """The problem on other nodes must not fall back to the normal density."""
    for latent, order in (("histogram", 0), ("davidian", 1)):
        problem = laid_out("2PL", latent, order=order).problem
        finer = problem.on(Grid(61, -5.0, 5.0))
        assert type(finer) is type(problem)
        assert finer.layout is problem.layout


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"latent": "gamma"}, "'gamma' is not known"),
        ({"latent": "histogram", "latent_order": 2}, "latent_order with latent='histogram'"),
        ({"latent": "davidian", "latent_order": 7}, "latent_order is 7"),
        ({"latent": "davidian", "latent_order": 1.5}, "latent_order is a float"),
        ({"latent": "histogram", "options": MMLOptions(grid=Grid(11, -0.9, 0.9))}, "reach further"),
        ({"latent": "histogram", "nodes": 1201}, "1201 free weights"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(how: dict[str, object], said: str) -> None:
    """An option that is ignored gives another density than the one asked for."""
    with pytest.raises(InputError, match=said):
        fit_mml(DATA, "2PL", **how)  # type: ignore[arg-type]
