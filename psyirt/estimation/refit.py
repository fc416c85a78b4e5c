"""The same items fitted again to other responses, from the estimates on: what a bootstrap repeats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from psyirt.data.pattern_source import PatternSource
from psyirt.estimation.convergence import Step
from psyirt.estimation.ending import CONVERGED, runaway_items, variance_runs_away
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.foundation.progress import Progress, silent
from psyirt.models.base import Array

Iterate = Callable[[Problem, Array, MMLOptions, Progress], tuple[Array, tuple[Step, ...], str]]


@dataclass(frozen=True, eq=False)
class Refitter:
    """Fits other patterns as a calibration's own were fitted.

    Parameters
    ----------
    problem : Problem
        What was maximised: model, layout, priors and nodes are kept.
    x : ndarray, shape (size,)
        The estimates, where every fit starts.
    options : MMLOptions
        Tolerance, limit, acceleration.
    iterate : callable
        The EM loop.
    """

    problem: Problem
    x: Array
    options: MMLOptions
    iterate: Iterate

    def __call__(self, patterns: PatternSource) -> tuple[Array, bool]:
        """The estimates from these patterns, and whether there are any: converged, and finite."""
        problem = replace(self.problem, patterns=patterns)
        if self._has_constant_item(patterns):
            return self.x, False
        x, _, status = self.iterate(problem, self.x, self.options, silent)
        return x, status == CONVERGED and not runaway_items(problem, x) and not variance_runs_away(problem, x)

    def _has_constant_item(self, patterns: PatternSource) -> bool:
        """Whether all answers to an item are the same and no prior keeps its intercept finite."""
        # sums of the same positive weights in the same order: equal where all answers are right
        answered, right = patterns.answer_counts()
        constant = np.flatnonzero((right == 0) | (right == answered))
        at = self.problem.layout.index[constant, self.problem.layout.slots.index("intercept")]
        return any(self.problem.priors.at(int(position)) is None for position in at[at >= 0])
