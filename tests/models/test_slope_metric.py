"""Loading and communality of a slope: what the 2016 study's threshold of .15 speaks of."""

from __future__ import annotations

import math

import numpy as np
import pytest

from psyirt.models.slope_metric import communality, loading, slope_of_loading


@pytest.mark.parametrize("slope", [-2.6, -0.3, 0.0, 0.715, 1.0, 4.2])
def test_loading_and_communality_are_the_formulas(slope):
    """A metric of 1.7, or 1.702 in one place only, moves items across a threshold."""
    ogive = slope / 1.702
    assert loading(slope) == pytest.approx(ogive / math.sqrt(1 + ogive**2), rel=1e-14)
    assert communality(slope) == pytest.approx(ogive**2 / (1 + ogive**2), rel=1e-13)


def test_a_communality_of_15_hundredths_is_a_slope_of_715_thousandths():
    assert slope_of_loading(math.sqrt(0.15)) == pytest.approx(0.71498, abs=1e-5)


def test_the_inverse_undoes_the_loading():
    slopes = np.array([-3.0, -0.2, 0.0, 0.9, 5.0])
    np.testing.assert_allclose(slope_of_loading(loading(slopes)), slopes, rtol=1e-12, atol=1e-15)


def test_a_slope_that_runs_away_has_a_loading_of_one():
    """Its square overflows; the loading must not become NaN."""
    assert loading(1e300) == 1.0
    assert communality(-1e300) == 1.0
