"""Number-correct scores: their distribution at each ability, and the ability each implies (EAP from sum scores)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.latent.population import Grid
from psyirt.likelihood import log_probability_table
from psyirt.scoring.eap import refined
from psyirt.scoring.problem import Measure, require_one_dimension

Array = NDArray[np.float64]

_MAX_REFINEMENTS = 3


def score_distribution(correct: Array) -> Array:
    """Probability of each number-correct score at each node (Lord & Wingersky 1984).

    Parameters
    ----------
    correct : ndarray, shape (J, Q)
        Probability of a correct response to each item at each node.

    Returns
    -------
    ndarray, shape (J + 1, Q)
        Columns sum to 1. Only products and sums of numbers in [0, 1]: no cancellation; a probability below 1e-308
        is 0.
    """
    items, nodes = correct.shape
    scores = np.zeros((items + 1, nodes))
    scores[0] = 1.0
    for j, right in enumerate(correct):
        gained = scores[: j + 1] * right
        scores[: j + 1] *= 1.0 - right
        scores[1 : j + 2] += gained
    return scores


def sum_score_table(measure: Measure) -> pd.DataFrame:
    """Ability given nothing but the number of correct responses (Thissen, Pommerich, Billeaud & Williams 1995).

    Parameters
    ----------
    measure : Calibration or Scale
        J items of one dimension, a population and a grid.

    Returns
    -------
    DataFrame
        Index ``score`` (0 to J: all items answered); columns ``theta`` and ``se`` (posterior mean and standard
        deviation given the score) and ``expected`` (share of the population with this score, 0 to 1). theta and se
        are NaN for a score whose share is too small for a number.

    Raises
    ------
    InputError
        If the items measure several abilities.
    """
    require_one_dimension(measure.item_parameters)
    grid = measure.grid
    table = _on_grid(measure, grid)
    for _ in range(_MAX_REFINEMENTS):
        # sums over nodes further apart than a posterior is wide are no integrals
        if not (table["se"] < grid.spacing).any():
            break
        grid = refined(grid, 4)
        table = _on_grid(measure, grid)
    return table


def _on_grid(measure: Measure, grid: Grid) -> pd.DataFrame:
    """The table, with integrals taken on the nodes of `grid`."""
    nodes = grid.nodes[:, 0]
    joint = score_distribution(np.exp(log_probability_table(measure.item_parameters, grid)[:, 1]))
    joint *= np.exp(measure.population.log_weights(grid))
    share = joint.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior = joint / share[:, None]
    theta = (posterior * nodes).sum(1)
    se = np.sqrt((posterior * (nodes - theta[:, None]) ** 2).sum(1))
    return pd.DataFrame({"theta": theta, "se": se, "expected": share}, index=pd.RangeIndex(len(share), name="score"))
