"""Marginal maximum likelihood: the EM loop and what it returns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.data import patterns as patterns_module
from psyirt.data.responses import Responses
from psyirt.errors import ConvergenceWarning, QuadratureWarning
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.foundation.progress import ProgressEvent
from psyirt.latent.population import Grid
from psyirt.models.item_types import ItemType, fixed
from psyirt.models.priors import Beta, LogNormal, Normal, NormalOnLogit
from psyirt.models.registry import ITEM_TYPES
from psyirt.results.calibration import Calibration
from tests.reference import marginal_likelihood as twin
from tests.small_data import lsat, simulated

TIGHT = MMLOptions(tolerance=1e-7, max_iterations=20_000)
TIGHT_EM = MMLOptions(tolerance=1e-7, max_iterations=20_000, accelerate=False)
GUESSING = {"c": NormalOnLogit(-1.386, 0.5)}
# (model, priors): every registered model with its defaults, a mixture, and priors of every kind
CASES: list[tuple[object, dict[str, object] | None]] = [(name, None) for name in ITEM_TYPES]
CASES += [
    (["2PL", "3PL", "1PL", "1PL", "feasibility"], None),
    ("2PL", {"a": LogNormal(0.0, 0.5), "intercept": Normal(0.0, 2.0)}),
    ("1PL", {"a": Normal(1.0, 0.3)}),
    ("4PL", {"c": Beta(3, 12), "d": Beta(20, 2), "a": LogNormal(0.0, 0.5)}),
]


def case_name(value: object) -> str:
    return value if isinstance(value, str) else "mixed" if isinstance(value, list) else "priors" if value else "default"


every_case = pytest.mark.parametrize(("model", "priors"), CASES, ids=case_name)


def log_posteriors(fit: Calibration) -> np.ndarray:
    return np.array([step.objective for step in fit.trace])


@every_case
@pytest.mark.parametrize("accelerate", [True, False], ids=["accelerated", "plain"])
def test_the_log_posterior_never_falls(model: object, priors: dict[str, object] | None, accelerate: bool) -> None:
    """A step downhill means that the M-step, a prior's gradient or the guard of the acceleration is wrong."""
    for section in (6, 7):
        responses, frequencies = lsat(section)
        fit = fit_mml(
            responses,
            model,  # type: ignore[arg-type]
            priors=priors,  # type: ignore[arg-type]
            weights=frequencies,
            options=MMLOptions(accelerate=accelerate),
        )
        assert fit.converged
        reached = log_posteriors(fit)
        assert len(reached) > 3
        assert np.diff(reached).min() >= -1e-8
        assert reached[-1] - reached[0] > 0.01
        assert reached[-1] == pytest.approx(fit.loglik + fit.log_prior, abs=1e-7)


@every_case
def test_acceleration_changes_the_path_not_the_maximum(model: object, priors: dict[str, object] | None) -> None:
    """A faster way to another point is no acceleration."""
    responses, frequencies = lsat(7)
    fast, plain = (
        fit_mml(responses, model, priors=priors, weights=frequencies, options=options)  # type: ignore[arg-type]
        for options in (TIGHT, TIGHT_EM)
    )
    assert fast.loglik + fast.log_prior == pytest.approx(plain.loglik + plain.log_prior, abs=1e-6)
    np.testing.assert_allclose(fast.params, plain.params, atol=2e-4)
    assert {step.kind for step in plain.trace} == {"start", "EM"}
    assert "Anderson" in {step.kind for step in fast.trace}
    assert fast.iterations < plain.iterations


@every_case
def test_the_gradient_of_the_twin_is_zero_at_the_estimates(model: object, priors: dict[str, object] | None) -> None:
    """Converged by its own criterion proves nothing; here the slow twin's log-posterior is differentiated."""
    responses, frequencies = lsat(7)
    grid = Grid(31, -5.0, 5.0)
    options = MMLOptions(grid=grid, tolerance=1e-7, max_iterations=20_000)
    fit = fit_mml(responses, model, priors=priors, weights=frequencies, options=options)  # type: ignore[arg-type]
    nodes = list(grid.nodes[:, 0])

    def log_posterior(x: np.ndarray) -> float:
        items = [(float(v[0]), float(v[1]), float(expit(v[2])), float(expit(v[3]))) for v in fit.layout.values(x)]
        weights = twin.node_weights(nodes, float(x[-1]) if fit.layout.frees_variance else 1.0)
        likelihood = twin.marginal_log_likelihood(list(responses.codes), list(frequencies), items, nodes, weights)
        return likelihood + fit.priors.log_density(x)

    numeric = twin.gradient(log_posterior, fit.x, step=1e-4)
    np.testing.assert_allclose(numeric * np.sqrt(fit.cov().variances), 0.0, atol=1e-4)


@pytest.mark.parametrize(
    ("section", "model", "loglik"),
    [(6, "2PL", -2466.653378), (7, "2PL", -2658.805114), (6, "1PL", -2466.937600), (7, "1PL", -2664.900891)],
)
def test_log_likelihoods_are_the_textbooks(section: int, model: str, loglik: float) -> None:
    """Bock & Aitkin's data: -2466.653 and -2658.805 under the 2PL; six digits from R mirt 1.47."""
    responses, frequencies = lsat(section)
    assert fit_mml(responses, model, weights=frequencies).loglik == pytest.approx(loglik, abs=1e-5)


@pytest.mark.parametrize(
    ("section", "a", "intercept"),
    [
        (6, [0.825660, 0.722744, 0.890875, 0.688368, 0.656856], [2.773234, 0.990201, 0.249148, 1.284757, 2.053270]),
        (7, [0.987546, 1.080837, 1.707478, 0.764990, 0.735673], [1.855856, 0.807970, 1.805206, 0.486000, 1.854458]),
    ],
)
def test_parameters_are_the_references(section: int, a: list[float], intercept: list[float]) -> None:
    """R mirt 1.47, 2PL."""
    responses, frequencies = lsat(section)
    items = fit_mml(responses, "2PL", weights=frequencies).items
    np.testing.assert_allclose(items["a"], a, atol=2e-5)
    np.testing.assert_allclose(items["intercept"], intercept, atol=2e-5)


def test_guessing_with_a_prior_is_the_reference() -> None:
    """R mirt 1.47, LSAT7, 3PL with logit c ~ N(-1.386, 0.5): the log-likelihood excludes the prior."""
    responses, frequencies = lsat(7)
    fit = fit_mml(responses, "3PL", weights=frequencies, priors=GUESSING)
    assert fit.loglik == pytest.approx(-2659.170463, abs=1e-4)
    np.testing.assert_allclose(fit.items["a"], [1.082913, 1.487142, 2.079426, 0.880046, 0.806385], atol=1e-4)
    np.testing.assert_allclose(fit.items["intercept"], [1.592445, 0.370460, 1.566364, 0.107582, 1.593424], atol=1e-4)
    np.testing.assert_allclose(fit.items["c"], [0.194765, 0.211989, 0.189247, 0.175213, 0.198451], atol=1e-5)


def test_guessing_without_a_prior_is_at_least_as_likely_as_the_reference() -> None:
    """R mirt 1.47 stopped at -2658.05468 on LSAT7; a lower value would mean a worse optimiser."""
    responses, frequencies = lsat(7)
    with pytest.warns(ConvergenceWarning, match="c of .* ends at its boundary 0"):
        fit = fit_mml(responses, "3PL", weights=frequencies, priors={"c": None})
    assert fit.loglik > -2658.0547
    assert fit.log_prior == 0.0


def test_rasch_and_1pl_are_one_model() -> None:
    """A free variance with slope 1 and a free slope with variance 1 differ in name only: slope = sd."""
    responses, frequencies = lsat(7)
    rasch, one = (fit_mml(responses, name, weights=frequencies, options=TIGHT) for name in ("Rasch", "1PL"))
    assert rasch.loglik == pytest.approx(one.loglik, abs=1e-5)
    assert one.items["a"].nunique() == 1
    assert rasch.population.sd == pytest.approx(one.items["a"].iloc[0], abs=1e-4)
    np.testing.assert_allclose(rasch.items["intercept"], one.items["intercept"], atol=1e-4)
    assert (rasch.items["a"] == 1.0).all()
    assert rasch.n_parameters == one.n_parameters == 6


def test_the_population_is_reproduced_at_the_maximum() -> None:
    """With free slopes and intercepts the pooled posterior must have the population's mean 0 and second moment 1."""
    fit = fit_mml(Responses.from_array(simulated(600, 12, seed=1)), "2PL", options=TIGHT)
    share = fit.expectation.node_counts / fit.nobs
    theta = fit.grid.nodes[:, 0]
    assert share @ theta == pytest.approx(0.0, abs=1e-5)
    assert share @ theta**2 == pytest.approx(1.0, abs=1e-5)


def test_one_em_step_is_the_twins() -> None:
    """Expected counts and M-step in their plainest form, from the same start."""
    responses, frequencies = lsat(7)
    grid = Grid(15, -4.0, 4.0)
    start = fit_mml(responses, "2PL", weights=frequencies, options=MMLOptions(grid=grid, tolerance=0.05))
    with pytest.warns(ConvergenceWarning):
        after = fit_mml(
            responses,
            "2PL",
            weights=frequencies,
            start=start,
            options=MMLOptions(grid=grid, max_iterations=1, accelerate=False),
        )
    items = [(a, b, 0.0, 1.0) for a, b in zip(start.items["a"], start.items["intercept"], strict=True)]
    nodes = list(grid.nodes[:, 0])
    slow = twin.em_step_2pl(list(responses.codes), list(frequencies), items, nodes, twin.node_weights(nodes))
    np.testing.assert_allclose(after.items[["a", "intercept"]], np.array(slow)[:, :2], atol=1e-5)


def test_stopped_at_the_limit_is_not_converged() -> None:
    """An unfinished fit that calls itself converged is published."""
    responses, frequencies = lsat(6)
    with pytest.warns(ConvergenceWarning, match="limit"):
        fit = fit_mml(responses, "2PL", weights=frequencies, options=MMLOptions(max_iterations=3))
    assert fit.status == "stopped at the limit"
    assert not fit.converged
    assert fit.iterations == 3
    assert "stopped at the limit" in str(fit)
    assert any("limit" in note for note in fit.notes)
    assert fit.loglik >= log_posteriors(fit)[-1] - 1e-8


def test_progress_is_reported_once_per_iteration() -> None:
    """A bar that stands still for a minute is taken for a hang."""
    events: list[ProgressEvent] = []
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "2PL", weights=frequencies, progress=events.append)
    assert [event.step for event in events] == list(range(1, fit.iterations + 1))
    assert {event.task for event in events} == {"EM"}


def test_weights_are_repeated_rows() -> None:
    """Frequency weights that entered as importance, or not into n, would change estimates, errors and BIC."""
    patterns, frequencies = lsat(7)
    rows = Responses.from_array(np.repeat(patterns.codes, frequencies, axis=0))
    by_rows, by_weights = fit_mml(rows, "2PL"), fit_mml(patterns, "2PL", weights=frequencies)
    np.testing.assert_allclose(by_rows.params, by_weights.params, atol=1e-10)
    np.testing.assert_allclose(by_rows.bse, by_weights.bse, rtol=1e-8)
    assert by_rows.bic == pytest.approx(by_weights.bic, abs=1e-8)
    assert by_rows.nobs == by_weights.nobs == 1000


def test_row_order_and_collapsing_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same data in another order, or one row per subject, is the same data."""
    codes = simulated(400, 6, seed=11, missing=0.1)
    fit = fit_mml(Responses.from_array(codes), "3PL")
    shuffled = fit_mml(Responses.from_array(codes[np.random.default_rng(0).permutation(400)]), "3PL")
    again = fit_mml(Responses.from_array(codes), "3PL")
    monkeypatch.setattr(patterns_module, "_REPEATED", 1.0)
    uncollapsed = fit_mml(Responses.from_array(codes), "3PL")
    assert len(uncollapsed.patterns.codes) == 400 > len(fit.patterns.codes)  # type: ignore[union-attr]
    np.testing.assert_array_equal(again.params, fit.params)
    np.testing.assert_allclose(shuffled.params, fit.params, atol=1e-10)
    np.testing.assert_allclose(uncollapsed.params, fit.params, atol=1e-8)
    assert uncollapsed.loglik == pytest.approx(fit.loglik, abs=1e-9)


def test_missing_responses_are_left_out_not_wrong() -> None:
    """A subject who was not shown an item has not failed it: dropping the rows of one item leaves the others alone."""
    codes = simulated(500, 6, seed=13)
    hidden = codes.copy()
    hidden[100:, 5] = -1
    missing, full = (fit_mml(Responses.from_array(table), "2PL") for table in (hidden, codes))
    assert missing.items["n"].tolist() == [500] * 5 + [100]
    assert missing.items.loc["i6", "se_intercept"] > 1.5 * full.items.loc["i6", "se_intercept"]
    difference = (missing.items["intercept"] - full.items["intercept"]).abs()
    assert (difference < 4 * missing.items["se_intercept"]).all()


@pytest.mark.filterwarnings("ignore:1 constant item")
def test_an_item_nobody_answered_equals_dropping_it() -> None:
    """A column of missing responses must not move the other items by the last digit."""
    codes = simulated(300, 6, seed=14, missing=0.05)
    with_column = np.column_stack([codes, np.full(300, -1)])
    dropped, kept = fit_mml(Responses.from_array(codes), "2PL"), fit_mml(Responses.from_array(with_column), "2PL")
    np.testing.assert_array_equal(kept.params, dropped.params)
    assert kept.set_aside == {"i7": "nobody answered it"}


def test_a_reversed_item_has_the_reversed_parameters() -> None:
    """Right and wrong exchanged: slope and intercept change sign, and nothing else moves."""
    codes = simulated(500, 8, seed=15)
    reflected = codes.copy()
    reflected[:, 2] = 1 - reflected[:, 2]
    plain, mirrored = (fit_mml(Responses.from_array(table), "2PL", options=TIGHT) for table in (codes, reflected))
    assert mirrored.loglik == pytest.approx(plain.loglik, abs=1e-6)
    sign = np.where(np.arange(8) == 2, -1.0, 1.0)
    np.testing.assert_allclose(mirrored.items["a"], sign * plain.items["a"], atol=1e-5)
    np.testing.assert_allclose(mirrored.items["intercept"], sign * plain.items["intercept"], atol=1e-5)


def test_guessing_reversed_is_a_slip() -> None:
    """The feasibility model is the 3PL of the reversed answers: c <-> 1 - d, with mirrored priors."""
    codes = simulated(600, 6, seed=16)
    three = fit_mml(Responses.from_array(codes), "3PL", priors={"c": NormalOnLogit(-2.0, 0.7)}, options=TIGHT)
    slip = fit_mml(Responses.from_array(1 - codes), "feasibility", priors={"d": NormalOnLogit(2.0, 0.7)}, options=TIGHT)
    # all answers reversed: theta may keep its direction (slopes negative) or turn round (slopes positive)
    turn = np.sign(slip.items["a"].to_numpy())
    assert abs(turn.sum()) == 6
    assert slip.loglik == pytest.approx(three.loglik, abs=1e-6)
    np.testing.assert_allclose(turn * slip.items["a"], three.items["a"], atol=1e-4)
    np.testing.assert_allclose(-slip.items["intercept"], three.items["intercept"], atol=1e-4)
    np.testing.assert_allclose(1 - slip.items["d"], three.items["c"], atol=1e-5)


def test_items_may_have_models_of_their_own() -> None:
    """One guessing item among 2PL items, named by item, by position or as an ItemType of one's own."""
    responses, frequencies = lsat(7)
    names = list(responses.item_names)
    by_name = fit_mml(responses, dict.fromkeys(names, "2PL") | {"i3": "3PL"}, weights=frequencies)
    by_place = fit_mml(responses, ["2PL", "2PL", "3PL", "2PL", "2PL"], weights=frequencies)
    np.testing.assert_array_equal(by_name.params, by_place.params)
    assert by_name.n_parameters == 11
    held = ItemType("2PL, c = .25", c=fixed(0.25))
    quarter = fit_mml(responses, ["2PL", "2PL", held, "2PL", "2PL"], weights=frequencies)
    assert quarter.items.loc["i3", "c"] == pytest.approx(0.25)
    assert np.isnan(quarter.items.loc["i3", "se_c"])
    assert quarter.n_parameters == 10


def test_a_fixed_latent_variance_scales_the_slopes() -> None:
    """theta in other units is the same fit: slope * sd stays."""
    responses, frequencies = lsat(7)
    grid = Grid(121, -12.0, 12.0)
    wide = fit_mml(
        responses, "2PL", weights=frequencies, latent_variance=4.0, options=MMLOptions(grid=grid, tolerance=1e-7)
    )
    unit = fit_mml(responses, "2PL", weights=frequencies, options=TIGHT)
    np.testing.assert_allclose(2.0 * wide.items["a"], unit.items["a"], atol=1e-4)
    assert wide.loglik == pytest.approx(unit.loglik, abs=1e-5)
    rasch = fit_mml(responses, "Rasch", weights=frequencies, latent_variance=1.0)
    assert rasch.n_parameters == 5
    assert rasch.population.variance == 1.0


def test_a_latent_sd_beyond_the_nodes_is_noted() -> None:
    """On nodes that end at 6, a variance of 9 is an artefact of the grid; the fit must say so."""
    rng = np.random.default_rng(5)
    probability = expit(4.0 * rng.standard_normal((800, 1)) + np.linspace(-2, 2, 8))
    with pytest.warns(QuadratureWarning, match="beyond the nodes"):
        fit = fit_mml(Responses.from_array((rng.random((800, 8)) < probability).astype(int)), "Rasch")
    assert fit.population.sd > 2
    assert any("beyond the nodes" in note for note in fit.notes)
    wide = fit_mml(fit.responses, "Rasch", options=MMLOptions(grid=Grid(201, -20.0, 20.0)))  # type: ignore[arg-type]
    assert not wide.notes


def test_a_prior_bounds_a_slope_that_runs_away() -> None:
    """Two items that agree on everybody have no finite slope; the fit says so, and a prior gives one."""
    codes = simulated(300, 5, seed=17)
    codes[:, 4] = codes[:, 3]
    with pytest.warns(ConvergenceWarning, match="runs away"):
        free = fit_mml(Responses.from_array(codes), "2PL")
    assert free.items["note"].str.contains("slope runs away").any()
    held = fit_mml(Responses.from_array(codes), "2PL", priors={"a": LogNormal(0.2, 0.4)})
    assert held.items["a"].max() < 10
    assert not held.items["note"].str.contains("runs away").any()


def test_a_warm_start_ends_at_the_same_point_sooner() -> None:
    """Refits while pruning a scale start from the last fit; they must not depend on where they started."""
    responses = Responses.from_array(simulated(500, 10, seed=18))
    cold = fit_mml(responses, "2PL", options=TIGHT)
    for start in (cold, cold.item_parameters):
        warm = fit_mml(responses, "2PL", start=start, options=TIGHT)
        assert warm.iterations < cold.iterations / 2
        np.testing.assert_allclose(warm.params, cold.params, atol=1e-6)
    fewer = responses.select(items=list(responses.item_names[:8]))
    warm, fresh = fit_mml(fewer, "2PL", start=cold, options=TIGHT), fit_mml(fewer, "2PL", options=TIGHT)
    np.testing.assert_allclose(warm.params, fresh.params, atol=1e-5)
    assert fit_mml(fewer, "3PL", start=cold).converged


@pytest.mark.slow
@pytest.mark.parametrize("model", ["Rasch", "1PL", "2PL", "3PL", "feasibility", "4PL"])
def test_known_parameters_are_recovered(model: str) -> None:
    """The estimates of simulated data scatter around the truth by as much as their standard errors say."""
    rng = np.random.default_rng(21)
    items, subjects = 20, 4000
    a = np.ones(items) if model in ("Rasch", "1PL") else rng.uniform(0.8, 2.2, items)
    intercept = rng.uniform(-1.5, 1.5, items)
    c = np.where(model in ("3PL", "4PL"), 0.2, 0.0)
    d = np.where(model in ("feasibility", "4PL"), 0.95, 1.0)
    z = rng.standard_normal(subjects)[:, None] * a + intercept
    codes = (rng.random((subjects, items)) < c + (d - c) * expit(z)).astype(int)
    items_table = fit_mml(Responses.from_array(codes), model).items
    for name, truth in (("intercept", intercept), ("a", a)):
        off = ((items_table[name] - truth) / items_table[f"se_{name}"]).dropna()
        assert len(off) == (0 if (model, name) == ("Rasch", "a") else items)
        assert (off.abs() < 4).all()
        assert len(off) == 0 or np.sqrt(np.mean(off**2)) < 1.6
