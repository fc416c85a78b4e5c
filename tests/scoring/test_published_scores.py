"""Scores of LSAT6 patterns against R mirt 1.47, whose maxima were polished to 1e-13."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.scoring.abilities import score
from psyirt.scoring.information import empirical_reliability, information, marginal_reliability
from tests.published import lsat6
from tests.scoring.instruments import LSAT6_2PL, LSAT6_3PL, LSAT6_RASCH, Instrument, answers

# each line: a pattern, then theta and SE by EAP, MAP, ML and WLE
TWO_PL = """
00000  -1.896770350   0.801277585  -1.895258682   0.795524813          -inf           nan  -5.703898736   2.304632895
00001  -1.474813890   0.802275698  -1.479507795   0.796129278  -4.357292001   1.652741377  -3.951496462   1.537344728
10011  -0.484636186   0.818521435  -0.506191904   0.810995277  -1.419689584   1.317180921  -1.453189810   1.316280938
11110   0.172019470   0.839766907   0.138975405   0.833147318   0.473272643   1.600998158   0.094259494   1.495630949
11111   0.645620884   0.859006654   0.606334064   0.854609151           inf           nan   1.649731350   2.165885182
"""
THREE_PL = """
00000  -1.767684588   0.779295226  -1.748367274   0.776330019          -inf           nan  -4.484628657   3.044454889
00001  -1.381062708   0.780555775  -1.360130576   0.775458063  -4.717953294   2.883104674  -3.497619089   2.158459598
01110  -0.473335595   0.883965118  -0.420035293   0.868908928          -inf           nan  -2.415138037   1.742546534
11110   0.158456979   0.866514514   0.181503512   0.837047894   0.596785655   1.514257749   0.387007472   1.401496018
11111   0.673354606   0.865835265   0.664713992   0.838660075           inf           nan   1.528839291   1.826652295
"""
RASCH = """
00000  -1.442396854   0.602084584  -1.442663718   0.596273395          -inf           nan  -4.265125775   1.720970170
00001  -1.078943246   0.604345921  -1.086201939   0.598533491  -3.076331341   1.181028025  -2.812413452   1.114336254
"""
METHODS = ["EAP", "MAP", "ML", "WLE"]
CASES = [
    pytest.param(instrument, table, id=name)
    for name, instrument, table in (
        ("2PL", LSAT6_2PL, TWO_PL),
        ("3PL", LSAT6_3PL, THREE_PL),
        ("Rasch", LSAT6_RASCH, RASCH),
    )
]


def every_subject() -> Responses:
    """The 1,000 subjects of LSAT6."""
    patterns, counts = lsat6()
    return Responses.from_array(np.repeat(patterns, counts, axis=0), item_names=LSAT6_2PL.item_parameters.item_names)


@pytest.mark.parametrize(("instrument", "table"), CASES)
@pytest.mark.parametrize("method", METHODS)
def test_patterns_score_as_in_mirt(instrument: Instrument, table: str, method: str) -> None:
    """A formula that is wrong in the same way as its twin: all right, all wrong, below chance, in between."""
    rows = [line.split() for line in table.split("\n") if line]
    at = 1 + 2 * METHODS.index(method)
    expected = np.array([row[at : at + 2] for row in rows], dtype=float)
    scores = score(instrument, answers(*(row[0] for row in rows)), method)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("instrument", "marginal", "empirical"),
    [(LSAT6_2PL, 0.29894921169342, 0.301089157185684), (LSAT6_3PL, 0.309033969835333, 0.306001754365988)],
    ids=["2PL", "3PL"],
)
def test_reliabilities_are_mirts(instrument: Instrument, marginal: float, empirical: float) -> None:
    """Reliability with the wrong error variance (1 / I for the posterior's) is far too high on five items."""
    found = marginal_reliability(instrument.item_parameters, instrument.population, instrument.grid)
    assert found == pytest.approx(marginal, abs=1e-8)
    scores = score(instrument, every_subject())
    assert empirical_reliability(scores["theta"], scores["se"]) == pytest.approx(empirical, abs=1e-10)


def test_information_is_mirts() -> None:
    """Information that forgets the lower asymptote."""
    at = information(LSAT6_3PL, [-4.0, 0.0, 4.0])["information"]
    np.testing.assert_allclose(at, [0.15727821534563, 0.526682626015596, 0.0347854510959238], atol=1e-12)
    assert information(LSAT6_2PL, 0.0)["information"].item() == pytest.approx(0.460183173066565, abs=1e-12)
