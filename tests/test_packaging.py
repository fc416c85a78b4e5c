"""What a user installs: the wheel's contents, the declared dependencies and the pinned versions."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import psyirt
from tests.source_tree import PACKAGE, ROOT, file_imports, python_files

DISTRIBUTIONS = {"sklearn": "scikit-learn", "vl_convert": "vl-convert-python"}  # where the import has another name
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel('dist'); print(*sorted(sys.modules))"


def declared() -> dict[str, list[Requirement]]:
    """The requirements in setup.cfg: ``core`` and each extra."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    written = {"core": config["options"]["install_requires"], **config["options.extras_require"]}
    return {group: [Requirement(line) for line in text.split("\n") if line] for group, text in written.items()}


def pins() -> dict[str, str]:
    """Distribution -> version of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def required(requirements: list[Requirement]) -> set[str]:
    """The requirements and all that they require in turn, by canonical name, in this environment."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in found:
            found.add(name)
            inner = [Requirement(line) for line in metadata.requires(name) or []]
            extras = requirement.extras or {""}
            waiting += [r for r in inner if not r.marker or any(r.marker.evaluate({"extra": e}) for e in extras)]
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[zipfile.ZipFile, set[str]]:
    """The wheel built from a copy of the tree, and the modules that were loaded to build it."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copytree(PACKAGE, copy / "psyirt", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = (copy / "dist").glob("*.whl")
    return zipfile.ZipFile(path), set(done.stdout.splitlines()[-1].split())


def test_wheel_holds_the_whole_package(wheel: tuple[zipfile.ZipFile, set[str]]) -> None:
    """A folder without __init__.py or a data file left out works in the source tree and fails once installed."""
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in {".pyc", ".nbc", ".nbi"}}
    assert PACKAGE / "py.typed" in files
    inside = {name for name in wheel[0].namelist() if ".dist-info/" not in name}
    assert inside == {path.relative_to(ROOT).as_posix() for path in files}


def test_wheel_metadata(wheel: tuple[zipfile.ZipFile, set[str]]) -> None:
    """A wrong version, licence or entry point shows up only on the package index."""
    archive = wheel[0]
    folder = f"psyirt-{psyirt.__version__}.dist-info"
    fields = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
    assert fields["Version"] == psyirt.__version__
    assert fields["Requires-Python"] == ">=3.11"
    assert set(fields.get_all("Provides-Extra", [])) == {"vi", "report", "experiments", "test", "dev"}
    assert "psyirt = psyirt.cli:main" in archive.read(f"{folder}/entry_points.txt").decode()
    assert any(name.startswith(folder) and name.endswith("LICENSE") for name in archive.namelist())


def test_building_imports_no_dependency(wheel: tuple[zipfile.ZipFile, set[str]]) -> None:
    """A build that imports psyirt or numpy to learn the version fails where they are not installed yet."""
    assert not wheel[1] & {"psyirt", "numpy", "pandas", "numba"}


def test_what_is_imported_is_declared() -> None:
    """An undeclared import works on the author's machine and fails on a fresh one."""
    known = {canonicalize_name(r.name) for group, rs in declared().items() if group not in {"test", "dev"} for r in rs}
    assert "numpy" in known
    roots = {dotted.split(".")[0] for path in python_files() for _, dotted in file_imports(path)}
    outside = roots - set(sys.stdlib_module_names) - {"psyirt"}
    assert {canonicalize_name(DISTRIBUTIONS.get(root, root)) for root in outside} <= known


def test_everything_ci_installs_is_pinned() -> None:
    """One unpinned package, and a release elsewhere breaks the build overnight."""
    groups = declared()
    needed = required([*groups["core"], *groups["test"], *groups["dev"]])
    assert {"llvmlite", "iniconfig", "mypy-extensions"} <= needed
    assert "torch" not in needed
    assert needed <= set(pins())


def test_pins_are_accepted_by_the_declared_ranges() -> None:
    """A pin outside the declared range cannot be installed at all."""
    versions = pins()
    assert versions["torch"] == "2.13.0"
    wrong = [str(r) for rs in declared().values() for r in rs if versions[canonicalize_name(r.name)] not in r.specifier]
    assert not wrong


def test_changelog_has_a_place_for_what_comes() -> None:
    """Without an Unreleased section changes are written down after the fact, or not at all."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[?Unreleased\]?", text, re.MULTILINE)
