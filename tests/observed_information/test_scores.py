"""Scores of the subjects against differences of the twin's log-likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.observed_information import scores as module
from psyirt.observed_information.scores import cluster_crossprod, score_blocks, score_crossprod
from tests.observed_information.made import point, twin_scores

KINDS = [("Rasch",) * 3, ("1PL", "1PL", "3PL"), ("4PL",) * 3]


@pytest.mark.parametrize("types", KINDS, ids="+".join)
def test_scores_are_gradients(types: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pattern's own, in blocks of a few rows: a block in the wrong place changes all sums silently."""
    at = point(types)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 7 * at.layout.size)
    found = np.full((len(at.patterns.codes), at.layout.size), np.nan)
    for rows, scores in score_blocks(at):
        found[rows] = scores
    np.testing.assert_allclose(found, twin_scores(at), rtol=1e-5, atol=1e-6)


def test_crossprod_is_the_sum_of_squared_scores() -> None:
    """Weights enter once per subject; squared, ten like subjects would count a hundredfold."""
    at = point(("1PL", "1PL", "3PL"))
    scores = twin_scores(at)
    expected = sum(weight * np.outer(score, score) for weight, score in zip(at.patterns.weights, scores, strict=True))
    np.testing.assert_allclose(score_crossprod(at), expected, rtol=1e-5, atol=1e-6)


def test_clusters_are_summed_before_they_are_squared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subjects of one cluster stand in different blocks, and several subjects in one pattern."""
    at = point(("2PL",) * 3, subjects=60)
    subjects = len(at.patterns.index)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 4 * at.layout.size)
    assert len(at.patterns.codes) < subjects
    clusters, weights = np.arange(subjects) % 7, np.linspace(0.5, 2.0, subjects)
    sums = np.zeros((7, at.layout.size))
    for subject, score in enumerate(twin_scores(at)[at.patterns.index]):
        sums[clusters[subject]] += weights[subject] * score
    np.testing.assert_allclose(cluster_crossprod(at, clusters, weights), sums.T @ sums, rtol=1e-5, atol=1e-5)
