"""Bootstrap covariances."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.patterns import Patterns, collapse
from psyirt.data.responses import Responses
from psyirt.errors import ConvergenceWarning, EstimationError, InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import ProgressEvent, silent
from psyirt.models.priors import Normal
from psyirt.results.bootstrap import bootstrap_covariance
from psyirt.results.calibration import Calibration
from tests.small_data import lsat, simulated


@pytest.fixture(scope="module")
def fit() -> Calibration:
    responses, frequencies = lsat(7)
    return fit_mml(responses, "Rasch", weights=frequencies)


def test_it_agrees_with_the_information_where_the_model_holds(fit: Calibration) -> None:
    """Two hundred samples tell a standard error to 5 %: a factor of N in the wrong place is no matter of percents."""
    found = fit.cov("bootstrap", replications=200, seed=1)
    ratio = np.sqrt(found.variances / fit.cov("sandwich").variances)
    assert np.all((ratio > 0.8) & (ratio < 1.2))
    assert found.notes == ("200 bootstrap replications",)
    assert found.replicates is not None
    np.testing.assert_allclose(found.matrix, np.cov(found.replicates.T), rtol=1e-10)
    np.testing.assert_allclose(found.replicates.mean(axis=0), fit.params, atol=0.05)


def test_a_seed_gives_the_same_and_another_seed_another(fit: Calibration) -> None:
    """An interval in a paper must come out again."""
    responses, frequencies = lsat(7)
    again = fit_mml(responses, "Rasch", weights=frequencies)
    first = fit.cov("bootstrap", replications=5, seed=3)
    np.testing.assert_array_equal(again.cov("bootstrap", replications=5, seed=3).matrix, first.matrix)
    assert not np.allclose(fit.cov("bootstrap", replications=5, seed=4).variances, first.variances)
    more = fit.cov("bootstrap", replications=6, seed=3)
    assert more.replicates is not None
    assert first.replicates is not None
    np.testing.assert_array_equal(more.replicates[:5], first.replicates)


def test_progress_is_told_per_replication(fit: Calibration) -> None:
    """Two hundred fits in silence look like a hung program."""
    events: list[ProgressEvent] = []
    fit.cov("bootstrap", replications=3, seed=9, progress=events.append)
    assert [(event.task, event.step, event.total) for event in events] == [("bootstrap", k, 3) for k in (1, 2, 3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "without a seed"),
        ({"seed": 1.5}, "seed is a float"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1, "replications": 1}, "replications is 1"),
        ({"seed": 1, "replications": 2.5}, "replications is a float"),
    ],
)
def test_a_bootstrap_that_cannot_be_repeated_or_has_no_variance_is_refused(
    fit: Calibration, options: dict[str, object], message: str
) -> None:
    """Without a seed no two runs agree."""
    with pytest.raises(InputError, match=message):
        fit.cov("bootstrap", **options)


def test_fixed_parameters_and_weights_that_count_nobody_have_none(fit: Calibration) -> None:
    """Neither has a sampling distribution that drawing subjects could show."""
    responses, frequencies = lsat(7)
    fixed = fix(fit.item_parameters, "Rasch", responses, weights=frequencies, latent_variance=fit.population.variance)
    with pytest.raises(NotAvailableError, match="nothing was estimated"):
        fixed.cov("bootstrap", seed=1)
    weighted = fit_mml(responses, "Rasch", weights=frequencies * 0.5)
    with pytest.raises(NotAvailableError, match="not whole numbers"):
        weighted.cov("bootstrap", seed=1)


def rare_item() -> Responses:
    """The third item was solved by two of sixty: one sample in seven has none."""
    codes = simulated(60, 4, seed=2)
    codes[:, 2] = 0
    codes[:2, 2] = 1
    return Responses.from_array(codes)


def test_samples_without_estimates_are_counted_and_told() -> None:
    """Left out silently, the samples with the most extreme estimates make standard errors too small."""
    fit = fit_mml(rare_item(), "Rasch")
    with pytest.warns(ConvergenceWarning, match="bootstrap replications did not converge"):
        found = fit.cov("bootstrap", replications=30, seed=1)
    assert found.replicates is not None
    failed = 30 - len(found.replicates)
    assert 1 <= failed <= 12
    assert found.notes == (
        f"{30 - failed} bootstrap replications",
        f"{failed} more did not converge and are left out: standard errors may be too small",
    )
    assert np.all(np.isfinite(found.variances))
    assert found.replicates[:, 2].min() > -8.0


def test_a_prior_keeps_those_samples() -> None:
    """An intercept with a prior is finite although every answer is wrong."""
    fit = fit_mml(rare_item(), "Rasch", priors={"intercept": Normal(0.0, 2.0)})
    found = fit.cov("bootstrap", replications=30, seed=1)
    assert found.notes == ("30 bootstrap replications",)


def test_a_sample_is_as_large_as_the_data_and_no_replication_is_an_error(fit: Calibration) -> None:
    """A sample of patterns instead of subjects would have 32 subjects and errors six times too large."""
    assert fit.patterns is not None
    seen: list[float] = []

    def refused(patterns: Patterns) -> tuple[np.ndarray, bool]:
        seen.append(patterns.total)
        return fit.x, False

    with pytest.raises(EstimationError, match="4 of 4 bootstrap replications"):
        bootstrap_covariance(fit.patterns, fit.layout, refused, 4, 1, silent)
    assert seen == [1000.0] * 4
    assert collapse(lsat(7)[0]).total == 32
