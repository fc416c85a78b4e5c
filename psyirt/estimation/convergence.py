"""When an iteration has converged, and what each step of it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psyirt.models.base import Array

# a climb towards infinity: so many steps together gain less than this in log-likelihood, the gradient is no larger than
# this in standard errors (measured: 5e-4 at most is left to gain then)
_STALLED_STEPS, _STALLED_GAIN, _STALLED_GRADIENT = 10, 1e-4, 1e-2


@dataclass(frozen=True)
class Step:
    """One iteration.

    Attributes
    ----------
    iteration : int
        Counted from 1.
    objective : float
        Log-posterior (the log-likelihood where there are no priors).
    gradient : float
        Largest gradient component, in complete-data standard errors.
    change : float
        Largest step of the EM map from here, in complete-data standard errors.
    kind : {"start", "EM", "expansion", "boundary", "Anderson", "L-BFGS"}
        How the point was reached.
    """

    iteration: int
    objective: float
    gradient: float
    change: float
    kind: str


@dataclass(frozen=True)
class ConvergenceCriterion:
    """Gradient and step both small, in units that do not depend on sample size or parameter scale.

    Attributes
    ----------
    tolerance : float
        In complete-data standard errors.
    unit : float
        See :func:`standardised`.
    """

    tolerance: float
    unit: float = 1.0

    def stalled(self, trace: Sequence[Step]) -> bool:
        """Whether hardly anything was gained for a while: converged, or on a ridge to infinity."""
        recent = trace[-_STALLED_STEPS - 1 :]
        if len(recent) <= _STALLED_STEPS:
            return False
        gain = self.unit**2 * (recent[-1].objective - recent[0].objective)
        return gain < _STALLED_GAIN and all(step.gradient < _STALLED_GRADIENT for step in recent)

    def met(self, step: Step) -> bool:
        """Whether both the gradient and the step are below the tolerance."""
        return step.gradient <= self.tolerance and step.change <= self.tolerance


def standardised(gradient: Array, move: Array, information: Array, unit: float = 1.0) -> tuple[float, float]:
    """Largest gradient and largest step in complete-data standard errors.

    Parameters
    ----------
    gradient, move, information : ndarray, shape (size,)
        Gradient of the log-posterior, step of the EM map, diagonal of the complete-data information.
    unit : float
        Factor on both, for weights so small that every standard error is large and any point would do.

    Returns
    -------
    tuple of float
    """
    root = np.sqrt(information)
    return (
        unit * float(np.max(np.abs(gradient) / root, initial=0.0)),
        unit * float(np.max(np.abs(move) * root, initial=0.0)),
    )
