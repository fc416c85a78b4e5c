"""Covariances of the estimates."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.special import expit

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import Beta, LogNormal, NormalOnLogit
from psyirt.results import covariance as module
from psyirt.results.calibration import Calibration
from psyirt.results.item_table import item_notes
from tests.reference import marginal_likelihood as twin
from tests.small_data import lsat, simulated

# R mirt 1.47 (Oakes, Louis, crossprod, sandwich); order slope, intercept by item, Rasch: intercepts, variance
LSAT6_2PL_LOUIS = [0.258115, 0.205744, 0.186680, 0.090019, 0.232764, 0.076273, 0.185143, 0.099038, 0.209909, 0.135359]
LSAT6_2PL_CROSSPROD = [0.253867, 0.202575, 0.187873, 0.09025, 0.230014, 0.076241, 0.186187, 0.098803, 0.202693, 0.13316]
LSAT6_2PL_SANDWICH = [0.26841, 0.210928, 0.190222, 0.090105, 0.243548, 0.076436, 0.19192, 0.100161, 0.228752, 0.139864]
LSAT6_RASCH_OAKES = [0.130441, 0.079177, 0.071775, 0.084638, 0.105445, 0.104863]
LSAT7_RASCH_OAKES = [0.100429, 0.081157, 0.091310, 0.078725, 0.103705, 0.131349]
LSAT7_1PL_LOUIS = [0.064943, 0.100429, 0.081157, 0.09131, 0.078725, 0.103705]
LSAT6_3PL_SLOPES_AND_INTERCEPTS = [
    0.284088, 0.240662, 0.245569, 0.192456, 0.457981, 0.306914, 0.224103, 0.179432, 0.235868, 0.186194,
]  # fmt: skip
LSAT6_3PL_LOGIT_C = [0.499415, 0.497430, 0.478732, 0.498021, 0.499134]


@pytest.mark.parametrize(
    ("section", "model", "kind", "expected"),
    [
        (6, "2PL", "louis", LSAT6_2PL_LOUIS),
        (6, "2PL", "oakes", LSAT6_2PL_LOUIS),
        (6, "Rasch", "oakes", LSAT6_RASCH_OAKES),
        (6, "2PL", "crossprod", LSAT6_2PL_CROSSPROD),
        (6, "2PL", "sandwich", LSAT6_2PL_SANDWICH),
        (6, "Rasch", "louis", LSAT6_RASCH_OAKES),
        (7, "Rasch", "louis", LSAT7_RASCH_OAKES),
        (7, "1PL", "louis", LSAT7_1PL_LOUIS),
    ],
)
def test_standard_errors_are_the_references(section: int, model: str, kind: str, expected: list[float]) -> None:
    """The numbers a paper prints: R mirt 1.47's, to their last printed digits."""
    responses, frequencies = lsat(section)
    found = fit_mml(responses, model, weights=frequencies).cov(kind)
    np.testing.assert_allclose(np.sqrt(found.variances), expected, rtol=1e-4)
    assert found.kind == kind
    assert not found.problems


def test_standard_errors_with_a_prior_are_the_references() -> None:
    """The prior's curvature belongs to the information, once, on the prior's own scale (R mirt 1.47, se of logit g)."""
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "3PL", weights=frequencies, priors={"c": NormalOnLogit(-1.386, 0.5)})
    items = fit.items
    pairs = items[["se_a", "se_intercept"]].to_numpy().ravel()
    np.testing.assert_allclose(pairs, LSAT6_3PL_SLOPES_AND_INTERCEPTS, rtol=2e-4)
    np.testing.assert_allclose(items["se_c"] / (items["c"] * (1 - items["c"])), LSAT6_3PL_LOGIT_C, rtol=2e-4)


@pytest.mark.parametrize(
    ("model", "priors"), [("Rasch", None), ("3PL", {"c": NormalOnLogit(-1.4, 0.6), "a": LogNormal(0.1, 0.5)})]
)
def test_the_covariance_is_the_inverse_hessian_of_the_log_posterior(
    model: str, priors: dict[str, object] | None
) -> None:
    """From responses to standard errors by the slow twin alone: nothing of the fast path is used for the Hessian."""
    responses = Responses.from_array(simulated(80, 3, seed=12, missing=0.1))
    options = MMLOptions(grid=Grid(25, -5.0, 5.0), tolerance=1e-8)
    fit = fit_mml(responses, model, priors=priors, options=options)  # type: ignore[arg-type]
    assert fit.patterns is not None
    nodes = list(fit.grid.nodes[:, 0])

    def log_posterior(x: np.ndarray) -> float:
        items = [(float(v[0]), float(v[1]), float(expit(v[2])), float(expit(v[3]))) for v in fit.layout.values(x)]
        variance = float(x[-1]) if fit.layout.frees_variance else 1.0
        total = twin.marginal_log_likelihood(
            list(fit.patterns.codes), list(fit.patterns.weights), items, nodes, twin.node_weights(nodes, variance)
        )
        return total + (0.0 if priors is None else log_prior(x))

    def log_prior(x: np.ndarray) -> float:
        a, c = x[fit.layout.positions("a")], x[fit.layout.positions("c")]
        return float(np.sum(-0.5 * ((c + 1.4) / 0.6) ** 2) + np.sum(-0.5 * ((np.log(a) - 0.1) / 0.5) ** 2 - np.log(a)))

    numeric = np.linalg.inv(-twin.hessian(log_posterior, fit.x, step=2e-3))
    slopes = np.ones(len(fit.x))
    at = fit.layout.positions("c")
    slopes[at] = expit(fit.x[at]) * expit(-fit.x[at])
    np.testing.assert_allclose(fit.cov().matrix, numeric * np.outer(slopes, slopes), rtol=2e-3, atol=1e-5)


def test_item_blocks_are_too_small_and_say_what_they_leave_out() -> None:
    """Taking the other items as known must not pass for the full answer."""
    responses, frequencies = lsat(6)
    for model in ("2PL", "1PL", "Rasch"):
        fit = fit_mml(responses, model, weights=frequencies)
        blocks, full = fit.cov("item-blocks"), fit.cov("louis")
        known = np.isfinite(blocks.variances)
        assert np.all(blocks.variances[known] <= full.variances[known] * (1 + 1e-9))
        assert set(np.flatnonzero(~known)) == set(blocks.problems)
        assert blocks.matrix is None
    assert "latent variance" in blocks.problems[fit.layout.size - 1]


def one_item_misplaced() -> Calibration:
    """Estimates of which one item's were replaced: the likelihood curves upwards in its slope."""
    responses = Responses.from_array(simulated(200, 4, seed=3))
    fitted = fit_mml(responses, "2PL").item_parameters
    slopes, intercepts = fitted.slopes[:, 0].copy(), fitted.intercepts.copy()
    slopes[3], intercepts[3] = 0.1, 4.0
    return fix(ItemParameters(fitted.item_names, slopes, intercepts), "2PL", responses)


def test_an_information_matrix_that_is_not_positive_definite_names_its_items() -> None:
    """The inverse of such a matrix has plausible numbers on its diagonal; NaN without a reason is no better."""
    fit = one_item_misplaced()
    found = fit.cov()
    assert np.all(np.isnan(found.variances))
    assert set(found.problems) == set(range(fit.layout.size))
    guilty = {fit.layout.names[at][1] for at, why in found.problems.items() if "not positive definite here" in why}
    assert guilty == {"i4"}
    assert any("not positive definite" in note and "caused by i4" in note for note in found.notes)
    assert "caused by i4" in fit.summary()
    assert all("i4" in why for at, why in found.problems.items() if fit.layout.names[at][1] != "i4")
    assert fit.items["note"].str.contains("not positive definite").all()


def test_an_asymptote_at_its_boundary_has_no_standard_error_and_spoils_no_other() -> None:
    """Observed information at c = 0 is 0: its inverse is a huge or a negative variance."""
    responses, frequencies = lsat(6)
    with_c = fit_mml(responses, "2PL", weights=frequencies)
    parameters = ItemParameters(responses.item_names, with_c.item_parameters.slopes, with_c.item_parameters.intercepts)
    fit = fix(parameters, "3PL", responses, weights=frequencies)
    assert np.isnan(fit.items["se_c"]).all()
    assert fit.items["note"].str.contains("c is at its boundary 0: standard error not available").all()
    np.testing.assert_allclose(fit.items["se_a"], with_c.items["se_a"], rtol=1e-8)


def test_an_unknown_kind_and_a_full_matrix_that_is_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt kind must not fall back on the default."""
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "2PL", weights=frequencies)
    with pytest.raises(InputError, match="Known: louis"):
        fit.cov("oaks")
    monkeypatch.setattr(module, "FULL_LIMIT", 5)
    for kind, options in (
        ("oakes", {}),
        ("crossprod", {}),
        ("cluster", {"groups": range(32)}),
        ("bootstrap", {"seed": 1}),
    ):
        with pytest.raises(InputError, match="full covariance of 10 parameters"):
            fit.cov(kind, **options)


def test_the_sandwich_with_a_prior_is_the_twins() -> None:
    """The middle matrix is of the data's scores alone: a prior does not vary from sample to sample."""
    responses = Responses.from_array(simulated(60, 3, seed=12))
    fit = fit_mml(
        responses,
        "2PL",
        priors={"a": LogNormal(0.1, 0.3)},
        options=MMLOptions(grid=Grid(25, -5.0, 5.0), tolerance=1e-8),
    )
    assert fit.patterns is not None
    nodes = list(fit.grid.nodes[:, 0])
    weights, slopes = twin.node_weights(nodes), fit.layout.positions("a")

    def of_row(row: np.ndarray, x: np.ndarray) -> float:
        items = [(float(v[0]), float(v[1]), 0.0, 1.0) for v in fit.layout.values(x)]
        return twin.marginal_log_likelihood([list(row)], [1.0], items, nodes, weights)

    def log_prior(x: np.ndarray) -> float:
        log_a = np.log(x[slopes])
        return float(np.sum(-0.5 * ((log_a - 0.1) / 0.3) ** 2 - log_a))

    expected = twin.sandwich(of_row, log_prior, list(fit.patterns.codes), list(fit.patterns.weights), fit.x)
    np.testing.assert_allclose(fit.cov("sandwich").matrix, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(("slot", "sign", "edge"), [("c", -1.0, 0), ("d", 1.0, 1)])
def test_the_boundary_is_a_thousandth_wide(slot: str, sign: float, edge: int) -> None:
    """A boundary of .01 would deny the error of a c that was estimated; one of .0001 prints an error of nothing."""
    responses = Responses.from_array(simulated(300, 3, seed=5))
    logits = sign * np.array([6.8, 7.0, 2.0])
    asymptotes = {"lower": expit(logits)} if slot == "c" else {"upper": expit(logits)}
    parameters = ItemParameters(responses.item_names, np.ones(3), np.zeros(3), **asymptotes)
    fit = fix(parameters, "3PL" if slot == "c" else "feasibility", responses)
    said = fit.items["note"].str.contains(f"{slot} is at its boundary {edge}: standard error not available")
    assert said.tolist() == [False, True, False]


@pytest.mark.parametrize("prior", [NormalOnLogit(-1.4, 0.5), Beta(5, 17)])
def test_a_prior_dominates_from_nine_tenths_of_its_own_sd_on(prior: NormalOnLogit | Beta) -> None:
    """At .85 the data have had their say; at .95 the number is the prior's."""
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "3PL", weights=frequencies, priors={"c": prior})
    ratios = np.array([0.85, 0.89, 0.91, 0.95, 0.5])
    c = fit.params["c"].to_numpy()
    variances = fit.cov().variances.copy()
    variances[fit.layout.positions("c")] = (ratios * prior.sd * (c * (1 - c) if prior.scale == "logit" else 1.0)) ** 2
    notes = item_notes(fit, dataclasses.replace(fit.cov(), variances=variances))
    assert [any("c is dominated by its prior" in part for part in parts) for parts in notes] == [
        False, False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("louis", {"groups": [1, 2]}),
        ("sandwich", {"seed": 1}),
        ("cluster", {"groups": [1, 2], "replications": 10}),
        ("bootstrap", {"seed": 1, "groups": [1, 2]}),
        ("oakes", {"progress": print}),
    ],
)
def test_options_of_another_kind_are_refused(kind: str, options: dict[str, object]) -> None:
    """Groups that are ignored leave a reader with standard errors of independent subjects."""
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "2PL", weights=frequencies)
    with pytest.raises(InputError, match="It belongs to kind="):
        fit.cov(kind, **options)


def test_a_matrix_of_another_kind_is_labelled_like_the_default() -> None:
    """Options must reach the covariance, not get lost on the way to a table."""
    responses = Responses.from_array(simulated(200, 4, seed=3))
    fit = fit_mml(responses, "2PL")
    groups = np.arange(200) % 50
    table = fit.cov_params("cluster", groups=groups)
    np.testing.assert_array_equal(table, fit.cov("cluster", groups=groups).matrix)
    assert list(table.index) == list(fit.params.index)
