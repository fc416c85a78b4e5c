"""Cluster-robust covariances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data import patterns as patterns_module
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.mml import fit_mml
from psyirt.results.calibration import Calibration
from psyirt.results.clusters import cluster_numbers
from tests.small_data import lsat, simulated


@pytest.fixture(scope="module")
def fit() -> Calibration:
    return fit_mml(Responses.from_array(simulated(300, 4, seed=3)), "2PL")


def test_every_subject_a_cluster_is_the_sandwich(fit: Calibration) -> None:
    """The two differ by the documented factor alone, although patterns repeat and are summed differently."""
    alone = fit.cov("cluster", groups=range(300))
    np.testing.assert_allclose(alone.variances, fit.cov("sandwich").variances * 300 / 299, rtol=1e-9)
    assert alone.kind == "cluster"
    assert alone.notes == ("300 clusters, small-sample factor G / (G - 1)",)


def test_subjects_given_twice_count_once() -> None:
    """Ten answers of one system are not ten systems: what the kind is for."""
    codes = simulated(150, 4, seed=5)
    once = fit_mml(Responses.from_array(codes), "2PL")
    twice = fit_mml(Responses.from_array(np.repeat(codes, 2, axis=0)), "2PL")
    clustered = twice.cov("cluster", groups=np.repeat(np.arange(150), 2))
    np.testing.assert_allclose(clustered.variances, once.cov("sandwich").variances * 150 / 149, rtol=1e-4)
    assert np.all(twice.cov("sandwich").variances < 0.6 * clustered.variances)


def test_frequencies_of_whole_patterns_are_clusters_of_their_own() -> None:
    """A weight multiplies a subject's score before it is squared: thirty like subjects are one cluster here."""
    responses, frequencies = lsat(6)
    fit = fit_mml(responses, "2PL", weights=frequencies)
    assert fit.patterns is not None
    rows = [fit.cov("cluster", groups=range(len(frequencies))).variances, fit.cov("sandwich").variances]
    assert np.all(rows[0] > 3 * rows[1])


def test_few_clusters_are_said(fit: Calibration) -> None:
    """With five clusters the printed errors are far too small, and look like any others."""
    notes = fit.cov("cluster", groups=np.arange(300) % 5).notes
    assert notes[0].startswith("5 clusters")
    assert "fewer than 40 clusters" in notes[1]
    assert "no more clusters than parameters" in notes[2]
    assert len(fit.cov("cluster", groups=np.arange(300) % 40).notes) == 1
    assert len(fit.cov("cluster", groups=np.arange(300) % 39).notes) == 2


def test_labels_may_be_words_and_their_order_does_not_matter(fit: Calibration) -> None:
    """Labels come as strings from a table, whose index is not ours."""
    numbers = np.arange(300) % 60
    words = pd.Series([f"model {n:02d}" for n in numbers], index=np.arange(300)[::-1])
    np.testing.assert_allclose(
        fit.cov("cluster", groups=words).variances, fit.cov("cluster", groups=59 - numbers).variances, rtol=1e-10
    )
    np.testing.assert_array_equal(cluster_numbers(["b", "a", "b"], 3), [0, 1, 0])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "Give groups="),
        ([1, 2], "2 labels for 300 subjects"),
        ([1] * 300, "all subjects are in one cluster"),
        ([1, None, *[2] * 298], "subject 2 has no label"),
        ([1.0, 2.0, float("nan"), *[2.0] * 297], "subject 3 has no label"),
    ],
)
def test_labels_that_make_no_clusters_are_refused(fit: Calibration, groups: object, message: str) -> None:
    """A label too few would shift every subject into another's cluster."""
    with pytest.raises(InputError, match=message):
        fit.cov("cluster", groups=groups)


def test_collapsed_subjects_keep_their_own_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal patterns with different weights become one row, whose sum says nothing of its subjects' squares."""
    responses, weights = Responses.from_array(simulated(300, 3, seed=3)), np.linspace(0.5, 2.0, 300)
    collapsed = fit_mml(responses, "2PL", weights=weights)
    monkeypatch.setattr(patterns_module, "_REPEATED", 1.0)
    apart = fit_mml(responses, "2PL", weights=weights)
    assert len(collapsed.patterns.codes) < len(apart.patterns.codes) == 300  # type: ignore[union-attr]
    groups = np.arange(300) % 90
    np.testing.assert_allclose(
        collapsed.cov("cluster", groups=groups).variances, apart.cov("cluster", groups=groups).variances, rtol=1e-4
    )
