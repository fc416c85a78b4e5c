"""Standard errors of tetrachoric correlations, against another program and against repeated sampling."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import tetrachoric
from tests.small_data import lsat, simulated

# R polycor 0.8-1, polychor(ML = TRUE), LSAT7: pair -> variance of rho with both thresholds estimated
POLYCOR = {(1, 2): 0.00330162416413086, (1, 3): 0.00347892209941314, (2, 3): 0.00232311615775332}


def test_equal_to_polycor() -> None:
    """With thresholds taken for known the variance of the first pair would be .003296."""
    responses, frequencies = lsat(7)
    errors = tetrachoric(responses, weights=frequencies).se
    for (i, j), variance in POLYCOR.items():
        assert errors.iloc[i - 1, j - 1] ** 2 == pytest.approx(variance, rel=5e-5)
    np.testing.assert_allclose(errors, errors.T, rtol=1e-13)
    assert (np.diag(errors) == 0.0).all()


def test_spread_of_repeated_estimates_with_missing_responses() -> None:
    """Thresholds from everybody and cells from some: an error that counts either wrongly is off by a tenth or more."""
    rng = np.random.default_rng(3)
    wanted = np.array([[1.0, 0.5], [0.5, 1.0]])
    estimates, errors = [], []
    for _ in range(800):
        codes = (rng.multivariate_normal([0, 0], wanted, size=400) > [0.3, -0.4]).astype(float)
        codes[rng.random(codes.shape) < [0.1, 0.5]] = np.nan
        found = tetrachoric(Responses.from_array(codes))
        estimates.append(found.correlations.iloc[0, 1])
        errors.append(found.se.iloc[0, 1])
    assert np.std(estimates) == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=0.08)


def test_no_error_where_there_is_no_inside_estimate() -> None:
    """A correlation of 1 from an empty cell is not known without error."""
    codes = simulated(200, 4, seed=7)
    codes[:, 1] = codes[:, 0]
    codes[:, 3] = 1
    errors = tetrachoric(Responses.from_array(codes)).se
    assert np.isnan(errors.iloc[0, 1])
    assert errors.iloc[0, 2] > 0.0
    assert errors.iloc[3].isna().all()
