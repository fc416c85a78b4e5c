"""Virtual environments of their own for the peers, so that none of their requirements touch psyirt's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from psyirt.errors import InputError
from psyirt.foundation.files import write_text

_INSTALL_SECONDS = 1800


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes
    ----------
    name : str
        Name of its folder; empty for the environment this program runs in.
    requirements : tuple of str
        What pip installs into it.
    below : tuple of int
        The first Python version that is too new for it.
    """

    name: str
    requirements: tuple[str, ...] = ()
    below: tuple[int, int] = (4, 0)


OWN = Environment("")
PEERS = Environment(
    "peers",
    ("theta-irt==0.1.1", "mirt==1.2.0", "girth==0.8.0", "jax==0.10.2", "numpy==2.3.5", "scipy==1.17.1"),
)
PY_IRT = Environment("py-irt", ("py-irt==0.7.1", "torch==2.6.0", "pandas==2.3.3", "numpy==2.4.6"), below=(3, 12))


def python_of(environment: Environment, folder: Path) -> Path:
    """The interpreter of an environment, which is made on first use and again when its requirements change.

    Parameters
    ----------
    environment : Environment
        What is wanted.
    folder : Path
        Where environments are kept.

    Raises
    ------
    InputError
        If there is no Python old enough, or the packages cannot be installed.
    """
    if not environment.name:
        return Path(sys.executable)
    place = folder / environment.name
    python, marker = place / "bin" / "python", place / "requirements.txt"
    wanted = "\n".join(environment.requirements) + "\n"
    if marker.exists() and marker.read_text(encoding="utf-8") == wanted and python.exists():
        return python
    maker = suitable_python(environment)
    print(f"speed: making the environment {environment.name} (once; minutes)", file=sys.stderr, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    _run([maker, "-m", "venv", "--clear", str(place)], environment)
    _run(
        [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q", *environment.requirements],
        environment,
    )
    write_text(marker, wanted)
    return python


def suitable_python(environment: Environment) -> str:
    """An interpreter of a version the environment can have."""
    for candidate in _candidates():
        version = _version(candidate)
        if version is not None and (3, 9) <= version < environment.below:
            return candidate
    major, minor = environment.below
    raise InputError(f"needs a Python below {major}.{minor}, and none was found", environment.name, "Put one on PATH")


def _candidates() -> Iterator[str]:
    """This interpreter, then those on PATH, newest first."""
    yield sys.executable
    for minor in range(14, 8, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            yield found


def _version(python: str) -> tuple[int, int] | None:
    """(major, minor) of an interpreter; None if it does not start."""
    ask = [python, "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        answer = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    major, minor = answer.stdout.split()
    return int(major), int(minor)


def _run(command: list[str], environment: Environment) -> None:
    """Run a command; its last line of complaint is the message."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"cannot be installed ({error})", environment.name, "See that pip works") from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
        lines = [line for line in said if line.startswith("ERROR")] or said
        raise InputError(f"cannot be installed ({lines[-1][:200]})", environment.name, "See that pip works")
