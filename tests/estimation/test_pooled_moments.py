"""A free test of convergence: at a maximum the subjects' pooled posteriors have the population's moments."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import ConvergenceWarning
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.models.priors import Normal
from tests.small_data import simulated

COMPLETE = simulated(1000, 15, seed=4)
SPARSE = simulated(1000, 15, seed=4, missing=0.3)


@pytest.mark.parametrize("codes", [COMPLETE, SPARSE], ids=["complete", "missing"])
@pytest.mark.parametrize("model", ["Rasch", "1PL", "2PL", "3PL", "feasibility", "4PL", ["2PL"] * 7 + ["3PL"] * 8])
def test_pooled_posteriors_have_the_populations_moments(model: object, codes: np.ndarray) -> None:
    """A fit that stops short of its maximum, or gradient and E-step that disagree, look converged otherwise."""
    weights = np.where(np.arange(1000) % 3, 1.0, 2.0)
    fit = fit_mml(Responses.from_array(codes), model, weights=weights, tolerance=1e-6)  # type: ignore[arg-type]
    assert fit.converged
    mean, second = fit.pooled_moments
    assert mean == pytest.approx(0.0, abs=2e-6)
    on_nodes = np.exp(fit.population.log_weights(fit.grid)) @ fit.grid.nodes[:, 0] ** 2
    assert second == pytest.approx(on_nodes, rel=1e-6)
    assert second == pytest.approx(fit.population.variance, rel=1e-4)


def test_the_moments_tell_an_unfinished_fit() -> None:
    """If they were always 0 and 1 they would test nothing."""
    with pytest.warns(ConvergenceWarning, match="limit"):
        early = fit_mml(Responses.from_array(COMPLETE), options=MMLOptions(max_iterations=2, accelerate=False))
    mean, second = early.pooled_moments
    assert abs(mean) + abs(second - 1.0) > 1e-3
    held = fit_mml(Responses.from_array(COMPLETE), priors={"a": Normal(0.5, 0.1)})
    assert abs(held.pooled_moments[1] - 1.0) > 1e-2
