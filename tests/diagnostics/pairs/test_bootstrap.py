"""The parametric bootstrap of pair statistics: what it counts, repeats, keeps and refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from psyirt.data.responses import Responses
from psyirt.diagnostics import local_dependence
from psyirt.diagnostics.pairs import bootstrap as module
from psyirt.diagnostics.pairs.bootstrap import bootstrap_null, replicated
from psyirt.diagnostics.pairs.dependence import LOCAL_DEPENDENCE
from psyirt.errors import EstimationError, InputError, NotAvailableError
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import silent
from psyirt.foundation.threads import worker_threads
from psyirt.results.calibration import Calibration
from tests.diagnostics.calibrations import LSAT7_RASCH, calibration_of, lsat_calibration
from tests.small_data import simulated


@pytest.fixture(scope="module")
def fit() -> Calibration:
    """A fit to data of the model itself, some of them missing."""
    return fit_mml(Responses.from_array(simulated(400, 5, seed=42, missing=0.1, slopes=np.full(5, 1.4))))


@pytest.mark.parametrize("name", LOCAL_DEPENDENCE)
def test_every_statistic_has_one(name: str, fit: Calibration) -> None:
    """p-values for every pair, none of them 0, and the cut-off told."""
    if name == "JSI":  # as many fits in each replication as there are items
        fit = fit_mml(Responses.from_array(simulated(300, 4, seed=47, slopes=np.full(4, 1.4))))
    table = local_dependence(fit, name, bootstrap=20, seed=1)
    p = table["p"].to_numpy(float)
    assert np.all((p >= 1.0 / 21.0 - 1e-12) & (p <= 1.0))
    assert np.all(table["p_adjusted"] >= table["p"] - 1e-12)
    assert any("parametric bootstrap of 20 replications, familywise 0.05 cut-off" in note for note in table.notes)
    assert "Westfall & Young" in table.adjustment


def test_same_seed_same_bits(fit: Calibration) -> None:
    """A cut-off that nobody can reproduce, or that depends on the machine's threads, is none."""
    first = local_dependence(fit, bootstrap=20, seed=5).frame
    with worker_threads(2):
        pd.testing.assert_frame_equal(first, local_dependence(fit, bootstrap=20, seed=5).frame, check_exact=True)
    assert not first["p"].equals(local_dependence(fit, bootstrap=20, seed=6).frame["p"])


def test_what_is_counted(fit: Calibration) -> None:
    """(1 + reached) / (1 + made), ties count as reached; the largest of each replication for the familywise p."""
    observed = np.array([2.0, 5.0, np.nan, 1.0])
    drawn = iter([[2.0, 1.0, 9.0, np.nan], [3.0, 4.0, 1.0, np.nan], [1.0, 6.0, 1.0, np.nan]])
    null = bootstrap_null("stub", fit, observed, lambda _: np.array(next(drawn)), 3, 1, silent)
    np.testing.assert_allclose(null.p, [3 / 4, 2 / 4, np.nan, np.nan])
    np.testing.assert_allclose(null.p_familywise, [4 / 4, 3 / 4, np.nan, np.nan])
    assert null.largest.tolist() == [4.0, 6.0, 9.0]
    # p < .6 where at most one of three replications reaches as far, p < .3 where none does, and never p < .25
    assert [null.cutoff(alpha) for alpha in (0.6, 0.3, 0.25)] == [6.0, 9.0, np.inf]


def test_replications_leave_out_what_subjects_left_out(fit: Calibration) -> None:
    """Missing by design must stay so: other pairs would have other subjects."""
    assert fit.patterns is not None
    replication = next(replicated(fit, "LD-X2", 1, 3))
    assert replication is not None
    assert replication.patterns is not None
    ours = np.sort((fit.patterns.codes[fit.patterns.index] < 0) @ (1 << np.arange(5)))
    theirs = np.sort((replication.patterns.codes[replication.patterns.index] < 0) @ (1 << np.arange(5)))
    np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(replication.x, fit.x)


def test_replications_come_from_the_model() -> None:
    """Simulated from the estimates: means of replications, and a free latent variance, lie around the fit's."""
    fit = fit_mml(Responses.from_array(simulated(500, 5, seed=43, slopes=np.full(5, 1.5))), "Rasch")
    found = [replication for replication in replicated(fit, "Q3", 30, 4) if replication is not None]
    x = np.array([replication.x for replication in found])
    assert len(found) == 30
    error = x.std(axis=0) / np.sqrt(30)
    assert np.all(np.abs(x.mean(axis=0) - fit.x) < 4.0 * error)
    assert {replication.population.variance for replication in found} == set(x[:, -1])


def test_loose_refits_change_nothing_that_counts(fit: Calibration, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tolerance that moved statistics by more than chance could would bias every p."""

    def statistics() -> Any:
        made = [each for each in replicated(fit, "LD-X2", 10, 8) if each is not None]
        return np.array([local_dependence(each)["x2"].to_numpy(float) for each in made])

    loose = statistics()
    monkeypatch.setattr(module, "_TOLERANCE", 1e-5)
    np.testing.assert_allclose(loose, statistics(), atol=0.02)


def test_finds_the_dependent_pair_alone() -> None:
    """Power where there is dependence, none where there is not."""
    rng = np.random.default_rng(44)
    theta, shared = rng.standard_normal((2, 600, 1))
    load = np.zeros(8)
    load[[2, 6]] = 1.5
    codes = (rng.random((600, 8)) < expit(1.2 * theta + load * shared + np.linspace(-1, 1, 8))).astype(np.int8)
    fit = fit_mml(Responses.from_array(codes))
    for name in ("LD-X2", "Q3"):
        assert local_dependence(fit, name, bootstrap=40, seed=2).flagged.index.tolist() == [("i3", "i7")]


def test_progress_and_fixed_parameters() -> None:
    """An event per replication; fixed parameters are not fitted, and the table says so. Frequencies count subjects."""
    seen = []
    calibration = lsat_calibration(7, LSAT7_RASCH, "Rasch")
    table = local_dependence(calibration, bootstrap=20, seed=1, progress=seen.append)
    assert [(event.task, event.step, event.total) for event in seen][-1] == ("parametric bootstrap", 20, 20)
    assert any(note.startswith("parameters were fixed") for note in table.notes)
    replication = next(replicated(calibration, "LD-X2", 1, 1))
    assert replication is not None
    assert replication.nobs == 1000


def test_replications_that_cannot_be_fitted() -> None:
    """An item that hardly anybody misses is often right throughout: left out, and told; none at all is an error."""
    codes = simulated(60, 5, seed=45)
    codes[:, 0] = 1
    codes[:2, 0] = 0
    fit = fit_mml(Responses.from_array(codes), "Rasch")
    table = local_dependence(fit, bootstrap=40, seed=1)
    assert any("without estimates left out" in note for note in table.notes)
    never = replace(fit, refit=lambda patterns: (fit.x, False))
    with pytest.raises(EstimationError, match="none of 20 replications"):
        local_dependence(never, bootstrap=20, seed=1)


def test_adjusting_pair_by_pair_is_doubted(fit: Calibration) -> None:
    """Holm over 10 pairs with 20 replications can never flag: silence would read as independence."""
    table = local_dependence(fit, bootstrap=20, seed=1, adjust="holm")
    assert any("use adjust='max'" in note for note in table.notes)
    assert not any("use adjust" in note for note in local_dependence(fit, bootstrap=20, seed=1).notes)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"bootstrap": 10, "seed": 1}, "at least 20"),
        ({"bootstrap": 100}, "without a seed"),
        ({"seed": 1}, "seed without bootstrap"),
        ({"bootstrap": 100, "seed": -1}, "seed is -1"),
        ({"bootstrap": 100.0, "seed": 1}, "bootstrap is a float"),
        ({"adjust": "max"}, "without a bootstrap"),
    ],
)
def test_refused(options: dict[str, Any], match: str, fit: Calibration) -> None:
    """An option that cannot work, or would be ignored."""
    with pytest.raises(InputError, match=match):
        local_dependence(fit, **options)


def test_weights_that_count_nobody() -> None:
    """Half a subject cannot be simulated."""
    codes = simulated(100, 4, seed=46)
    with pytest.raises(NotAvailableError, match="not whole numbers"):
        local_dependence(calibration_of(codes, weights=np.full(100, 1.5)), bootstrap=20, seed=1)
