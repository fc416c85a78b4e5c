"""The parts of an iteration: start values, M-step, acceleration, convergence."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.estimation.acceleration import Accelerator, _cut
from psyirt.estimation.convergence import ConvergenceCriterion, Step, standardised
from psyirt.estimation.em_point import EMPoint, em_point
from psyirt.estimation.mstep import _newton_step, maximise
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.setup import set_up
from psyirt.estimation.start_values import start_values
from psyirt.latent.population import NormalPopulation
from psyirt.models.priors import LogNormal, Normal, NormalOnLogit
from tests.reference.marginal_likelihood import gradient
from tests.small_data import simulated

CODES = simulated(300, 6, seed=51, missing=0.1)
MIXED = ["1PL", "1PL", "2PL", "3PL", "feasibility", "4PL"]


def problem_of(model: object, priors: dict[str, object] | None = None):  # type: ignore[no-untyped-def]
    setup = set_up(Responses.from_array(CODES), model, priors, None, None, None, MMLOptions())  # type: ignore[arg-type]
    return setup.problem, setup.start


def complete(problem, x, expected) -> float:  # type: ignore[no-untyped-def]
    """Expected complete-data log-posterior at x, the latent part included."""
    table = problem.model.log_probabilities(problem.layout.values(x), problem.grid.nodes)
    latent = expected.node_counts @ problem.population(x).log_weights(problem.grid)
    return float((expected.counts * table).sum() + latent + problem.priors.log_density(x))


MODELS = [("Rasch", None), ("1PL", None), ("2PL", None), (MIXED, None), ("1PL", {"a": Normal(0.5, 0.2)})]
MODELS += [("3PL", {"a": LogNormal(0.0, 0.3), "c": NormalOnLogit(-1.0, 1.0)})]


@pytest.mark.parametrize(("model", "priors"), MODELS)
def test_the_m_step_repeated_reaches_the_maximum(model: object, priors: dict[str, object] | None) -> None:
    """A shared slope solved for by a wrong Schur complement still rises, but never arrives."""
    problem, x = problem_of(model, priors)
    expected = problem.expectation(x)
    before = complete(problem, x, expected)
    at = x
    for _ in range(40):
        new = maximise(problem, at, expected, problem.complete_derivatives(at, expected))
        assert complete(problem, new, expected) >= complete(problem, at, expected) - 1e-9
        at = new
    assert complete(problem, at, expected) > before
    slope = gradient(lambda y: complete(problem, y, expected), at, step=1e-5)
    np.testing.assert_allclose(slope, 0.0, atol=2e-3)


@pytest.mark.parametrize(("model", "priors"), MODELS)
def test_the_problems_gradient_is_that_of_the_log_posterior(model: object, priors: dict[str, object] | None) -> None:
    """Convergence is judged by it (Fisher's identity): wrong, a fit stops anywhere."""
    problem, x = problem_of(model, priors)
    numeric = gradient(lambda y: problem.objective(y, problem.expectation(y)), x, step=1e-5)
    np.testing.assert_allclose(problem.gradient(x, problem.expectation(x)), numeric, rtol=1e-5, atol=1e-4)


def test_the_domain_is_where_the_model_is_defined() -> None:
    """An acceleration may propose a negative variance or c above d; both have finite formulas."""
    rasch, x = problem_of("Rasch")
    assert rasch.in_domain(x)
    assert not rasch.in_domain(np.append(x[:-1], -0.1))
    assert not rasch.in_domain(np.append(np.nan, x[1:]))
    four, x = problem_of("4PL")
    crossed = x.copy()
    crossed[2], crossed[3] = 1.0, 0.5
    assert four.in_domain(x)
    assert not four.in_domain(crossed)


def test_start_values_see_direction_and_difficulty() -> None:
    """A start with the wrong sign of a slope may end in the mirrored maximum."""
    codes = simulated(2000, 6, seed=52, slopes=np.array([1.5, 1.5, -1.5, 1.5, 1.5, 1.5]))
    slopes, intercepts = start_values(collapse(Responses.from_array(codes)), np.zeros(6), np.ones(6))
    np.testing.assert_array_equal(np.sign(slopes), [1, 1, -1, 1, 1, 1])
    assert np.corrcoef(intercepts, codes.mean(0))[0, 1] > 0.98


def test_start_values_exist_for_a_subject_with_one_answer() -> None:
    """The rest score of a single answer is 0 / 0."""
    codes = np.full((9, 3), -1)
    codes[np.arange(9), np.arange(9) % 3] = [1, 0, 1, 0, 1, 0, 1, 1, 0]
    slopes, intercepts = start_values(collapse(Responses.from_array(codes)), np.zeros(3), np.ones(3))
    assert np.all(np.isfinite(slopes))
    assert np.all(np.isfinite(intercepts))


def test_expansion_restores_the_populations_moments() -> None:
    """Absorbing mean and sd into the items must leave every probability at its node where it was, relabelled."""
    problem, x = problem_of("2PL")
    expected = problem.expectation(x)
    proposal, kind = Accelerator(problem).propose(EMPoint(x, expected, None, x, np.ones_like(x), x))  # type: ignore[arg-type]
    assert kind == "expansion"
    share = expected.node_counts / expected.node_counts.sum()
    theta = problem.grid.nodes[:, 0]
    mean = share @ theta
    sd = np.sqrt(share @ (theta - mean) ** 2)
    old, new = problem.layout.values(x), problem.layout.values(proposal)
    z = old[:, 0, None] * theta + old[:, 1, None]
    np.testing.assert_allclose(new[:, 0, None] * (theta - mean) / sd + new[:, 1, None], z, atol=1e-10)


def test_expansion_is_not_offered_where_a_prior_or_a_fixed_slope_forbids_it() -> None:
    """The items cannot absorb a scale that a prior, or a slope of 1, holds in place."""
    for model, priors in [("Rasch", None), ("2PL", {"a": LogNormal(0.0, 0.5)})]:
        problem, x = problem_of(model, priors)
        assert Accelerator(problem).propose(em_point(problem, x, problem.expectation(x)))[1] == "EM"
    problem, x = problem_of("2PL")
    assert Accelerator(problem, enabled=False).propose(em_point(problem, x, problem.expectation(x)))[1] == "EM"


def test_mixing_solves_a_linear_map_at_once() -> None:
    """Anderson mixing of an affine map reaches its fixed point as soon as it has seen its dimension."""
    problem, x = problem_of("Rasch")
    size = len(x)
    matrix = np.diag(np.linspace(0.1, 0.9, size))
    target = np.linspace(-1, 1, size)
    accelerator, at = Accelerator(problem), np.zeros(size)

    def point(x: np.ndarray) -> EMPoint:
        mapped = target + matrix @ (x - target)
        return EMPoint(x, None, None, mapped - x, np.ones(size), mapped)  # type: ignore[arg-type]

    for _ in range(size + 2):
        at, _ = accelerator.propose(point(at))
    limited = np.max(np.abs(at - target))
    plain = np.max(np.abs(np.linalg.matrix_power(matrix, size + 2) @ target))
    assert limited < 1e-2 * plain
    assert accelerator.retreat()[1] == "EM"
    assert accelerator.propose(point(at))[1] == "EM"


@pytest.mark.parametrize("model", ["2PL", "1PL", "3PL", "Rasch"])
def test_quasi_newton_takes_over_after_rejections_and_gives_way_to_the_em_step(model: str) -> None:
    """The finish must climb, shorten its step where it overshot, and end at the EM step, which cannot fall."""
    problem, x = problem_of(model)
    accelerator = Accelerator(problem)
    point = em_point(problem, x, problem.expectation(x))
    for _ in range(4):
        accelerator.propose(point)
        assert accelerator.retreat()[1] == "EM"
    first, kind = accelerator.propose(point)
    assert kind == "L-BFGS"
    assert (first - x) @ point.gradient > 0.0
    shorter, kind = accelerator.retreat()
    assert kind == "L-BFGS"
    np.testing.assert_allclose(shorter - x, (first - x) / 4.0)
    assert accelerator.retreat()[1] == "L-BFGS"
    last, kind = accelerator.retreat()
    assert kind == "EM"
    np.testing.assert_array_equal(last, point.mapped)
    assert accelerator.propose(point)[1] != "L-BFGS"  # mixing has its turn again


def test_a_long_step_is_cut_item_by_item() -> None:
    """One runaway slope must not stop the other items, nor tear a shared parameter from its items."""
    problem, _ = problem_of(MIXED)
    step = np.full(problem.layout.size, 0.5)
    at = problem.layout.index
    step[at[2]] = [100.0, -50.0, 0.0, 0.0]  # the 2PL item, whose asymptotes are fixed
    step[at[1, 1]] = 20.0  # an item with the shared slope
    cut = _cut(problem, step)
    np.testing.assert_allclose(cut[at[2, :2]], [10.0, -5.0])
    assert cut[at[1, 1]] == 10.0
    assert cut[at[0, 0]] == 0.25
    np.testing.assert_array_equal(cut[at[3, :3]], 0.5)


def test_convergence_needs_gradient_and_step() -> None:
    """A small step alone is what slow convergence looks like; a small gradient alone is a flat ridge."""
    criterion = ConvergenceCriterion(1e-3)
    assert criterion.met(Step(1, 0.0, 1e-3, 1e-3, "EM"))
    assert not criterion.met(Step(1, 0.0, 1e-2, 1e-9, "EM"))
    assert not criterion.met(Step(1, 0.0, 1e-9, 1e-2, "EM"))
    assert not criterion.met(Step(1, 0.0, float("nan"), 1e-9, "EM"))


def climb(gains: list[float], gradient: float) -> list[Step]:
    return [Step(k, value, gradient, 1.0, "EM") for k, value in enumerate(np.cumsum(gains), 1)]


def test_a_climb_has_stalled_when_ten_steps_gain_nothing_that_matters() -> None:
    """Too early, and a fit on its way is called hopeless; never, and a slope runs for two thousand iterations."""
    criterion = ConvergenceCriterion(1e-5)
    assert not criterion.stalled(climb([1e-9] * 10, 1e-4))
    assert criterion.stalled(climb([1e-9] * 11, 1e-4))
    assert not criterion.stalled(climb([1e-9] * 11, 0.02))
    assert not criterion.stalled(climb([2e-5] * 11, 1e-4))
    assert not ConvergenceCriterion(1e-5, unit=4.0).stalled(climb([1e-6] * 11, 1e-4))  # subjects that count a sixteenth


def test_sizes_do_not_depend_on_the_unit_of_a_parameter() -> None:
    """A criterion in raw units is strict for slopes of .01 and lax for slopes of 100."""
    small = standardised(np.array([2.0]), np.array([0.5]), np.array([4.0]))
    rescaled = standardised(np.array([2.0 / 10]), np.array([0.5 * 10]), np.array([4.0 / 100]))
    assert small == rescaled == (1.0, 1.0)


@pytest.mark.parametrize(("model", "priors"), MODELS)
def test_the_block_solve_is_newtons_step(model: object, priors: dict[str, object] | None) -> None:
    """Item by item with a Schur complement, or as one full matrix (a slip there only costs iterations)."""
    problem, x = problem_of(model, priors)
    layout, items = problem.layout, problem.complete_derivatives(x, problem.expectation(x))
    size = layout.item_size
    bend = np.maximum(-problem.priors.curvature(x), 0.0)[:size]
    slope = layout.fold(items.gradient) + problem.priors.gradient(x)[:size]
    full = np.linalg.solve(layout.fold_matrix(items.information) + np.diag(bend), slope)
    np.testing.assert_allclose(_newton_step(problem, x, items)[:size], full, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("model", "priors"), MODELS)
def test_the_unit_of_convergence_holds_data_and_prior(model: object, priors: dict[str, object] | None) -> None:
    """Without the prior's curvature a well-held asymptote is judged as if nothing held it."""
    problem, x = problem_of(model, priors)
    expected = problem.expectation(x)
    items = problem.complete_derivatives(x, expected)
    wanted = np.zeros(len(x))
    wanted[: problem.layout.item_size] = np.diag(problem.layout.fold_matrix(items.information))
    if problem.layout.frees_variance:  # minus the second derivative of the expected log-density
        h = 1e-3
        logs = [
            expected.node_counts @ NormalPopulation(0.0, x[-1] + k * h).log_weights(problem.grid) for k in (-1, 0, 1)
        ]
        wanted[-1] = -(logs[0] - 2 * logs[1] + logs[2]) / h**2
    wanted += np.maximum(-problem.priors.curvature(x), 0.0)
    np.testing.assert_allclose(problem.complete_information(x, expected, items), wanted, rtol=1e-4)
