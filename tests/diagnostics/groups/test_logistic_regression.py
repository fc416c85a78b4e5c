"""Logistic DIF against statsmodels on single answers, and where the likelihood has no maximum."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.discrete.discrete_model import Logit

from psyirt.diagnostics.groups.logistic_dif import _classes, logistic_dif
from psyirt.diagnostics.groups.logistic_regression import group_regressions, logistic_fit
from psyirt.diagnostics.groups.mantel_haenszel import mantel_haenszel
from psyirt.diagnostics.groups.matching import ItemCounts
from tests.diagnostics.groups.test_mantel_haenszel import counts_of


def test_equal_to_statsmodels() -> None:
    """Three nested models fitted answer by answer: likelihood ratios, R2 changes, the group's coefficient."""
    rng = np.random.default_rng(61)
    focal = rng.random(400) < 0.4
    score = rng.integers(0, 9, 400).astype(float)
    chance = 1.0 / (1.0 + np.exp(-(0.5 * score - 2.0 + 0.6 * focal - 0.2 * focal * score)))
    answers = rng.random(400) < chance
    right = np.array([[np.sum(answers & (focal == g) & (score == s)) for s in range(9)] for g in (False, True)])
    wrong = np.array([[np.sum(~answers & (focal == g) & (score == s)) for s in range(9)] for g in (False, True)])
    found = group_regressions(ItemCounts(np.arange(9.0), right.astype(float), wrong.astype(float)))
    one = np.ones(400)
    designs = ([one], [one, score], [one, score, focal], [one, score, focal, focal * score])
    fits = [Logit(answers.astype(float), np.column_stack(columns)).fit(disp=0, tol=1e-12) for columns in designs]
    null = fits[0].llf
    r2 = [(1 - np.exp(2 * (null - fit.llf) / 400)) / (1 - np.exp(2 * null / 400)) for fit in fits]
    assert found.uniform == pytest.approx(2 * (fits[2].llf - fits[1].llf), rel=1e-7)
    assert found.nonuniform == pytest.approx(2 * (fits[3].llf - fits[2].llf), rel=1e-7)
    assert found.r2_uniform == pytest.approx(r2[2] - r2[1], rel=1e-7)
    assert found.r2_nonuniform == pytest.approx(r2[3] - r2[2], rel=1e-7)
    assert found.log_odds == pytest.approx(fits[2].params[2], rel=1e-6)
    assert found.se == pytest.approx(fits[2].bse[2], rel=1e-6)
    assert found.note == ""


def test_far_start() -> None:
    """Newton's first step overshoots where nearly all answers are alike; halved steps still arrive."""
    design = np.column_stack([np.ones(3), [-4.0, 0.0, 9.0]])
    right, wrong = np.array([1.0, 40.0, 900.0]), np.array([30.0, 2.0, 1.0])
    found = logistic_fit(design, right, wrong)
    chance = 1.0 / (1.0 + np.exp(-design @ found.coefficients))
    np.testing.assert_allclose(design.T @ (right - (right + wrong) * chance), 0.0, atol=1e-5)
    assert found.is_finite


def test_separated_groups() -> None:
    """All of one group right: the likelihood ratio has a limit and is reported, the log odds have none."""
    found = group_regressions(counts_of([(4, 6, 9, 0), (6, 4, 9, 0), (8, 3, 5, 0)]))
    assert np.isnan(found.log_odds)
    assert "no finite fit" in found.note
    assert found.uniform > 10.0
    # the focal group is fitted perfectly in the limit, so what is left is the reference group's own regression
    assert np.isfinite(found.nonuniform)


@pytest.mark.parametrize(
    ("strata", "note"),
    [
        ([(5, 0, 5, 0), (6, 0, 5, 0)], "the item does not vary"),
        ([(5, 3, 4, 4)], "the scores of a group do not vary"),
        ([(5, 3, 4, 4), (5, 3, 0, 0)], "the scores of a group do not vary"),
    ],
)
def test_no_regression(strata: list[tuple[int, int, int, int]], note: str) -> None:
    """Nothing varies: a note in place of a singular matrix."""
    found = group_regressions(counts_of(strata))
    assert found.note == note
    assert np.isnan(found.uniform)


def test_classes() -> None:
    """Jodoin & Gierl's bounds; what is not significant is negligible, what has no test has no class."""
    change = np.array([0.034, 0.035, 0.0699, 0.07, 0.5, np.nan])
    p = np.array([0.001, 0.001, 0.001, 0.001, 0.2, np.nan])
    assert _classes(change, p, (0.035, 0.07)) == ["A", "B", "B", "C", "A", ""]


def test_odds_ratio_on_the_scale_of_mantel_haenszel() -> None:
    """One sign and one size for both methods: without score effects the regression's odds ratio is the table's own."""
    strata = [(30, 20, 20, 30), (30, 20, 20, 30), (30, 20, 20, 30), (31, 20, 20, 29)]
    row = logistic_dif().rows([counts_of(strata)]).iloc[0]
    found = mantel_haenszel(counts_of(strata))
    assert row["delta"] == pytest.approx(found.delta, rel=0.02)
    assert row["se"] == pytest.approx(found.se, rel=0.02)
    assert row["ets_class"] == found.effect == "C-"
