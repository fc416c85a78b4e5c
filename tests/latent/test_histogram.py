"""A histogram as ability density."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import InputError, NotAvailableError
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import Grid

GRID = Grid(5, -2.0, 2.0)
WEIGHTS = np.array([0.1, 0.0, 0.4, 0.3, 0.2])
MADE = HistogramPopulation(GRID, WEIGHTS)


def test_on_its_own_nodes_it_is_its_weights() -> None:
    """The log-likelihood of the calibration must be the one that was maximised."""
    np.testing.assert_allclose(np.exp(MADE.log_weights(GRID)), WEIGHTS, atol=1e-15)
    assert MADE.mean == pytest.approx(0.5)
    assert MADE.variance == pytest.approx(WEIGHTS @ (GRID.nodes[:, 0] - 0.5) ** 2)


@pytest.mark.parametrize("factor", [2, 4])
def test_finer_and_wider_nodes_keep_mean_and_shares(factor: int) -> None:
    """EAPs are taken on finer nodes: a bar counted to one side only shifts every ability."""
    finer = Grid((GRID.count - 1) * factor * 2 + 1, -4.0, 4.0)
    weights = np.exp(MADE.log_weights(finer))
    assert weights.sum() == pytest.approx(1.0)
    assert weights @ finer.nodes[:, 0] == pytest.approx(MADE.mean, abs=1e-12)
    below = weights[finer.nodes[:, 0] < 1.5].sum() + 0.5 * weights[np.isclose(finer.nodes[:, 0], 1.5)].sum()
    assert below == pytest.approx(0.8, abs=0.02)  # the node on the edge stands for a half of either bar


def test_shares_are_areas_of_bars() -> None:
    """A percentile of a step function would jump at nodes."""
    np.testing.assert_allclose(MADE.share_below([-9.0, -2.5, -2.0, -1.0, 0.0, 2.5]), [0, 0, 0.05, 0.1, 0.3, 1.0])
    assert np.isnan(MADE.share_below(np.nan))
    draws = MADE.draw(20_000, np.random.default_rng(2))
    for theta in (-2.0, 0.1, 1.2):
        assert np.mean(draws < theta) == pytest.approx(float(MADE.share_below(theta)), abs=0.015)


def test_what_is_no_distribution_is_refused() -> None:
    """Negative or absent weights would be logarithms of nothing."""
    for bad in (np.ones(4), -WEIGHTS, np.zeros(5), np.full(5, np.nan)):
        with pytest.raises(InputError, match="latent histogram"):
            HistogramPopulation(GRID, bad)
    with pytest.raises(InputError, match="no weight between 7 and 9"):
        MADE.log_weights(Grid(5, 7.0, 9.0))


def test_it_has_no_parameters_and_no_slopes() -> None:
    """Derivatives that are silently 0 would pass for standard errors."""
    assert MADE.moved({}) is MADE
    assert [part.shape for part in MADE.moment_scores(GRID, ())] == [(0, 5), (0, 0, 5)]
    for call in (
        lambda: MADE.moved({"mean": 1.0}),
        lambda: MADE.moment_scores(GRID, ("mean",)),
        lambda: MADE.log_density_slopes(np.zeros(3)),
    ):
        with pytest.raises(NotAvailableError):
            call()
