"""The engines: where each runs, what it can do, with which settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from psyirt.errors import InputError
from validation.speed.environments import OWN, PEERS, PY_IRT, Environment
from validation.speed.workloads import Workload

REFERENCE = "psyirt"
_FOLDER = Path(__file__).parent / "engines"
HARNESS = _FOLDER / "harness.py"


@dataclass(frozen=True)
class Engine:
    """One library with one choice of settings.

    Attributes
    ----------
    name : str
        As in the table.
    script : Path
        Its file (``engines/harness.py`` says what is in it).
    environment : Environment
        Where it runs.
    models : tuple of str
        Models it is run on.
    words : str
        Its settings, for the reader.
    settings : dict
        Its settings, for the script.
    missing : bool
        Whether it takes missing answers.
    quick : bool
        Whether it takes part in the quick selection.
    """

    name: str
    script: Path
    environment: Environment
    models: tuple[str, ...]
    words: str
    settings: dict[str, object] = field(default_factory=dict)
    missing: bool = True
    quick: bool = True

    def why_not(self, workload: Workload) -> str:
        """Why it is not run on a workload; empty if it is."""
        if self.name == REFERENCE:
            return ""
        if workload.psyirt_only:
            return "not run: this workload is for psyirt alone"
        if workload.model not in self.models:
            return f"not run: no comparable {workload.model}"
        if "a" in workload.priors:
            return "not run: no comparable prior on slopes"
        return "" if self.missing or workload.observed == 1.0 else "not run: takes no missing answers"


ENGINES = (
    Engine(
        REFERENCE,
        _FOLDER / "psyirt_engine.py",
        OWN,
        ("2PL", "3PL"),
        "its defaults; the 3PL has the workload's prior on c",
    ),
    Engine(
        "theta-irt",
        _FOLDER / "theta_irt_engine.py",
        PEERS,
        ("2PL", "3PL"),
        "its defaults: 61 Gauss-Hermite nodes, at most 500 EM steps, tolerance 1e-4 on the parameters; the 3PL has the "
        "workload's prior on c",
    ),
    Engine(
        "mirt (Python)",
        _FOLDER / "mirt_engine.py",
        PEERS,
        ("2PL", "3PL"),
        "its defaults: 21 nodes, at most 500 EM steps, tolerance 1e-4, but no standard errors; the 3PL has the "
        "workload's prior on c",
    ),
    Engine(
        "mirt (Python), 61 nodes",
        _FOLDER / "mirt_engine.py",
        PEERS,
        ("2PL", "3PL"),
        "as above, with 61 nodes: its default is too coarse from about 100 items on",
        {"n_quadpts": 61},
    ),
    Engine(
        "girth",
        _FOLDER / "girth_engine.py",
        PEERS,
        ("2PL", "3PL"),
        "its defaults (41 nodes on [-4.5, 4.5], tolerance 1e-3 on the slopes) but for the limit of 25 iterations, "
        "raised to 500 so that it converges; its 3PL has no prior but bounds c at .33",
        {"max_iteration": 500},
    ),
    Engine(
        "py-irt",
        _FOLDER / "py_irt_engine.py",
        PY_IRT,
        ("2PL",),
        "its defaults: variational inference, 2,000 epochs, priors 'vague' (sd .1 on b and on log a, which pull hard)",
        quick=False,
    ),
    Engine(
        "py-irt, hierarchical",
        _FOLDER / "py_irt_engine.py",
        PY_IRT,
        ("2PL",),
        "as above with its hierarchical priors, put on the scale where its abilities have mean 0 and sd 1",
        {"priors": "hierarchical"},
        quick=False,
    ),
)


def chosen_engines(patterns: list[str], quick: bool) -> tuple[Engine, ...]:
    """The engines that match any pattern, psyirt always first; all (all quick ones) without patterns.

    Raises
    ------
    InputError
        If a pattern matches none.
    """
    names = [engine.name for engine in ENGINES]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"no engine is called {pattern!r}", "--engines", f"Choose from: {'; '.join(names)}")
    return tuple(
        engine
        for engine in ENGINES
        if engine.name == REFERENCE
        or (any(fnmatchcase(engine.name, pattern) for pattern in patterns) if patterns else engine.quick or not quick)
    )
