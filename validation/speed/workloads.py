"""What is fitted: shapes, models and the simulated answers."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from psyirt.errors import InputError

Array = NDArray[np.float64]
# cells of a block of answers: what is drawn at a time
_BLOCK = 4_000_000


@dataclass(frozen=True)
class Workload:
    """A data set to simulate and a model to fit.

    Attributes
    ----------
    name : str
        For options and tables.
    subjects, items : int
        Shape.
    model : str
        "2PL" or "3PL".
    observed : float
        Share of answers that are observed, at random.
    priors : dict
        Slot -> (kind, first, second), put on by every engine that can.
    nodes : int
        Nodes on [-6, 6] of the common log-likelihood: fine enough for the width of the posteriors.
    psyirt_only : bool
        Whether only psyirt is run.
    standard_errors : bool
        Whether psyirt's standard errors are timed too.
    growth : bool
        Whether it belongs to the series of growing size.
    quick : bool
        Whether it belongs to the quick selection.
    """

    name: str
    subjects: int
    items: int
    model: str = "2PL"
    observed: float = 1.0
    priors: dict[str, tuple[str, float, float]] = field(default_factory=dict)
    nodes: int = 481
    psyirt_only: bool = False
    standard_errors: bool = False
    growth: bool = False
    quick: bool = False

    @property
    def responses(self) -> int:
        """Observed answers, about."""
        return round(self.subjects * self.items * self.observed)

    @property
    def title(self) -> str:
        """For a heading."""
        parts = [f"{self.model}, {self.subjects:,} x {self.items:,}"]
        parts += [f"{self.observed:.0%} observed"] if self.observed < 1.0 else []
        parts += [
            f"{kind}({first:g}, {second:g}) prior on {slot}" for slot, (kind, first, second) in self.priors.items()
        ]
        return ", ".join(parts)


GUESSING = {"c": ("beta", 2.0, 8.0)}
SLOPES = {"a": ("lognormal", 0.0, 0.5)}

WORKLOADS = (
    Workload("2pl-1000x90", 1_000, 90, standard_errors=True, quick=True),
    Workload("2pl-5000x50", 5_000, 50, standard_errors=True, quick=True),
    Workload("2pl-10000x100", 10_000, 100, standard_errors=True),
    Workload("2pl-20000x100", 20_000, 100),
    Workload("2pl-50000x100", 50_000, 100),
    Workload("2pl-100000x50", 100_000, 50),
    Workload("2pl-1000000x40", 1_000_000, 40, nodes=61, psyirt_only=True),
    Workload("3pl-1000x90", 1_000, 90, "3PL", priors=GUESSING, standard_errors=True),
    Workload("3pl-3467x5608", 3_467, 5_608, "3PL", priors=GUESSING, nodes=2_001, psyirt_only=True),
    Workload("sparse-14369x280", 14_369, 280, observed=0.1),
    Workload("wide-161x11873", 161, 11_873, priors=SLOPES, nodes=2_001, psyirt_only=True),
    Workload("wide-90x82756", 90, 82_756, priors=SLOPES, nodes=2_001, psyirt_only=True),
    *(
        Workload(f"growth-1e{power}", 10**power // 50, 50, nodes=61, psyirt_only=True, growth=True)
        for power in (5, 6, 7, 8)
    ),
)


@dataclass(frozen=True, eq=False)
class Truth:
    """Item parameters behind the answers, each of shape (J,); c is 0 under the 2PL."""

    a: Array
    intercept: Array
    c: Array


def chosen_workloads(patterns: list[str], quick: bool) -> tuple[Workload, ...]:
    """The workloads that match any pattern (``growth-*``); without patterns all, or the quick ones.

    Raises
    ------
    InputError
        If a pattern matches none.
    """
    names = [workload.name for workload in WORKLOADS]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"no workload is called {pattern!r}", "--workloads", f"Choose from: {', '.join(names)}")
    if patterns:
        return tuple(w for w in WORKLOADS if any(fnmatchcase(w.name, pattern) for pattern in patterns))
    return tuple(w for w in WORKLOADS if w.quick or not quick)


def simulate(workload: Workload, seed: int, path: Path) -> Truth:
    """Draw items and answers; the answers go to a .npy file.

    Parameters
    ----------
    workload : Workload
        What to draw: log a ~ N(.2, .3), b ~ N(0, 1), theta ~ N(0, 1), c ~ beta(20, 80) for the 3PL.
    seed : int
        The same seed and workload give the same data, whatever else is run.
    path : Path
        The file to write: int8, shape (subjects, items), -1 = missing.

    Returns
    -------
    Truth
    """
    random = np.random.default_rng([seed, zlib.crc32(workload.name.encode())])
    items = workload.items
    a, b = random.lognormal(0.2, 0.3, items), random.normal(size=items)
    c = random.beta(20.0, 80.0, items) if workload.model == "3PL" else np.zeros(items)
    truth = Truth(a, -a * b, c)
    shape = (workload.subjects, items)
    answers = np.lib.format.open_memmap(path, mode="w+", dtype=np.int8, shape=shape)
    rows = max(1, _BLOCK // items)
    for first in range(0, workload.subjects, rows):
        block = answers[first : first + rows]
        z = random.normal(size=(len(block), 1)) * a + truth.intercept
        chance = c + (1.0 - c) / (1.0 + np.exp(-z))
        block[:] = random.random(block.shape) < chance
        if workload.observed < 1.0:
            block[random.random(block.shape) >= workload.observed] = -1
    answers.flush()
    return truth
