"""Answers spread over scores against sums over subjects."""

from __future__ import annotations

import math

import numpy as np

from psyirt.kernels.answer_spread import SPREAD_POINTS, answer_scores, lagrange_weights, spread_answers
from tests.reference import answer_spread as twin


def case(rng):
    """Answers, weights and slopes of 40 subjects and 11 items."""
    codes = (rng.random((40, 11)) < 0.6).astype(np.int8)
    return codes, rng.uniform(0.5, 2.0, 40), rng.uniform(0.3, 1.5, 11)


def test_scores_are_sums_of_slopes(rng):
    """A wrong score puts a subject at another ability."""
    codes, _, slopes = case(rng)
    scores = np.empty(40)
    answer_scores(codes, slopes, scores)
    np.testing.assert_allclose(scores, [twin.sum_score(row, slopes) for row in codes], rtol=1e-13)


def test_lagrange_weights_are_those_of_the_polynomial(rng):
    """On the points themselves as well, where a formula with divisions breaks down."""
    values, weights = rng.normal(size=SPREAD_POINTS), np.empty(SPREAD_POINTS)
    for t in (3.0, 3.4, 4.0, 3.999999):
        lagrange_weights(t, weights)
        assert math.isclose(weights @ values, twin.interpolate(t, values), rel_tol=1e-11)


def test_sums_over_points_are_sums_over_subjects(rng):
    """What a standard error sums over subjects is summed over points instead."""
    codes, weights, slopes = case(rng)
    scores = np.array([twin.sum_score(row, slopes) for row in codes])
    start, spacing = scores.min() - 1.0, 0.2
    points = start + spacing * np.arange(int((scores.max() + 1.0 - start) / spacing) + 2)
    at_scores, point_weights, answers = np.empty(40), np.zeros(len(points)), np.zeros((len(points), 11))
    spread_answers(codes, weights, scores, start, spacing, np.cos(points), at_scores, point_weights, answers)
    total, by_item = twin.weighted_sums(codes, weights, scores, math.cos)
    np.testing.assert_allclose(at_scores, np.cos(scores), atol=1e-9)
    np.testing.assert_allclose(point_weights @ np.cos(points), total, atol=1e-8)
    np.testing.assert_allclose(answers.T @ np.cos(points), by_item, atol=1e-8)
    np.testing.assert_allclose(point_weights.sum(), weights.sum(), rtol=1e-12)


def test_what_is_there_is_added_to(rng):
    """Blocks of subjects share one table; a kernel that fills it keeps the last block alone."""
    codes, weights, slopes = case(rng)
    scores = codes @ slopes
    results = [(np.empty(40), np.full(200, before), np.full((200, 11), before)) for before in (0.0, 3.0)]
    for at_scores, point_weights, answers in results:
        spread_answers(codes, weights, scores, -2.0, 0.1, np.zeros(200), at_scores, point_weights, answers)
    np.testing.assert_allclose(results[1][1] - results[0][1], 3.0, atol=1e-12)
    np.testing.assert_allclose(results[1][2] - results[0][2], 3.0, atol=1e-12)
