"""Points at which information is compared: weighted responses, and free vectors that are no maximum."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.models.registry import ITEM_TYPES
from psyirt.observed_information.point import FitPoint
from tests.reference import marginal_likelihood as twin
from tests.small_data import simulated

MODEL = LogisticModel()
GRID = Grid(21, -4.5, 4.5)
MODELS = [
    ("Rasch",) * 3,
    ("1PL",) * 3,
    ("2PL",) * 3,
    ("4PL",) * 3,
    ("1PL", "1PL", "3PL"),
    ("Rasch", "2PL", "feasibility"),
]


def point(
    types: tuple[str, ...],
    *,
    subjects: int = 40,
    missing: float = 0.15,
    grid: Grid = GRID,
    moments: tuple[str, ...] | None = None,
) -> FitPoint:
    """Weighted responses to items of these types, and a free vector that is no maximum."""
    codes = simulated(subjects, len(types), seed=9, missing=missing)
    patterns = collapse(Responses.from_array(codes), np.random.default_rng(1).uniform(0.5, 3.0, subjects))
    names = [f"i{j + 1}" for j in range(len(types))]
    layout = make_layout(names, [ITEM_TYPES[name] for name in types], MODEL.slots, free_moments=moments)
    x = np.random.default_rng(2).uniform(0.4, 1.3, layout.size)
    x[layout.positions("c")] -= 2.0
    x[layout.positions("d")] += 2.0
    return FitPoint(patterns, MODEL, layout, FreePriors(layout.size), population(layout.free_moments, x), grid, x)


def population(moments: tuple[str, ...], x: np.ndarray) -> NormalPopulation:
    """The ability density of a free vector that ends with these moments."""
    return NormalPopulation(**dict(zip(moments, map(float, x[len(x) - len(moments) :]), strict=True)))


def twin_log_likelihood(at: FitPoint, codes: np.ndarray, weights: np.ndarray, x: np.ndarray) -> float:
    """The marginal log-likelihood by plain loops."""
    items = [(float(v[0]), float(v[1]), float(expit(v[2])), float(expit(v[3]))) for v in at.layout.values(x)]
    moments = population(at.layout.free_moments, x)
    nodes = list(at.grid.nodes[:, 0])
    shares = twin.node_weights([node - moments.mean for node in nodes], moments.variance)
    return twin.marginal_log_likelihood(list(codes), list(weights), items, nodes, shares)


def twin_information(at: FitPoint) -> np.ndarray:
    """Minus the second differences of the twin."""
    return -twin.hessian(lambda x: twin_log_likelihood(at, at.patterns.codes, at.patterns.weights, x), at.x)


def twin_scores(at: FitPoint) -> np.ndarray:
    """Each pattern's gradient by differences of the twin, shape (R, size)."""
    return np.array(
        [
            twin.gradient(lambda x, row=row: twin_log_likelihood(at, row[None], np.ones(1), x), at.x)
            for row in at.patterns.codes
        ]
    )
