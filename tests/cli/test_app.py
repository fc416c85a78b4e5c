"""The command as a program: help, version, what it loads, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import psyirt
from tests.cli.conftest import Run
from tests.source_tree import ROOT

HEAVY = ("numba", "numpy", "pandas", "scipy", "pyarrow", "statsmodels", "torch", "altair")
COMMANDS = ("demo", "build", "score", "fit")


def program(*arguments: object) -> subprocess.Popen[str]:
    """`psyirt` in a process of its own."""
    command = [sys.executable, "-m", "psyirt", *(str(argument) for argument in arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["score", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """--help that compiles and loads the numerical libraries takes seconds instead of a fraction of one."""
    code = f"""
import sys
from psyirt.cli.app import app
try:
    app({arguments!r})
except SystemExit as end:
    assert end.code == 0, end.code
print("LOADED", [name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_version(run: Run) -> None:
    """A bug report starts with the version."""
    assert run("--version").stdout == f"psyirt {psyirt.__version__}\n"


def test_every_command_is_listed_and_has_an_example(run: Run) -> None:
    """A command without an example is learnt by trial."""
    listed = run("--help").stdout
    for command in COMMANDS:
        assert command in listed
        assert f"Example: psyirt {command}" in " ".join(run(command, "--help").stdout.split())


def test_usage_errors_have_exit_code_2(run: Run) -> None:
    """Scripts tell bad input from a bug by the code."""
    for arguments in (("biuld",), ("build",), ("fit", "x.csv", "--modle", "2PL"), ("fit", "x.csv", "--tolerance", "x")):
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert "Traceback" not in result.output


def test_bad_input_in_a_process_of_its_own(tmp_path: Path) -> None:
    """What the runner of the tests shows must hold for the real program: one line, code 2, an empty stdout."""
    with program("fit", tmp_path / "absent.csv") as process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert "absent.csv" in err
