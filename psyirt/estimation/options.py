"""Options of marginal maximum likelihood, checked when they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.memory import memory_bytes
from psyirt.latent.population import Grid

# a looser tolerance would call the start values converged
_LOOSEST = 0.1


@dataclass(frozen=True)
class MMLOptions:
    """How marginal maximum likelihood is carried out.

    Parameters
    ----------
    grid : Grid, optional
        Quadrature nodes; 61 equally spaced ones on [-6, 6] by default.
    adaptive : bool, optional
        Whether the spacing of the nodes is halved until it is at most 1.25 times the narrowest posterior standard
        deviation (tests of more than about a hundred items need that). By default it is where no grid is given; a
        grid that is too coarse is warned of.
    tolerance : float
        An iteration has converged when every gradient component and every step, both in units of the parameter's
        complete-data standard error, are below this.
    max_iterations : int
        Iterations at most; reaching it is reported as "stopped at the limit", not as convergence.
    accelerate : bool
        Whether EM is accelerated (parameter expansion, then Anderson mixing, L-BFGS where that fails; each guarded by
        the log-posterior).
    memory : int or str, optional
        Bytes that the fit may take beside the responses it is given, or text such as ``"500MB"``. Packed answers that
        would take more than half of it are put into a temporary file and read in blocks; a limit that is too small is
        refused with the number that is needed. The estimates do not depend on it. By default as much as there is.
    """

    grid: Grid | None = None
    adaptive: bool | None = None
    tolerance: float = 1e-5
    max_iterations: int = 2000
    accelerate: bool = True
    memory: int | str | None = None

    @property
    def first_grid(self) -> Grid:
        """The nodes a fit starts with."""
        return Grid() if self.grid is None else self.grid

    @property
    def adapts(self) -> bool:
        """Whether the nodes may become finer than that."""
        return self.grid is None if self.adaptive is None else self.adaptive

    @property
    def memory_limit(self) -> int | None:
        """The limit in bytes, None where there is none."""
        return None if self.memory is None else memory_bytes(self.memory)

    def __post_init__(self) -> None:
        """Refuse values no fit can use."""
        if self.grid is not None:
            require(self.grid, Grid, "grid", "MMLOptions", "Give Grid(count, low, high)")
        if self.adaptive is not None:
            require(self.adaptive, bool, "adaptive", "MMLOptions", "Give True or False")
        require(self.tolerance, Real, "tolerance", "MMLOptions", "Give a positive number, e.g. 1e-5")
        require(self.max_iterations, Integral, "max_iterations", "MMLOptions", "Give a whole number")
        require(self.accelerate, (bool, np.bool_), "accelerate", "MMLOptions", "Give True or False")
        if self.memory is not None:
            memory_bytes(self.memory)
        if not (math.isfinite(self.tolerance) and self.tolerance > 0):
            raise InputError(f"tolerance is {self.tolerance}", "MMLOptions", "Give a positive number, e.g. 1e-5")
        if self.tolerance > _LOOSEST:
            raise InputError(
                f"tolerance is {self.tolerance}", "MMLOptions", f"Give at most {_LOOSEST}, a tenth of an SE"
            )
        if self.max_iterations < 1:
            raise InputError(f"max_iterations is {self.max_iterations}", "MMLOptions", "Give at least 1")


def with_overrides(
    options: MMLOptions | None,
    nodes: int | None,
    adaptive: bool | None,
    tolerance: float | None,
    memory: int | str | None = None,
) -> MMLOptions:
    """Options with the fields that were given beside them.

    Parameters
    ----------
    options : MMLOptions or None
        None for the defaults.
    nodes, adaptive, tolerance, memory : int, bool, float, int or str, or None
        None leaves the field as it is. A number of nodes keeps the grid's ends, and counts as a grid.

    Returns
    -------
    MMLOptions

    Raises
    ------
    InputError
        If a value is none a fit can use.
    """
    chosen = MMLOptions() if options is None else options
    require(chosen, MMLOptions, "options", "fit_mml", "Give MMLOptions(...)")
    changes: dict[str, Any] = {}
    if nodes is not None:
        changes["grid"] = Grid(nodes, chosen.first_grid.low, chosen.first_grid.high)
    if adaptive is not None:
        changes["adaptive"] = adaptive
    if tolerance is not None:
        changes["tolerance"] = tolerance
    if memory is not None:
        changes["memory"] = memory
    return replace(chosen, **changes) if changes else chosen
