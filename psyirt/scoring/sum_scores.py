"""From the number of right answers to ability: EAP for sum scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.kernels.score_distributions import score_distribution
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.eap import refined
from psyirt.scoring.problem import Measure, require_measure, require_one_dimension

Array = NDArray[np.float64]

# nodes x scores held at once
_CELLS = 2_000_000
# spacing in units of the narrowest posterior's standard deviation at which sums are integrals
_SPACING = 0.75
_MAX_NODES = 20_000
# below this, products of probabilities have lost digits
_LEAST = 1e-290


@one_blas_thread()
def sum_score_table(measure: Measure) -> pd.DataFrame:
    """Ability, its standard error and percentiles for every number of right answers (EAP for sum scores).

    The posterior given the number right is taken from the distribution of that number at each ability (Lord &
    Wingersky 1984; Thissen, Pommerich, Billeaud & Williams 1995). It leaves out which items were right, so that the
    standard errors are a little larger than those of pattern scores (for Rasch items: the same).

    Only for subjects who answered every item: a number right of fewer items means something else. For those, take
    ``psyirt.score``, or a measure of just the items that were asked.

    Parameters
    ----------
    measure : Calibration or Scale
        Anything with ``item_parameters``, ``population`` and ``grid``.

    Returns
    -------
    DataFrame
        Index ``score`` (0 to the number of items); columns ``theta``, ``se`` (posterior mean and standard deviation),
        ``percentile`` (posterior mean of the share of the population below, 0 to 100), ``expected_share`` (of the
        population with that score), ``rank`` (percent of the population with a lower score, and half of those with the
        same, 0 to 100), ``note`` (where the model gives a score no probability, theta is NaN and the note says so). A
        Calibration with complete responses adds ``observed`` and ``expected``, numbers of subjects.

    Raises
    ------
    InputError
        If the items measure several abilities, or are so many and so steep that integrals need too many nodes.

    Examples
    --------
    >>> import pandas as pd, psyirt
    >>> bank = psyirt.fix(pd.DataFrame({"a": [1.0, 2.0, 1.0], "b": [-1.0, 0.0, 1.0]}, index=["q1", "q2", "q3"]))
    >>> psyirt.sum_score_table(bank)["theta"].round(2).tolist()
    [-1.01, -0.39, 0.39, 1.01]
    """
    require_measure(measure, "sum_score_table")
    parameters, population = measure.item_parameters, measure.population
    require_one_dimension(parameters)
    mass, mean, square, below = _moments(parameters, population, _grid(parameters, population, measure.grid))
    known = mass > _LEAST
    theta, second, share = (
        np.divide(part, mass, out=np.full(len(mass), np.nan), where=known) for part in (mean, square, below)
    )
    table = pd.DataFrame(
        {
            "theta": theta,
            "se": np.sqrt(np.maximum(second - theta**2, 0.0)),
            "percentile": 100.0 * share,
            "expected_share": mass,
            "rank": 100.0 * (np.cumsum(mass) - 0.5 * mass),
        },
        index=pd.RangeIndex(len(mass), name="score"),
    )
    observed = _observed(measure, len(parameters))
    if observed is not None:
        table = table.assign(observed=observed, expected=mass * observed.sum())
    return table.assign(note=np.where(known, "", "the model gives this score no probability"))


def _grid(parameters: ItemParameters, population: Population, grid: Grid) -> Grid:
    """The grid, with closer nodes where the narrowest posterior asks for them."""
    information = parameters.model.information(parameters.values, grid.nodes).sum(0)
    narrowest = 1.0 / np.sqrt(information.max(initial=0.0) + 1.0 / population.variance)
    fine = refined(grid, max(1, int(np.ceil(grid.spacing / (_SPACING * narrowest)))))
    if fine.count > _MAX_NODES:
        raise InputError(
            f"sum scores of {len(parameters)} items need {fine.count} nodes", "", "Score patterns with psyirt.score"
        )
    return fine


def _moments(parameters: ItemParameters, population: Population, grid: Grid) -> tuple[Array, Array, Array, Array]:
    """P(score), and E[theta], E[theta^2], E[share of the population below theta] on it, each of shape (J + 1,)."""
    nodes, weights = grid.nodes, np.exp(population.log_weights(grid))
    share = population.share_below(nodes[:, 0])
    functions = np.column_stack([np.ones(grid.count), nodes[:, 0], nodes[:, 0] ** 2, share]) * weights[:, None]
    out = np.zeros((len(parameters) + 1, 4))
    step = max(1, _CELLS // len(out))
    for start in range(0, grid.count, step):
        part = slice(start, start + step)
        table = np.exp(parameters.model.log_probabilities(parameters.values, nodes[part]))
        wrong, right = (np.ascontiguousarray(table[:, k]) for k in (0, 1))
        out += score_distribution(right, wrong) @ functions[part]
    return out[:, 0], out[:, 1], out[:, 2], out[:, 3]


def _observed(measure: Any, items: int) -> Array | None:
    """How many fitted subjects have each score, shape (J + 1,); None without complete responses."""
    patterns = getattr(measure, "patterns", None)
    if patterns is None or not patterns.is_complete:
        return None
    scores = patterns.codes.sum(1, dtype=np.intp)
    return np.asarray(np.bincount(scores, weights=patterns.weights, minlength=items + 1), dtype=float)
