"""What shape ability has when it need not be normal: weights on the nodes, items held fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.node_weights import Mixture, climb
from psyirt.foundation.arguments import require
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import posteriors
from psyirt.results.calibration import Calibration

Array = NDArray[np.float64]

# log-likelihood units: the maximum is less than this above the value reached
_GAP = 0.01
_STEPS = 500


@dataclass(frozen=True, eq=False)
class EmpiricalHistogram:
    """Ability density as free weights on equally spaced nodes, at fixed item parameters.

    Attributes
    ----------
    nodes : ndarray, shape (Q,)
        Abilities, increasing, equally spaced.
    weights : ndarray, shape (Q,)
        Share of the population at each node; they sum to 1. The maximum of the likelihood is a few spikes, so read
        the moments and the cumulative shares rather than single bars.
    mean, sd : float
        Moments, in units of theta.
    skewness, kurtosis : float
        Standardised third moment, and standardised fourth moment minus 3: both 0 for a normal density.
    log_likelihood_gain : float
        Log-likelihood above that of the density the items were calibrated under (at least 0 but for rounding).
    status : {"converged", "stopped at the limit"}
        Converged: no weights have a log-likelihood more than `gap` higher.
    gap : float
        Upper bound of what is left to gain (N times the largest gradient component, which is 0 at the maximum).
    iterations : int
        Steps taken.
    """

    nodes: Array
    weights: Array
    mean: float
    sd: float
    skewness: float
    kurtosis: float
    log_likelihood_gain: float
    status: str
    gap: float
    iterations: int

    def __post_init__(self) -> None:
        """Keep copies of the arrays that nobody can change."""
        for name in ("nodes", "weights"):
            own = np.array(getattr(self, name))
            own.setflags(write=False)
            object.__setattr__(self, name, own)

    def log_weights(self) -> Array:
        """Log of the weights, shape (Q,); -inf where a node has none."""
        with np.errstate(divide="ignore"):
            return np.log(self.weights)

    def share_below(self, theta: ArrayLike) -> Array:
        """Share of the population below theta, each node's weight spread evenly over its interval.

        Parameters
        ----------
        theta : array_like
            Abilities of any shape.

        Returns
        -------
        ndarray
            0 to 1, the shape of `theta`.
        """
        half = 0.5 * (self.nodes[1] - self.nodes[0])
        edges = np.append(self.nodes - half, self.nodes[-1] + half)
        return np.interp(np.asarray(theta, dtype=float), edges, np.append(0.0, np.cumsum(self.weights)))


@one_blas_thread()
def empirical_histogram(calibration: Calibration) -> EmpiricalHistogram:
    """Nonparametric maximum-likelihood density of ability on a calibration's nodes (Mislevy 1984; Laird 1978).

    The item parameters stay what they are, so mean and spread are free and are reported. Where few items are
    informative (above the hardest, say) the data hardly tell nodes apart, and mass may lie far out. Each step is one
    of EM (w <- average posterior) and one of the constrained Newton method of Wang (2007): EM alone climbs to the
    same maximum in many thousand steps.

    Parameters
    ----------
    calibration : Calibration
        With responses, one ability.

    Returns
    -------
    EmpiricalHistogram

    Raises
    ------
    NotAvailableError
        If the calibration has no responses.
    InputError
        If it measures several abilities.
    """
    require(calibration, Calibration, "the calibration", "empirical histogram", "Fit one with fit_mml")
    if calibration.patterns is None:
        raise NotAvailableError("no responses", "empirical histogram", "Calibrate from responses, or give them to fix")
    if calibration.item_parameters.dimensions != 1:
        raise InputError("the items measure several abilities", "empirical histogram", "Use models of one dimension")
    start = np.exp(calibration.log_weights)
    patterns, nothing = calibration.patterns, np.empty((0, len(start)))
    # against even weights: those of the calibration's own density may be next to nothing far out
    even = np.full(len(start), 1.0 / len(start))
    blocks = posteriors(patterns, calibration.table, np.log(even))
    mixture = Mixture.of(blocks, even, patterns.weights, nothing, np.empty(0))
    weights, iterations, gap = climb(mixture, start, _GAP, _STEPS)
    nodes = calibration.grid.nodes[:, 0]
    mean = float(weights @ nodes)
    away = nodes - mean
    sd = float(np.sqrt(weights @ away**2))
    return EmpiricalHistogram(
        nodes=nodes,
        weights=weights,
        mean=mean,
        sd=sd,
        skewness=float(weights @ away**3) / sd**3,
        kurtosis=float(weights @ away**4) / sd**4 - 3.0,
        log_likelihood_gain=mixture.log_likelihood(weights) - mixture.log_likelihood(start),
        status="converged" if gap <= _GAP else "stopped at the limit",
        gap=gap,
        iterations=iterations,
    )
