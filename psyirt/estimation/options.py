"""Options of marginal maximum likelihood, checked when they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real

import numpy as np

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.latent.population import Grid

# a looser tolerance would call the start values converged
_LOOSEST = 0.1


@dataclass(frozen=True)
class MMLOptions:
    """How marginal maximum likelihood is carried out.

    Parameters
    ----------
    grid : Grid
        Quadrature nodes; 61 equally spaced ones on [-6, 6] by default.
    tolerance : float
        An iteration has converged when every gradient component and every step, both in units of the parameter's
        complete-data standard error, are below this.
    max_iterations : int
        Iterations at most; reaching it is reported as "stopped at the limit", not as convergence.
    accelerate : bool
        Whether EM is accelerated (parameter expansion, then Anderson mixing, each guarded by the log-posterior).
    """

    grid: Grid = field(default_factory=Grid)
    tolerance: float = 1e-5
    max_iterations: int = 2000
    accelerate: bool = True

    def __post_init__(self) -> None:
        """Refuse values no fit can use."""
        require(self.grid, Grid, "grid", "MMLOptions", "Give Grid(count, low, high)")
        require(self.tolerance, Real, "tolerance", "MMLOptions", "Give a positive number, e.g. 1e-5")
        require(self.max_iterations, Integral, "max_iterations", "MMLOptions", "Give a whole number")
        require(self.accelerate, (bool, np.bool_), "accelerate", "MMLOptions", "Give True or False")
        if not (math.isfinite(self.tolerance) and self.tolerance > 0):
            raise InputError(f"tolerance is {self.tolerance}", "MMLOptions", "Give a positive number, e.g. 1e-5")
        if self.tolerance > _LOOSEST:
            raise InputError(
                f"tolerance is {self.tolerance}", "MMLOptions", f"Give at most {_LOOSEST}, a tenth of an SE"
            )
        if self.max_iterations < 1:
            raise InputError(f"max_iterations is {self.max_iterations}", "MMLOptions", "Give at least 1")
