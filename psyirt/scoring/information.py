"""How precisely items measure: information, characteristic curves, reliability."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.problem import Measure, require_measure, require_one_dimension

Array = NDArray[np.float64]


def item_information(parameters: ItemParameters, theta: ArrayLike) -> pd.DataFrame:
    """Fisher information of each item, P'^2 / (P (1 - P)) (Birnbaum 1968, eq. 17.3.16 and 20.2.2).

    Parameters
    ----------
    parameters : ItemParameters
        J items of one dimension.
    theta : array_like, shape (T,) or a number
        Abilities.

    Returns
    -------
    DataFrame
        Index ``theta``, one column per item; unit 1 / theta^2.

    Raises
    ------
    InputError
        If the items measure several abilities or a theta is not finite.
    """
    points = _points(theta)
    return _frame(_information(parameters, points).T, points, parameters.item_names)


def information(measure: Measure, theta: ArrayLike | None = None, *, items: bool = False) -> pd.DataFrame:
    """Test information, the sum over items, and the conditional standard error it implies.

    Parameters
    ----------
    measure : Calibration or Scale
        Anything with ``item_parameters`` and ``grid``.
    theta : array_like, shape (T,) or a number, optional
        Abilities, any; the nodes of the measure's grid by default.
    items : bool
        Whether to add a column for each item's information.

    Returns
    -------
    DataFrame
        Index ``theta``; columns ``information`` (unit 1 / theta^2) and ``se`` = 1 / sqrt(information), +inf where there
        is none; then the items'.

    Raises
    ------
    InputError
        If the items measure several abilities, a theta is not finite, or an item is called like a column.

    Examples
    --------
    >>> import pandas as pd, psyirt
    >>> bank = psyirt.fix(pd.DataFrame({"a": [1.0, 2.0, 1.0], "b": [-1.0, 0.0, 1.0]}, index=["q1", "q2", "q3"]))
    >>> psyirt.information(bank, [0.0, 3.0]).round(2).to_numpy().tolist()
    [[1.39, 0.85], [0.13, 2.75]]
    """
    require_measure(measure, "information")
    points = measure.grid.nodes[:, 0] if theta is None else _points(theta)
    each = _information(measure.item_parameters, points)
    total = each.sum(0)
    with np.errstate(divide="ignore"):
        table = _frame(np.column_stack([total, 1.0 / np.sqrt(total)]), points, ("information", "se"))
    return _with_items(table, each, measure.item_parameters) if items else table


@one_blas_thread()
def characteristic_curve(measure: Measure, theta: ArrayLike | None = None, *, items: bool = False) -> pd.DataFrame:
    """Test characteristic curve: the expected number of right answers at each ability (Lord 1980, ch. 4).

    Parameters
    ----------
    measure : Calibration or Scale
        Anything with ``item_parameters`` and ``grid``.
    theta : array_like, shape (T,) or a number, optional
        Abilities, any; the nodes of the measure's grid by default.
    items : bool
        Whether to add a column for each item's curve.

    Returns
    -------
    DataFrame
        Index ``theta``; columns ``expected_score`` (0 to the number of items), ``share`` (of the items), ``score_sd``
        (of the number right at this ability); then the items' probabilities of a right answer.

    Raises
    ------
    InputError
        If the items measure several abilities, a theta is not finite, or an item is called like a column.
    """
    require_measure(measure, "characteristic_curve")
    parameters = measure.item_parameters
    require_one_dimension(parameters)
    points = measure.grid.nodes[:, 0] if theta is None else _points(theta)
    probabilities = np.exp(parameters.model.log_probabilities(parameters.values, points[:, None]))
    wrong, right = probabilities[:, 0], probabilities[:, 1]
    score = right.sum(0)
    columns = np.column_stack([score, score / len(parameters), np.sqrt((right * wrong).sum(0))])
    table = _frame(columns, points, ("expected_score", "share", "score_sd"))
    return _with_items(table, right, parameters) if items else table


def _with_items(table: pd.DataFrame, each: Array, parameters: ItemParameters) -> pd.DataFrame:
    """A table with a further column per item, from an array of shape (J, T); an ambiguous name is refused."""
    taken = [name for name in parameters.item_names if name in table.columns]
    if taken:
        raise InputError(f"an item is called {taken[0]!r}, as a column is", "items=True", "Give the item another name")
    return pd.concat([table, _frame(each.T, table.index.to_numpy(), parameters.item_names)], axis=1)


def marginal_reliability(parameters: ItemParameters, population: Population, grid: Grid) -> float:
    """Expected reliability of theta: the population mean of I / (I + 1 / variance).

    Parameters
    ----------
    parameters : ItemParameters
        J items of one dimension.
    population : Population
        Whose abilities are averaged over.
    grid : Grid
        Nodes of the integral.

    Returns
    -------
    float
        0 to 1 (Green, Bock, Humphreys, Linn & Reckase 1984;
        the error variance is the posterior's, 1 / (I + 1 / variance)).
        The unit of theta does not matter: a Rasch model and the 1PL it equals agree. (R's mirt averages over N(0, 1)
        and uses I / (I + variance), so that its value differs where the variance is not 1.)

    Raises
    ------
    InputError
        If the items measure several abilities.
    """
    information = _information(parameters, grid.nodes[:, 0]).sum(0)
    weights = np.exp(population.log_weights(grid))
    return float(np.sum(weights * information / (information + 1.0 / population.variance)))


def empirical_reliability(theta: ArrayLike, se: ArrayLike) -> float:
    """Share of the variance of estimates that is not error: var(theta) / (var(theta) + mean(se^2)).

    Parameters
    ----------
    theta, se : array_like, shape (N,)
        Estimates of N subjects and their standard errors.

    Returns
    -------
    float
        0 to 1 (Thissen & Wainer 2001, for posterior means).

    Raises
    ------
    InputError
        If there are fewer than two subjects, lengths differ, or a number is not finite.
    """
    estimates, errors = np.asarray(theta, dtype=float), np.asarray(se, dtype=float)
    if estimates.ndim != 1 or estimates.shape != errors.shape or len(estimates) < 2:
        raise InputError(
            f"{estimates.size} estimates and {errors.size} standard errors", "reliability", "Give two or more of each"
        )
    bad = int(np.count_nonzero(~(np.isfinite(estimates) & np.isfinite(errors))))
    if bad:
        raise InputError(
            f"{bad} of {len(estimates)} estimates are not finite",
            "reliability",
            "Leave them out, or use EAP, MAP or WLE",
        )
    spread = float(np.var(estimates, ddof=1))
    return spread / (spread + float(np.mean(errors**2)))


@one_blas_thread()
def _information(parameters: ItemParameters, points: Array) -> Array:
    """Item information at the points, shape (J, T)."""
    require_one_dimension(parameters)
    return parameters.model.information(parameters.values, points[:, None])


def _points(theta: ArrayLike) -> Array:
    """Abilities as a finite vector."""
    try:
        points = np.atleast_1d(np.asarray(theta, dtype=float))
    except (TypeError, ValueError):
        raise InputError("theta is not a list of finite numbers", "theta", "Give one or more numbers") from None
    if points.ndim != 1 or not np.all(np.isfinite(points)):
        raise InputError("theta is not a list of finite numbers", "theta", "Give one or more numbers")
    return points


def _frame(values: Array, points: Array, columns: tuple[str, ...]) -> pd.DataFrame:
    """A table with index ``theta``."""
    return pd.DataFrame(values, index=pd.Index(points, name="theta"), columns=list(columns))
