"""Slopes, loadings and communalities: the first pruning rule reads them."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.diagnostics import classical, slopes
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from tests.diagnostics.calibrations import LSAT7_2PL, LSAT7_RASCH, LSAT7_RASCH_VARIANCE, lsat_calibration
from tests.small_data import lsat


def test_communality_by_hand() -> None:
    """Slope .715 is communality .15, the 2016 study's threshold; a factor 1.7 for 1.702 would move it."""
    bank = ItemParameters(["q1", "q2", "q3"], [0.715, 1.702, -1.702], [0.0, 0.0, 0.0])
    table = slopes(fix(bank, "2PL"))
    np.testing.assert_allclose(table["communality"], [0.15, 0.5, 0.5], atol=1e-4)
    np.testing.assert_allclose(table["loading"], [0.3873, np.sqrt(0.5), -np.sqrt(0.5)], atol=1e-4)
    assert table["note"].str.contains("no standard error: no responses").all()
    assert table["note"].str.contains("no item-rest correlation: no responses").all()


def test_standard_errors_and_item_rest() -> None:
    """R mirt 1.47, Oakes: the standard error of LSAT7's third slope is .3211; item-rest as in the classical table."""
    table = slopes(lsat_calibration(7, LSAT7_2PL))
    assert table.loc["i3", "se"] == pytest.approx(0.321076974228018, rel=1e-6)
    responses, frequencies = lsat(7)
    np.testing.assert_allclose(table["item_rest"], classical(responses, weights=frequencies)["item_rest"], rtol=1e-12)
    assert (table["note"] == "").all()


def test_a_fixed_slope_has_no_standard_error() -> None:
    """Rasch slopes are 1 by definition: NaN with its reason, not 0."""
    table = slopes(lsat_calibration(7, LSAT7_RASCH, "Rasch", LSAT7_RASCH_VARIANCE))
    assert table["se"].isna().all()
    assert (table["note"] == "the Rasch slope is fixed: no standard error").all()


def test_standard_errors_only_on_request() -> None:
    """A pruning loop that pays for a covariance at each step is slow for nothing."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    table = slopes(calibration, standard_errors=False)
    assert "se" not in table.columns
    assert "items" not in vars(calibration)


def test_a_runaway_slope_stays_a_number() -> None:
    """Squaring a slope of 1e200 overflows."""
    bank = ItemParameters(["q1", "q2", "q3"], [1e200, 1.0, 1.0], [0.0, 0.0, 0.0])
    assert slopes(fix(bank, "2PL"), standard_errors=False).loc["q1", "communality"] == 1.0
