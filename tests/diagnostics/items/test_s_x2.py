"""S-X2 against R mirt, against plain loops, under the null, and where it is not valid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.diagnostics import item_fit, s_x2_cells
from psyirt.errors import InputError
from tests.diagnostics.calibrations import (
    LSAT6_2PL,
    LSAT7_1PL,
    LSAT7_2PL,
    LSAT7_3PL,
    LSAT7_RASCH,
    LSAT7_RASCH_VARIANCE,
    calibration_of,
    lsat_calibration,
)
from tests.reference import sum_scores
from tests.small_data import simulated

# R mirt 1.47: S_X2 and df of the five items, at its own estimates
MIRT = {
    "lsat6 2PL": (
        (6, LSAT6_2PL, "2PL", 1.0),
        [0.450376119244669, 1.69103926280578, 0.66627989910239, 0.175307479878384, 0.111050320504735],
        [2, 2, 1, 2, 2],
    ),
    "lsat7 2PL": (
        (7, LSAT7_2PL, "2PL", 1.0),
        [4.75054023539201, 14.4534527893468, 1.27265994533716, 5.23648233799014, 0.940941996062029],
        [2, 2, 2, 2, 2],
    ),
    "lsat7 Rasch": (
        (7, LSAT7_RASCH, "Rasch", LSAT7_RASCH_VARIANCE),
        [5.59270879863094, 12.188565544481, 8.58805464721564, 8.98727107449009, 4.87730922435105],
        [2, 2, 2, 2, 2],
    ),
    "lsat7 1PL": (
        (7, LSAT7_1PL, "1PL", 1.0),
        [5.59270868028688, 12.1885659513722, 8.58805396247383, 8.98727155189504, 4.8773096068892],
        [2, 2, 2, 2, 2],
    ),
    "lsat7 3PL": (
        (7, LSAT7_3PL, "3PL", 1.0),
        [4.86696907034398, 12.3896955506098, 1.52785638907079, 4.95647573123516, 1.54298316253957],
        [1, 1, 1, 1, 1],
    ),
}


@pytest.mark.parametrize("case", MIRT)
def test_equal_to_mirt(case: str) -> None:
    """Pooling, the weights, the shared slope's df or the latent variance's df: each would show in one of these."""
    arguments, statistic, df = MIRT[case]
    table = item_fit(lsat_calibration(*arguments))
    np.testing.assert_allclose(table["statistic"], statistic, rtol=1e-9)
    assert table["df"].tolist() == df


def test_p_and_rmsea_equal_to_mirt() -> None:
    """The effect size decides with p: an N of patterns instead of subjects would blow it up."""
    table = item_fit(lsat_calibration(7, LSAT7_2PL))
    p = [0.0929893677441717, 0.000726896544907349, 0.529231157076464, 0.0729310234332091, 0.624707962759062]
    rmsea = [0.0371031907584842, 0.078949093433854, 0.0, 0.0402474971895781, 0.0]
    np.testing.assert_allclose(table["p"], p, rtol=1e-9)
    np.testing.assert_allclose(table["rmsea"], rmsea, rtol=1e-9)
    assert table["flag"].tolist() == [False, True, False, False, False]
    assert table.loc["i2", "p_adjusted"] == pytest.approx(5 * 0.000726896544907349)


def test_larger_cells_equal_to_mirt() -> None:
    """min_expected=5 is another statistic: S_X2 and df of R mirt 1.47 with mincell = 5."""
    table = item_fit(lsat_calibration(7, LSAT7_2PL), min_expected=5)
    wanted = [4.75054023539201, 0.0756073006245448, 0.350559532338487, 3.5812829316873, 0.940941996062029]
    np.testing.assert_allclose(table["statistic"], wanted, rtol=1e-9)
    assert table["df"].tolist() == [2, 1, 1, 1, 2]


def test_equal_to_plain_loops() -> None:
    """Sparse scores of a small sample meet the pooling that 1,000 subjects on five items do not."""
    codes = simulated(60, 7, seed=9)
    calibration = calibration_of(codes)
    nodes = np.linspace(-6.0, 6.0, 61)
    weights = np.exp(-0.5 * nodes**2)
    p = expit(1.2 * nodes + np.linspace(-1.0, 1.0, 7)[:, None])
    table = item_fit(calibration)
    for j in range(7):
        statistic, rows = sum_scores.s_x2(codes.tolist(), p.tolist(), (weights / weights.sum()).tolist(), j)
        assert table["rows"].iloc[j] == rows
        assert rows < 6
        assert table["statistic"].iloc[j] == pytest.approx(statistic, rel=1e-9)


def test_cells_are_the_statistic() -> None:
    """The tables a reader checks must be those the number came from."""
    calibration = lsat_calibration(6, LSAT6_2PL)
    cells = s_x2_cells(calibration, "i3")
    gap = (cells["correct"] - cells["expected_correct"]) ** 2
    value = (gap / cells["expected_correct"] + gap / cells["expected_wrong"]).sum()
    assert value == pytest.approx(0.66627989910239, rel=1e-9)
    raw = s_x2_cells(calibration, "i3", pooled=False)
    assert raw.index.tolist() == [1, 2, 3, 4]
    assert len(cells) == 3
    assert cells["subjects"].sum() == raw["subjects"].sum() == 1000 - 3 - 298


def test_first_cells_equal_to_mirt() -> None:
    """R mirt 1.47, LSAT6 2PL, item 1: observed and expected before pooling."""
    cells = s_x2_cells(lsat_calibration(6, LSAT6_2PL), "i1", pooled=False)
    assert cells["wrong"].tolist() == [10, 23, 25, 15]
    assert cells["correct"].tolist() == [10, 62, 212, 342]
    wanted = [10.7414962057378, 21.8748377766425, 26.7922765345347, 13.7076891388882]
    np.testing.assert_allclose(cells["expected_wrong"], wanted, rtol=1e-10)


def test_missing_responses_are_not_dropped_in_silence() -> None:
    """Rows that vanish without a word are what makes other programs' S-X2 wrong with missing data."""
    codes = simulated(300, 6, seed=10)
    codes[:40, 1] = -1
    calibration = calibration_of(codes)
    table = item_fit(calibration, missing="not-valid")
    assert table["statistic"].isna().all()
    reason = "not valid: 40 of 300 subjects have missing responses"
    assert (table["note"] == reason).all()
    assert table.notes == (reason,)
    assert repr(table).startswith(f"S-X2: 6 of 6 items not testable: {reason}")
    used = item_fit(calibration, missing="complete-rows")
    alone = item_fit(calibration_of(codes[40:]))
    np.testing.assert_allclose(used["statistic"], alone["statistic"], rtol=1e-12)
    np.testing.assert_allclose(used["rmsea"], alone["rmsea"], rtol=1e-12)
    assert used["note"].str.contains("40 of 300 .* completely at random").all()
    assert len(used.notes) == 2  # the second says that given parameters count as estimated
    assert repr(used).count("completely at random") == 1
    with pytest.raises(InputError, match="40 of 300"):
        s_x2_cells(calibration, "i1", missing="not-valid")
    everybody = item_fit(calibration)
    assert everybody["statistic"].notna().all()
    assert "40 of 300" in repr(everybody)
    assert s_x2_cells(calibration, "i1")["subjects"].sum() == 300


def test_nobody_answered_everything() -> None:
    """No complete row at all: still a table, with the reason."""
    codes = simulated(50, 5, seed=11)
    codes[:25, 0] = -1
    codes[25:, 4] = -1
    table = item_fit(calibration_of(codes), missing="complete-rows")
    assert (table["note"] == "not valid: 50 of 50 subjects have missing responses").all()


def test_no_degrees_of_freedom() -> None:
    """R mirt 1.47 gives NaN for three LSAT7 items (3PL, mincell 5); a p-value at df = 0 would be made up."""
    table = item_fit(lsat_calibration(7, LSAT7_3PL, "3PL"), min_expected=5)
    assert table["p"].isna().tolist() == [False, True, True, True, False]
    assert table.loc["i2", "note"] == "no degrees of freedom: 3 rows after pooling, 3 free parameters"
    np.testing.assert_allclose(table["statistic"].dropna(), [4.86696907034398, 1.54298316253957], rtol=1e-9)


@pytest.mark.parametrize("options", [{"min_expected": 0.0}, {"min_expected": -1.0}, {"missing": "drop"}])
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    """Cells of expectation 0 divide by it."""
    with pytest.raises(InputError):
        item_fit(lsat_calibration(7, LSAT7_2PL), **options)


def test_unknown_item() -> None:
    """The error names the item, not a list index."""
    with pytest.raises(InputError, match="no item 'q99'"):
        s_x2_cells(lsat_calibration(7, LSAT7_2PL), "q99")


def test_finds_a_non_monotone_item() -> None:
    """An item that the able get wrong is what S-X2 is for: it must stand out from the ten it is mixed with."""
    rng = np.random.default_rng(12)
    theta = rng.standard_normal((1000, 1))
    intercept = np.linspace(-1.0, 1.0, 11)
    p = expit(1.2 * theta + intercept)
    p[:, 5] = expit(1.2 - theta[:, 0] ** 2)
    codes = (rng.random(p.shape) < p).astype(np.int8)
    table = item_fit(calibration_of(codes))
    assert table["p_adjusted"].idxmin() == "i6"
    assert table.loc["i6", "flag"]
    assert table.loc["i6", "rmsea"] > 2.0 * table["rmsea"].drop("i6").max()


def test_size_under_the_null() -> None:
    """At the true parameters the statistic less its parameters' share follows chi-square of the rows: mean = rows."""
    rng = np.random.default_rng(13)
    ratio = []
    for _ in range(20):
        theta = rng.standard_normal((400, 1))
        codes = (rng.random((400, 10)) < expit(1.2 * theta + np.linspace(-1.0, 1.0, 10))).astype(np.int8)
        table = item_fit(calibration_of(codes))
        ratio.append((table["statistic"] / table["rows"]).mean())
    # 200 chi-squares of about 8 df each: the mean of statistic / rows has a standard error near .035
    assert np.mean(ratio) == pytest.approx(1.0, abs=0.12)
