"""Mantel-Haenszel against published numbers, statsmodels and plain loops; ETS classes at their borders."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import StratifiedTable

from psyirt.diagnostics.groups.mantel_haenszel import ets_class, mantel_haenszel
from psyirt.diagnostics.groups.matching import ItemCounts
from tests.reference import dif as twin

# Graduate admissions at Berkeley in 1973 by department (Bickel, Hammel & O'Connell, 1975):
# men admitted, rejected, women admitted, rejected
BERKELEY = [(512, 313, 89, 19), (353, 207, 17, 8), (120, 205, 202, 391), (138, 279, 131, 244), (53, 138, 94, 299)]
BERKELEY += [(22, 351, 24, 317)]


def counts_of(strata: list[tuple[int, int, int, int]]) -> ItemCounts:
    """Strata as counts: reference right, wrong, focal right, wrong."""
    table = np.array(strata, dtype=float).T
    return ItemCounts(np.arange(len(strata), dtype=float), table[[0, 2]], table[[1, 3]])


def test_published_example() -> None:
    """R's mantelhaen.test(UCBAdmissions): X-squared 1.4269, p .2323, odds ratio .9046968 (.7719074 to 1.0603298)."""
    found = mantel_haenszel(counts_of(BERKELEY))
    assert found.statistic == pytest.approx(1.4269, abs=5e-5)
    assert found.p == pytest.approx(0.2323, abs=5e-5)
    assert found.odds_ratio == pytest.approx(0.9046968, abs=5e-8)
    width = (math.log(1.0603298) - math.log(0.7719074)) / (2.0 * 1.959963985)
    assert found.se == pytest.approx(2.35 * width, rel=1e-6)
    assert found.delta == pytest.approx(-2.35 * math.log(0.9046968), abs=1e-6)
    assert found.effect == "A"
    assert found.note == ""


def test_by_hand() -> None:
    """Two strata: A = 8, E = 6 and A = 6, E = 4, variance 20 * 20 * 24 * 16 / (40^2 * 39) of half that size each."""
    found = mantel_haenszel(counts_of([(8, 2, 4, 6), (6, 4, 2, 8)]))
    variance = 10 * 10 * 12 * 8 / (400 * 19) + 10 * 10 * 8 * 12 / (400 * 19)
    assert found.statistic == pytest.approx((4.0 - 0.5) ** 2 / variance)
    assert found.odds_ratio == pytest.approx((8 * 6 / 20 + 6 * 8 / 20) / (2 * 4 / 20 + 4 * 2 / 20))


def test_equal_to_statsmodels_and_to_loops() -> None:
    """Random tables, empty cells and strata of one group among them."""
    rng = np.random.default_rng(51)
    for _ in range(20):
        strata = rng.poisson(4.0, (9, 4))
        strata[0, :2] = 0
        strata[1, [0, 2]] = 0
        found = mantel_haenszel(counts_of([tuple(row) for row in strata.tolist()]))
        chi_square, ratio, error = twin.mantel_haenszel([tuple(row) for row in strata.tolist()])
        assert found.statistic == pytest.approx(chi_square)
        assert found.odds_ratio == pytest.approx(ratio)
        assert found.se == pytest.approx(2.35 * error)
        theirs = StratifiedTable([row.reshape(2, 2).astype(float) for row in strata[2:]])
        assert found.odds_ratio == pytest.approx(theirs.oddsratio_pooled)
        assert found.se == pytest.approx(2.35 * theirs.logodds_pooled_se)
        if found.statistic > 0.0:
            assert found.statistic == pytest.approx(theirs.test_null_odds(correction=True).statistic)


def test_correction_does_not_overshoot() -> None:
    """Where the sum is as expected the chi-square is 0, not (0 - 1/2)^2 over the variance."""
    assert mantel_haenszel(counts_of([(5, 5, 5, 5)])).statistic == 0.0


def test_nothing_to_compare() -> None:
    """No score with both groups: a note and no number."""
    found = mantel_haenszel(counts_of([(5, 3, 0, 0), (0, 0, 4, 4), (6, 0, 7, 0)]))
    assert np.isnan([found.statistic, found.p, found.odds_ratio, found.delta, found.se]).all()
    assert found.effect == ""
    assert found.note == "no score at which both groups and both answers occur"


@pytest.mark.parametrize(("strata", "ratio", "effect"), [((9, 0, 0, 9), np.inf, "B-"), ((0, 9, 9, 0), 0.0, "B+")])
def test_an_infinite_odds_ratio_is_no_negligible_one(
    strata: tuple[int, int, int, int], ratio: float, effect: str
) -> None:
    """The largest difference there can be must not pass as A because its estimate is not finite."""
    found = mantel_haenszel(counts_of([strata, strata]))
    assert found.odds_ratio == ratio
    assert found.effect == effect
    assert "no finite odds ratio" in found.note


def test_small_cells_are_noted() -> None:
    """Mantel & Fleiss: the number of right answers could hardly have been another."""
    assert mantel_haenszel(counts_of([(1, 3, 1, 2), (2, 1, 1, 0)])).note == "small cells: the chi-square is doubtful"


@pytest.mark.parametrize(
    ("delta", "se", "p", "effect"),
    [
        (2.5, 0.2, 0.06, "A"),
        (0.99, 0.1, 0.001, "A"),
        (-1.0, 0.1, 0.001, "B-"),
        (1.49, 0.01, 0.001, "B+"),
        (1.5, 0.30, 0.001, "C+"),
        (1.5, 0.31, 0.001, "B+"),
        (-2.5, 0.5, 0.001, "C-"),
        (-2.5, 0.95, 0.01, "B-"),
    ],
)
def test_classes(delta: float, se: float, p: float, effect: str) -> None:
    """C needs 1.5 in size and more than 1 beyond chance; without that condition small samples are full of C."""
    assert ets_class(delta, se, p) == effect
