"""Louis's information against the twin's marginal log-likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.observed_information import score_moments as module
from psyirt.observed_information.louis import general_information, louis_information
from tests.observed_information.made import MODELS, point, twin_information


@pytest.mark.parametrize("types", MODELS, ids="+".join)
def test_it_is_the_hessian_of_the_marginal_log_likelihood(types: tuple[str, ...]) -> None:
    """Standard errors rest on it: the Rasch variance, shared slopes, asymptotes and missing responses included."""
    at = point(types)
    np.testing.assert_allclose(louis_information(at), twin_information(at), rtol=1e-4, atol=2e-4)


def test_a_free_mean_and_variance_are_in_it() -> None:
    """A scale that old items fix leaves both moments of the new subjects free."""
    at = point(("Rasch",) * 4, moments=("mean", "variance"))
    np.testing.assert_allclose(louis_information(at), twin_information(at), rtol=1e-4, atol=2e-4)


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large data are walked through in blocks; a border that drops a row makes standard errors too large."""
    whole = general_information(point(("2PL",) * 3))
    at = point(("2PL",) * 3)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 5 * at.layout.size * at.grid.count)
    np.testing.assert_allclose(general_information(at), whole, rtol=1e-10)
