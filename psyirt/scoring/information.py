"""How precisely items measure: information, reliability."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.errors import InputError
from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.problem import Measure, require_one_dimension

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


def information_function(measure: Measure, theta: ArrayLike | None = None) -> pd.DataFrame:
    """Test information, the sum over items, and the standard error it implies.

    Parameters
    ----------
    measure : Calibration or Scale
        Anything with ``item_parameters`` and ``grid``.
    theta : array_like, shape (T,) or a number, optional
        Abilities; the nodes of the measure's grid by default.

    Returns
    -------
    DataFrame
        Index ``theta``; columns ``information`` and ``se`` = 1 / sqrt(information), +inf where there is none.

    Raises
    ------
    InputError
        If the items measure several abilities or a theta is not finite.
    """
    points = measure.grid.nodes[:, 0] if theta is None else _points(theta)
    total = _information(measure.item_parameters, points).sum(0)
    with np.errstate(divide="ignore"):
        return _frame(np.column_stack([total, 1.0 / np.sqrt(total)]), points, ("information", "se"))


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
    points = np.atleast_1d(np.asarray(theta, dtype=float))
    if points.ndim != 1 or not np.all(np.isfinite(points)):
        raise InputError("theta is not a list of finite numbers", "theta", "Give one or more numbers")
    return points


def _frame(values: Array, points: Array, columns: tuple[str, ...]) -> pd.DataFrame:
    """A table with index ``theta``."""
    return pd.DataFrame(values, index=pd.Index(points, name="theta"), columns=list(columns))
