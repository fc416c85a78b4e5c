"""Oakes's identity against Louis's: two roads to the same second derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.observed_information.louis import louis_information
from psyirt.observed_information.oakes import oakes_information
from tests.observed_information.made import MODELS, point


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("types", MODELS, ids="+".join)
def test_it_is_louis_information(types: tuple[str, ...], missing: float) -> None:
    """The two share the complete-data part alone: a slip in the missing part of either shows."""
    at = point(types, missing=missing)
    whole = louis_information(at)
    scale = np.sqrt(np.abs(np.diag(whole)))
    np.testing.assert_allclose(
        oakes_information(at) / np.outer(scale, scale), whole / np.outer(scale, scale), atol=1e-6
    )


def test_free_moments_are_moved_in_the_population() -> None:
    """A mean that is moved in the free vector alone leaves every posterior where it was."""
    at = point(("2PL",) * 3, moments=("mean", "variance"))
    np.testing.assert_allclose(oakes_information(at), louis_information(at), rtol=1e-6, atol=1e-5)
