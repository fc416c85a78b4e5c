"""Reliability that follows from item parameters and a population, with standard errors by the delta method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.items.internal_consistency import Coefficient
from psyirt.latent.density import Population
from psyirt.results.calibration import Calibration
from psyirt.scoring.problem import Measure

Array = NDArray[np.float64]

# what an item adds at the nodes, from slot values (J, S): shape (J, Q)
Curves = Callable[[Array], Array]
# steps of central differences
_STEP = 1e-5


def marginal(measure: Measure) -> Coefficient:
    """Population mean of I / (I + 1 / variance); see :func:`psyirt.scoring.information.marginal_reliability`."""
    model, nodes = measure.item_parameters.model, measure.grid.nodes

    def curves(values: Array) -> Array:
        return model.information(values, nodes)

    def value(each: Array, population: Population) -> tuple[float, Array]:
        weights, total = np.exp(population.log_weights(measure.grid)), each.sum(0)
        precision = 1.0 / population.variance
        slope = weights * precision / (total + precision) ** 2
        return float(weights @ (total / (total + precision))), np.broadcast_to(slope, each.shape)

    return _coefficient(measure, curves, value)


def number_correct(measure: Measure) -> Coefficient:
    """Variance of the expected number right over the population / variance of the number right."""
    model, nodes = measure.item_parameters.model, measure.grid.nodes

    def curves(values: Array) -> Array:
        return np.exp(model.log_probabilities(values, nodes)[:, 1])

    def value(each: Array, population: Population) -> tuple[float, Array]:
        weights, expected = np.exp(population.log_weights(measure.grid)), each.sum(0)
        away = expected - weights @ expected
        true, error = float(weights @ away**2), float((each * (1.0 - each)).sum(0) @ weights)
        slope = (error * 2.0 * away - true * (1.0 - 2.0 * each)) * weights / (true + error) ** 2
        return true / (true + error), slope

    return _coefficient(measure, curves, value)


def _coefficient(
    measure: Any, curves: Curves, value: Callable[[Array, Population], tuple[float, Array]]
) -> Coefficient:
    """The value, and its standard error where the measure is a calibration whose covariance is known."""
    values = measure.item_parameters.values
    found, slope = value(curves(values), measure.population)
    if not isinstance(measure, Calibration) or measure.patterns is None:
        return Coefficient(found, note="no SE: the parameters' covariance is not known")
    if not measure.n_parameters:
        return Coefficient(found, note="no SE: no parameter is free")
    matrix = measure.default_cov.matrix
    if matrix is None:
        return Coefficient(found, note="no SE: there is no full covariance of so many parameters")
    gradient = _gradient(measure, curves, value, slope)
    known = ~np.isnan(measure.default_cov.variances) & np.isfinite(gradient)
    variance = float(gradient[known] @ matrix[np.ix_(known, known)] @ gradient[known])
    if not known.any() or not variance > 0.0:
        return Coefficient(found, note="no SE: the covariance of the parameters is not available")
    lost = int((~known).sum())
    note = f"the SE takes {lost} parameters without a covariance as known" if lost else ""
    return Coefficient(found, float(np.sqrt(variance)), note=note)


def _gradient(
    calibration: Calibration,
    curves: Curves,
    value: Callable[[Array, Population], tuple[float, Array]],
    slope: Array,
) -> Array:
    """Derivative of the coefficient in every free parameter, natural scale, shape (size,); NaN at asymptotes of 0 or 1.

    Parameters
    ----------
    calibration : Calibration
        Where it stands.
    curves, value : callable
        The coefficient is value(curves(slot values), population).
    slope : ndarray, shape (J, Q)
        Its derivative in the curves. Every item has curves of its own, so that all items' slots move at once.
    """
    layout, values = calibration.layout, calibration.item_parameters.values
    table = np.zeros(values.shape)
    for slot in np.flatnonzero(layout.is_free.any(axis=0)):
        free = layout.is_free[:, slot]
        up, down = values.copy(), values.copy()
        up[free, slot] += _STEP
        down[free, slot] -= _STEP
        change = (curves(up) - curves(down)) / (2.0 * _STEP)
        table[free, slot] = (slope * change).sum(1)[free]
    each, population = curves(values), calibration.population
    at = dict(zip(layout.free_moments, calibration.x[layout.item_size :].tolist(), strict=True))
    ends = []
    for name, moment in at.items():
        sides = [population.moved(at | {name: moment + step}) for step in (_STEP, -_STEP)]
        ends.append((value(each, sides[0])[0] - value(each, sides[1])[0]) / (2.0 * _STEP))
    gradient = np.append(layout.fold(table), ends)
    for asymptote in ("c", "d"):
        places = layout.positions(asymptote)
        natural = calibration.params.to_numpy()[places]
        spread = natural * (1.0 - natural)
        gradient[places] = np.divide(gradient[places], spread, out=np.full(len(places), np.nan), where=spread > 0.0)
    return gradient
