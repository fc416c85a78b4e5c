"""Jackknife slope index against R mirt, against whole fits, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import local_dependence
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import LogNormal
from tests.diagnostics.calibrations import LSAT7_1PL, LSAT7_2PL, LSAT7_RASCH, calibration_of, lsat_calibration
from tests.small_data import simulated

# R mirt 1.47, residuals(type = "JSI", fold = FALSE), LSAT7 2PL: row = the item left out. Its fits without an item end
# at mirt's usual tolerance, so that these values are good to about .01
LSAT7_JSI = np.array(
    [
        [np.nan, 0.0682571832938085, -0.782916791611314, 0.999387567950644, 0.801815776179755],
        [-1.03764405974496, np.nan, 2.70810267172768, -0.797485565339798, -0.736554877994365],
        [-1.32611723360143, 2.6603861364667, np.nan, -0.538325183889778, -0.244238503719614],
        [0.838059404146893, -0.160170344979859, -0.506610323943156, np.nan, 0.193426085238151],
        [0.550627907797934, -0.417058436993965, -0.0611511021743728, 0.115193575726076, np.nan],
    ]
)


def test_equal_to_mirt() -> None:
    """The sign, the standard error, and which of two items is left out."""
    table = local_dependence(lsat_calibration(7, LSAT7_2PL), "JSI")
    upper = np.triu_indices(5, 1)
    np.testing.assert_allclose(table["jsi_1"], LSAT7_JSI.T[upper], atol=0.01)
    np.testing.assert_allclose(table["jsi_2"], LSAT7_JSI[upper], atol=0.01)
    np.testing.assert_allclose(table["statistic"], table["jsi_1"] + table["jsi_2"])
    assert table["statistic"].idxmax() == ("i2", "i3")


def test_equal_to_whole_fits() -> None:
    """Warm starts, moved priors and missing answers lead to the fit that starts from nothing."""
    responses = Responses.from_array(simulated(250, 5, seed=31, missing=0.1))
    tight = MMLOptions(tolerance=1e-7)
    priors = {"a": LogNormal(0.0, 0.5)}
    fit = fit_mml(responses, "2PL", priors=priors, options=tight)
    table = local_dependence(fit, "JSI")
    for out in ("i1", "i4"):
        others = [item for item in responses.item_names if item != out]
        without = fit_mml(responses.select(items=others), "2PL", priors=priors, options=tight).items
        change = (fit.items.loc[others, "a"] - without["a"]) / without["se_a"]
        for item in others:
            pair, column = ((item, out), "jsi_1") if item < out else ((out, item), "jsi_2")
            assert table.loc[pair, column] == pytest.approx(change[item], abs=1e-4)


def test_finds_a_dependent_pair() -> None:
    """An item and its copy hold up each other's slopes."""
    codes = simulated(400, 6, seed=32)
    copied = np.random.default_rng(1).random(400) < 0.4
    codes[copied, 4] = codes[copied, 1]
    table = local_dependence(fit_mml(Responses.from_array(codes)), "JSI")
    assert table.top(1).index.tolist() == [("i2", "i5")]
    assert table.loc[("i2", "i5"), "statistic"] > 0


@pytest.mark.parametrize(("parameters", "model"), [(LSAT7_1PL, "1PL"), (LSAT7_RASCH, "Rasch")])
def test_slopes_that_are_not_an_items_own(parameters: tuple[list[float], ...], model: str) -> None:
    """A shared slope moves for all items alike, a fixed one not at all: neither tells anything about a pair."""
    table = local_dependence(lsat_calibration(7, parameters, model), "JSI")
    assert table["statistic"].isna().all()
    assert table["note"].str.startswith("a slope is fixed or shared").all()


def test_too_few_items() -> None:
    """Two items carry no 2PL."""
    table = local_dependence(calibration_of(simulated(200, 3, seed=33)), "JSI")
    assert table["note"].tolist() == ["needs 4 items that vary, so that 3 are left"] * 3


def test_no_estimates_without_an_item() -> None:
    """Where the rest separates, the rows say so, and a progress event per item has told how far it was."""
    codes = np.tile(np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 1]], dtype=np.int8), (30, 1))
    rng = np.random.default_rng(2)
    codes[:, 3] = rng.random(120) < 0.5
    bank = ItemParameters(["q1", "q2", "q3", "q4"], [2.0, 2.0, 2.0, 0.1], [0.0] * 4)
    seen = []
    table = local_dependence(
        fix(bank, "2PL", Responses.from_array(codes, item_names=bank.item_names)), "JSI", progress=seen.append
    )
    assert [event.step for event in seen] == [1, 2, 3, 4]
    assert table["statistic"].isna().all()
    assert table["note"].str.contains("no finite estimates without").any()
