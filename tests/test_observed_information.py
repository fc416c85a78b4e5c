"""Louis's information and the cross-product against the twin's marginal log-likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt import observed_information as module
from psyirt.data.patterns import Patterns, collapse
from psyirt.data.responses import Responses
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.layout import ParameterLayout, make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.models.registry import ITEM_TYPES
from psyirt.observed_information import information_blocks, information_matrices
from tests.reference import marginal_likelihood as twin
from tests.small_data import simulated

MODEL = LogisticModel()
GRID = Grid(21, -4.5, 4.5)
NODES = list(GRID.nodes[:, 0])
MODELS = [
    ("Rasch",) * 3,
    ("1PL",) * 3,
    ("2PL",) * 3,
    ("4PL",) * 3,
    ("1PL", "1PL", "3PL"),
    ("Rasch", "2PL", "feasibility"),
]


def case(types: tuple[str, ...]) -> tuple[Patterns, ParameterLayout, np.ndarray]:
    """Weighted responses with missing ones, and a free vector that is no maximum."""
    codes = simulated(40, 3, seed=9, missing=0.15)
    patterns = collapse(Responses.from_array(codes), np.random.default_rng(1).uniform(0.5, 3.0, 40))
    layout = make_layout(("i1", "i2", "i3"), [ITEM_TYPES[name] for name in types], MODEL.slots)
    x = np.random.default_rng(2).uniform(0.4, 1.3, layout.size)
    x[layout.positions("c")] -= 2.0
    x[layout.positions("d")] += 2.0
    return patterns, layout, x


def twin_log_likelihood(codes: np.ndarray, weights: np.ndarray, layout: ParameterLayout, x: np.ndarray) -> float:
    values = layout.values(x)
    items = [(float(v[0]), float(v[1]), float(expit(v[2])), float(expit(v[3]))) for v in values]
    variance = float(x[-1]) if layout.frees_variance else 1.0
    return twin.marginal_log_likelihood(list(codes), list(weights), items, NODES, twin.node_weights(NODES, variance))


def population(layout: ParameterLayout, x: np.ndarray) -> NormalPopulation:
    return NormalPopulation(0.0, float(x[-1]) if layout.frees_variance else 1.0)


@pytest.mark.parametrize("types", MODELS, ids="+".join)
def test_louis_is_the_hessian_of_the_marginal_log_likelihood(types: tuple[str, ...]) -> None:
    """Standard errors rest on it: the Rasch variance, shared slopes, asymptotes and missing responses included."""
    patterns, layout, x = case(types)
    found = information_matrices(patterns, MODEL, layout, layout.values(x), population(layout, x), GRID)
    numeric = twin.hessian(lambda at: twin_log_likelihood(patterns.codes, patterns.weights, layout, at), x)
    np.testing.assert_allclose(found.observed, -numeric, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("types", [("Rasch",) * 3, ("1PL", "1PL", "3PL")], ids="+".join)
def test_crossprod_is_the_sum_of_squared_scores(types: tuple[str, ...]) -> None:
    """Weights enter once per subject; squared, ten like subjects would count a hundredfold."""
    patterns, layout, x = case(types)
    found = information_matrices(patterns, MODEL, layout, layout.values(x), population(layout, x), GRID).crossprod
    expected = np.zeros_like(found)
    for row, weight in zip(patterns.codes, patterns.weights, strict=True):
        score = twin.gradient(lambda at, row=row: twin_log_likelihood(row[None], np.ones(1), layout, at), x)
        expected += weight * np.outer(score, score)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large data are walked through in blocks; a border that drops a row makes standard errors too large."""
    patterns, layout, x = case(("2PL",) * 3)
    whole = information_matrices(patterns, MODEL, layout, layout.values(x), NormalPopulation(), GRID)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 5 * layout.size * GRID.count)
    parts = information_matrices(patterns, MODEL, layout, layout.values(x), NormalPopulation(), GRID)
    np.testing.assert_allclose(parts.observed, whole.observed, rtol=1e-10)
    np.testing.assert_allclose(parts.crossprod, whole.crossprod, rtol=1e-10)


def test_item_blocks_are_the_diagonal_blocks_of_the_full_matrix() -> None:
    """For items that share nothing the two computations describe the same second derivatives."""
    patterns, layout, x = case(("3PL",) * 3)
    full = information_matrices(patterns, MODEL, layout, layout.values(x), NormalPopulation(), GRID).observed
    blocks = information_blocks(patterns, MODEL, layout.values(x), NormalPopulation(), GRID)
    for j, at in enumerate(layout.index):
        free = at >= 0
        np.testing.assert_allclose(
            blocks[j][np.ix_(free, free)], full[np.ix_(at[free], at[free])], rtol=1e-8, atol=1e-8
        )
