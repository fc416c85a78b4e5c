"""Diagnostics of fits whose ability is not normal."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics.dimensions.one_factor_eigenvalues import one_factor_eigenvalues
from psyirt.diagnostics.items.s_x2 import s_x2
from psyirt.diagnostics.whole_model.normality import normality_test
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.latent.population import Grid
from psyirt.results.calibration import Calibration
from tests.small_data import simulated

OPTIONS = MMLOptions(grid=Grid(31, -5.0, 5.0))
DATA = Responses.from_array(simulated(500, 8, seed=4))


def fitted(latent: str) -> Calibration:
    order = 1 if latent == "davidian" else None
    return fit_mml(DATA, "2PL", latent=latent, latent_order=order, options=OPTIONS)  # type: ignore[arg-type]


@pytest.mark.parametrize("latent", ["davidian", "histogram"])
def test_item_fit_counts_the_items_own_parameters(latent: str) -> None:
    """The shape of ability belongs to no item: counted for each, it would take an item's degrees of freedom away."""
    fit = fitted(latent)
    table, normal = s_x2(fit).frame, s_x2(fit_mml(DATA, "2PL", options=OPTIONS)).frame
    np.testing.assert_allclose(table["df"], normal["df"], atol=2.0)
    assert (table["df"] >= normal["df"].min() - 1).all()
    assert np.isfinite(table["statistic"]).all()


@pytest.mark.parametrize("latent", ["davidian", "histogram"])
def test_normality_is_not_tested_where_it_was_not_assumed(latent: str) -> None:
    """The test would ask whether the scores follow the curve that was fitted to them, under the name of normality."""
    found = normality_test(fitted(latent))
    assert not found.available
    assert "another density than the normal" in found.note


def test_simulated_crowds_have_the_density() -> None:
    """Eigenvalues of a normal crowd are not those of two groups."""
    values = one_factor_eigenvalues(fitted("histogram"), 3, seed=1)
    assert np.isfinite(values).all()
    assert (values > 0.5).all()
