"""The M-step of the ability density: parameters that raise the expected log-density of node counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from psyirt.latent.davidian import DavidianCurve
from psyirt.latent.density import Population
from psyirt.latent.population import MEAN, VARIANCE, Array, Grid, NormalPopulation, smallest_variance

# scoring steps of one M-step, halvings of each, longest step (radians; share of the sd; log of the variance)
_STEPS, _HALVINGS, _LONGEST = 4, 20, 0.5
# share of the mean information that is added where it is nearly singular, as beside a normal density
_RIDGE = 1e-8
# share of the expected log-density below which a gain is next to rounding
_NOTHING = 1e-12


def fit_density(node_counts: Array, population: Population, grid: Grid, names: Sequence[str]) -> Array:
    """The free parameters of a density that raise the expected log-density.

    Parameters
    ----------
    node_counts : ndarray, shape (Q,)
        Expected subjects at each node.
    population : Population
        Where it stands.
    grid : Grid
        The nodes.
    names : sequence of str
        M parameters that are free.

    Returns
    -------
    ndarray, shape (M,)
        In the order of `names`; the expected log-density is never lower than where it stands.
    """
    if not names:
        return np.empty(0)
    if isinstance(population, NormalPopulation):
        return fit_moments(node_counts, population, grid, names)
    assert isinstance(population, DavidianCurve)
    curve = fit_curve(node_counts, population, grid, names, _STEPS)
    return np.array([curve.value(name) for name in names])


def fit_curve(
    node_counts: Array, curve: DavidianCurve, grid: Grid, names: Sequence[str], steps: int, least: float = 0.0
) -> DavidianCurve:
    """Fisher scoring on some parameters of a Davidian curve, each step halved until the expected log-density rises.

    Parameters
    ----------
    node_counts, grid, names
        See :func:`fit_density`.
    curve : DavidianCurve
        Where it stands.
    steps : int
        How many at most.
    least : float
        Log-density units that are worth a step.

    Returns
    -------
    DavidianCurve
    """
    smallest = smallest_variance(grid)
    reached = float(node_counts @ curve.log_weights(grid))
    for _ in range(steps):
        step, promise = _scoring_step(node_counts, curve, grid, names)
        if promise <= least:
            return curve
        if promise <= _NOTHING * abs(reached):
            # no sum could tell whether it rises: so near to the maximum a step of Newton's kind is right
            return _moved(curve, names, step)
        for _ in range(_HALVINGS):
            moved = _moved(curve, names, step)
            value = float(node_counts @ moved.log_weights(grid)) if moved.variance >= smallest else -np.inf
            if value > reached:
                break
            step = 0.5 * step
        else:
            return curve
        curve, reached = moved, value
    return curve


def _scoring_step(node_counts: Array, curve: DavidianCurve, grid: Grid, names: Sequence[str]) -> tuple[Array, float]:
    """Information^-1 gradient, no component longer than half a radian, half an sd, or half of log variance.

    Beside it what the step gains to first order.
    """
    weights, first = curve.weights_and_slopes(grid, names)
    first = first * _units(curve, names)[:, None]
    gradient = first @ node_counts
    information = (first * weights) @ first.T * node_counts.sum()
    information[np.diag_indices_from(information)] += _RIDGE * np.trace(information) / len(names) + 1e-12
    step = np.linalg.solve(information, gradient)
    step *= min(1.0, _LONGEST / float(np.abs(step).max(initial=1e-300)))
    return step, float(gradient @ step)


def _units(curve: DavidianCurve, names: Sequence[str]) -> Array:
    """What a step of 1 means: the sd for the mean, the variance for the variance (its logarithm), a radian."""
    units = {MEAN: curve.sd, VARIANCE: curve.variance}
    return np.array([units.get(name, 1.0) for name in names])


def _moved(curve: DavidianCurve, names: Sequence[str], step: Array) -> DavidianCurve:
    """The curve after a step in the units of :func:`_units`."""
    values = {}
    for name, length in zip(names, step.tolist(), strict=True):
        if name == VARIANCE:
            values[name] = curve.variance * float(np.exp(length))
        else:
            values[name] = curve.value(name) + length * (curve.sd if name == MEAN else 1.0)
    return curve.moved(values)


def fit_variance(second_moment: float, grid: Grid, mean: float = 0.0) -> float:
    """The variance whose renormalised grid density has the given second moment about `mean`.

    Parameters
    ----------
    second_moment : float
        Pooled posterior second moment, above 0.
    grid : Grid
        The nodes.
    mean : float
        The population mean.

    Returns
    -------
    float
        Found by Newton steps on log variance; the maximum of the expected log-density in the variance, or
        :func:`smallest_variance` where that is larger.
    """
    smallest = smallest_variance(grid)
    log_variance = float(np.log(max(second_moment, smallest)))
    square = (grid.nodes[:, 0] - mean) ** 2
    for _ in range(100):
        population = NormalPopulation(mean, float(np.exp(log_variance)))
        weights = np.exp(population.log_weights(grid))
        moment = float(weights @ square)
        slope = float(weights @ (square - moment) ** 2) / (2.0 * population.variance)
        step = float(np.clip((second_moment - moment) / max(slope, 1e-300), -1.0, 1.0))
        log_variance = max(log_variance + step, float(np.log(smallest)))
        if abs(step) < 1e-13:
            break
    return max(float(np.exp(log_variance)), smallest)


def fit_mean(first_moment: float, population: NormalPopulation, grid: Grid) -> float:
    """The mean whose renormalised grid density, of the given variance, has the given first moment.

    Parameters
    ----------
    first_moment : float
        Pooled posterior mean.
    population : NormalPopulation
        Its variance, and the mean to start from.
    grid : Grid
        The nodes.

    Returns
    -------
    float
        Found by Newton steps; the maximum of the expected log-density in the mean between the first and last node.
    """
    mean, theta = population.mean, grid.nodes[:, 0]
    for _ in range(100):
        weights = np.exp(NormalPopulation(mean, population.variance).log_weights(grid))
        moment = float(weights @ theta)
        spread = float(weights @ (theta - moment) ** 2)
        step = (first_moment - moment) * population.variance / max(spread, 1e-300)
        moved = float(np.clip(mean + np.clip(step, -population.sd, population.sd), grid.low, grid.high))
        done = abs(moved - mean) < 1e-13 * max(1.0, abs(mean))
        mean = moved
        if done:
            break
    return mean


def fit_moments(node_counts: Array, population: NormalPopulation, grid: Grid, moments: Sequence[str]) -> Array:
    """The moments that raise the expected log-density: the mean first, then the variance about it.

    On nodes that are close and reach far the two are the maximum; on any nodes the expected log-density does not fall.

    Parameters
    ----------
    node_counts : ndarray, shape (Q,)
        Expected subjects at each node.
    population : NormalPopulation
        Where it stands; moments that are not named stay.
    grid : Grid
        The nodes.
    moments : sequence of str
        M of "mean" and "variance".

    Returns
    -------
    ndarray, shape (M,)
        In the order of `moments`.
    """
    theta, share = grid.nodes[:, 0], node_counts / node_counts.sum()
    mean, variance = population.mean, population.variance
    if MEAN in moments:
        mean = fit_mean(float(share @ theta), population, grid)
    if VARIANCE in moments:
        variance = fit_variance(float(share @ (theta - mean) ** 2), grid, mean)
    found = {MEAN: mean, VARIANCE: variance}
    return np.array([found[name] for name in moments])
