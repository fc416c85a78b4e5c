"""Simulated crowds of known shape, fitted with each density of ability: what the density costs, and what it gains."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import chi2, norm

from psyirt.data.responses import Responses
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.density import Population
from psyirt.latent.histogram import HistogramPopulation

Array = NDArray[np.float64]

DENSITIES = ("normal", "davidian", "histogram")
_POINTS = np.linspace(-6.0, 6.0, 2401)


@dataclass(frozen=True)
class Shape:
    """A density of ability with mean 0 and variance 1.

    Attributes
    ----------
    draw : callable
        (count, generator) -> abilities.
    below : callable
        Its distribution function.
    """

    draw: Callable[[int, np.random.Generator], Array]
    below: Callable[[Array], Array]


_PARTS = ((0.4, -1.2, 0.5), (0.6, 0.8, 0.6))
_MEAN = sum(share * mean for share, mean, _ in _PARTS)
_SD = sum(share * (sd**2 + (mean - _MEAN) ** 2) for share, mean, sd in _PARTS) ** 0.5


def _two_groups(count: int, rng: np.random.Generator) -> Array:
    first = rng.random(count) < _PARTS[0][0]
    means, sds = (np.where(first, _PARTS[0][k], _PARTS[1][k]) for k in (1, 2))
    return np.asarray((rng.normal(means, sds) - _MEAN) / _SD)


def _two_groups_below(theta: Array) -> Array:
    return np.asarray(sum(share * norm.cdf(theta * _SD + _MEAN, mean, sd) for share, mean, sd in _PARTS))


SHAPES = {
    "normal": Shape(lambda count, rng: rng.normal(size=count), norm.cdf),
    "skewed": Shape(
        lambda count, rng: (rng.chisquare(4.0, count) - 4.0) / 8.0**0.5, lambda t: chi2.cdf(t * 8.0**0.5 + 4.0, 4.0)
    ),
    "two groups": Shape(_two_groups, _two_groups_below),
}


@one_blas_thread()
def run(shape: str, subjects: int, items: int, seeds: Iterator[int] | range) -> pd.DataFrame:
    """One row per seed and density.

    Parameters
    ----------
    shape : str
        One of `SHAPES`.
    subjects, items : int
        Of each 2PL data set.
    seeds : iterable of int
        One data set each.

    Returns
    -------
    DataFrame
        shape, seed, latent, rmse_a, rmse_b, density_error (integrated squared difference of the densities; NaN for a
        histogram, which has none), share_error (root mean squared difference of the distribution functions over the
        population), gain (log-likelihood above the normal fit), order, seconds (process time).
    """
    return pd.DataFrame([row for seed in seeds for row in _one(shape, subjects, items, seed)])


def _one(name: str, subjects: int, items: int, seed: int) -> Iterator[dict[str, object]]:
    rng, shape = np.random.default_rng(seed), SHAPES[name]
    theta = shape.draw(subjects, rng)
    slopes, difficulty = rng.lognormal(0.1, 0.3, items), rng.normal(size=items)
    answers = rng.random((subjects, items)) < expit(slopes * (theta[:, None] - difficulty))
    data, base = Responses.from_array(answers.astype(np.int8)), 0.0
    for latent in DENSITIES:
        start = time.process_time()
        fit = fit_mml(data, "2PL", latent=latent)  # type: ignore[arg-type]
        seconds = time.process_time() - start
        base = fit.loglik if latent == "normal" else base
        found = fit.item_parameters
        yield {
            "shape": name,
            "seed": seed,
            "latent": latent,
            "rmse_a": float(np.sqrt(np.mean((found.slopes[:, 0] - slopes) ** 2))),
            "rmse_b": float(np.sqrt(np.mean((found.difficulties - difficulty) ** 2))),
            "density_error": _density_error(fit.population, shape),
            "share_error": _share_error(fit.population, shape),
            "gain": fit.loglik - base,
            "order": getattr(fit.population, "order", np.nan),
            "seconds": seconds,
        }


def _density_error(population: Population, shape: Shape) -> float:
    """Integrated squared difference of the densities, both as differences of distribution functions."""
    if isinstance(population, HistogramPopulation):
        return float("nan")
    step = _POINTS[1] - _POINTS[0]
    difference = np.diff(population.share_below(_POINTS)) - np.diff(shape.below(_POINTS))
    return float(np.sum((difference / step) ** 2) * step)


def _share_error(population: Population, shape: Shape) -> float:
    """Root mean squared error of the percentile (as a share) of a member of the population."""
    below = shape.below(_POINTS)
    weights = np.diff(below)
    squared = (population.share_below(_POINTS) - below) ** 2
    return float(np.sqrt(np.sum(weights * 0.5 * (squared[1:] + squared[:-1]))))
