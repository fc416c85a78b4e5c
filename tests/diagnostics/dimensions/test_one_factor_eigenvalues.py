"""Second eigenvalues of crowds simulated from one ability."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics.dimensions import one_factor_eigenvalues as module
from psyirt.diagnostics.dimensions.one_factor_eigenvalues import one_factor_eigenvalues
from psyirt.errors import NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.simulation import simulate_responses


@pytest.fixture(scope="module")
def fit():
    return fit_mml(simulate_responses(300, 8, seed=1, missing=0.1).responses)


def test_crowds_of_neighbouring_seeds_have_nothing_in_common(fit):
    """Were the seed of crowd k the first one plus k, seeds 1 and 2 would share all crowds but one."""
    one, two = one_factor_eigenvalues(fit, 6, seed=1), one_factor_eigenvalues(fit, 6, seed=2)
    assert len(np.unique(np.concatenate([one, two]))) == 12


def test_the_first_crowds_do_not_depend_on_how_many_there_are(fit):
    np.testing.assert_array_equal(one_factor_eigenvalues(fit, 3, seed=1), one_factor_eigenvalues(fit, 6, seed=1)[:3])


def test_the_crowds_have_the_size_and_gaps_of_the_responses(fit, monkeypatch):
    """A complete crowd has less noise in its matrix, and smaller second eigenvalues than the real one can have."""
    seen: list[Responses] = []
    kept = module.tetrachoric
    monkeypatch.setattr(module, "tetrachoric", lambda responses, correction: seen.append(responses) or kept(responses))
    one_factor_eigenvalues(fit, 2, seed=3)
    for crowd in seen:
        np.testing.assert_array_equal(crowd.codes < 0, fit.responses.codes < 0)
    proportions = [np.mean(crowd.codes[crowd.codes >= 0]) for crowd in seen]
    assert proportions[0] != proportions[1]
    np.testing.assert_allclose(proportions, np.mean(fit.responses.codes[fit.responses.codes >= 0]), atol=0.05)


def test_without_responses_there_is_no_size():
    with pytest.raises(NotAvailableError, match="no responses"):
        one_factor_eigenvalues(fix(simulate_responses(1, 4, seed=1).items, "2PL"), seed=1)
