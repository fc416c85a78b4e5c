"""RMSD against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_fit as twin
from tests.small_data import simulated


def test_equal_to_plain_loops() -> None:
    """Weights of the population in place of the expected counts would be another effect size."""
    codes = simulated(60, 6, seed=51, missing=0.2)
    calibration = calibration_of(codes)
    nodes = np.linspace(-6.0, 6.0, 61)
    weights = np.exp(-0.5 * nodes**2)
    p = expit(1.2 * nodes + np.linspace(-1.0, 1.0, 6)[:, None])
    table = item_fit(calibration, "RMSD")
    for j in range(6):
        wanted = twin.rmsd(codes.tolist(), p.tolist(), (weights / weights.sum()).tolist(), j)
        assert (table["statistic"].iloc[j], table["md"].iloc[j]) == pytest.approx(wanted, rel=1e-8)


def test_an_item_that_is_easier_than_its_parameters_say() -> None:
    """The sign of the mean difference tells what to do about an item."""
    responses, intercepts = Responses.from_array(simulated(500, 10, seed=52)), np.linspace(-1.0, 1.0, 10)
    harder = intercepts - 1.5 * (np.arange(10) == 3)
    table, worse = (
        item_fit(fix(ItemParameters(responses.item_names, [1.2] * 10, each), "2PL", responses), "RMSD", cutoff=0.15)
        for each in (intercepts, harder)
    )
    assert worse.loc["i4", "md"] > table.loc["i4", "md"] + 0.1
    assert worse.loc["i4", "flag"]
    assert worse.flagged_when == "RMSD > 0.15"


def test_cutoff_out_of_range() -> None:
    """12 in place of 0.12 would never flag."""
    with pytest.raises(InputError, match="cutoff is 12"):
        item_fit(lsat_calibration(7, LSAT7_2PL), "RMSD", cutoff=12)
