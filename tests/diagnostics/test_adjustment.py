"""Adjusted p-values: they decide what is removed."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from psyirt.diagnostics.adjustment import ADJUSTMENTS, decide
from psyirt.errors import InputError


@pytest.mark.parametrize("method", ["holm", "fdr_bh"])
def test_equal_to_statsmodels(method: str, rng: np.random.Generator) -> None:
    """Ties, ones and a wrong direction of the running maximum show against an independent program."""
    p = np.concatenate([rng.uniform(size=40) ** 3, [0.0, 1.0, 0.01, 0.01, 0.01]])
    wanted = multipletests(p, method=method)[1]
    np.testing.assert_allclose(ADJUSTMENTS[method].apply(p), wanted, rtol=1e-13)


def test_absent_tests_do_not_count() -> None:
    """Counting NaN rows as tests makes the others too lenient or turns all of them into NaN."""
    found = decide(np.array([0.02, np.nan, 0.04]), "holm", 0.05)
    np.testing.assert_allclose(found.p_adjusted, [0.04, np.nan, 0.04])
    assert found.flag.tolist() == [True, False, True]
    assert np.isnan(decide(np.full(3, np.nan), "fdr_bh", 0.05).p_adjusted).all()


def test_unadjusted_is_said_so() -> None:
    """p-values that nobody adjusted must not be printed as adjusted."""
    found = decide(np.array([0.02, 0.04]), "none", 0.03)
    assert found.p_adjusted.tolist() == [0.02, 0.04]
    assert found.flag.tolist() == [True, False]
    assert "not adjusted" in found.adjustment
    assert found.flagged_when == "p_adjusted < 0.03"


@pytest.mark.parametrize(("adjust", "alpha"), [("hommel", 0.05), ("holm", 0.0), ("holm", 5.0)])
def test_options_that_make_no_sense(adjust: str, alpha: float) -> None:
    """A level of 5 (per cent) would flag everything; a misspelt method nothing."""
    with pytest.raises(InputError):
        decide(np.array([0.1]), adjust, alpha)
