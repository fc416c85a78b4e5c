"""The stair of docs/explanation/architecture.md: each layer imports only from the layers below it."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from collections.abc import Iterable

import pytest

from tests.source_tree import PACKAGE, ROOT, file_imports, imports, module_name, python_files

LAYERS = {
    "errors": 0,
    "foundation": 0,
    "__version__": 0,  # a literal at the top of psyirt/__init__.py: reading it depends on nothing
    "data": 1,
    "models": 1,
    "latent": 1,
    "kernels": 1,
    "likelihood": 2,
    "grouped_likelihood": 2,
    "score_likelihood": 2,
    "observed_information": 2,
    "simulation": 2,
    "scoring": 3,
    "results": 4,
    "estimation": 5,
    "diagnostics": 6,
    "scale": 7,
    "leaderboard": 7,
    "banks": 7,
    "reporting": 8,
    "cli": 9,
    "__main__": 9,
    "__init__": 9,
}
APART = (frozenset({"data", "models", "latent", "kernels"}), frozenset({"scale", "leaderboard", "banks"}))
KERNELS_MAY_IMPORT = {"__future__", "math", "numba", "numpy"}  # math: the scalar functions numba compiles (erf)
AT_HOME = {  # heavy library -> the only place that imports it
    "torch": "psyirt.estimation.vi",
    "altair": "psyirt.reporting",
    "vl_convert": "psyirt.reporting",
    "matplotlib": "psyirt.reporting",
    "typer": "psyirt.cli",
}
NOT_LOADED = ("torch", "altair", "matplotlib", "pandas", "numba", "scipy", "numpy", "pyarrow", "statsmodels")


def room(dotted: str) -> str:
    """The top-level part of psyirt that a dotted name belongs to."""
    parts = dotted.split(".")
    if len(parts) == 1:
        return "__init__"
    exists = (PACKAGE / parts[1]).is_dir() or (PACKAGE / f"{parts[1]}.py").exists()
    return parts[1] if exists or parts[1] in LAYERS else "__init__"


def layer_faults(module: str, imported: Iterable[tuple[int, str]]) -> list[str]:
    """Imports of `module` that go upward, or sideways where neighbours are kept apart."""
    here = room(module)
    if here not in LAYERS:
        return [f"{module}: {here!r} has no layer; give it one in LAYERS and in the architecture page"]
    faults = []
    for line, dotted in imported:
        there = room(dotted)
        if dotted.split(".")[0] != "psyirt" or there == here:
            continue
        upward = LAYERS.get(there, 10) > LAYERS[here]
        sideways = any(here in group and there in group for group in APART)
        if upward or sideways:
            faults.append(f"{module}:{line}: {here} must not import {dotted}")
    return faults


def kernel_faults(module: str, imported: Iterable[tuple[int, str]]) -> list[str]:
    """Imports of a kernel beyond numpy, numba and the shared mathematics."""
    own = "psyirt.kernels." if module == "psyirt.kernels" else "psyirt.kernels._math."
    return [
        f"{module}:{line}: a kernel must not import {dotted}"
        for line, dotted in imported
        if dotted.split(".")[0] not in KERNELS_MAY_IMPORT and not f"{dotted}.".startswith(own)
    ]


def stray_faults(module: str, imported: Iterable[tuple[int, str]]) -> list[str]:
    """Imports of a heavy library outside the one place that may import it."""
    return [
        f"{module}:{line}: {dotted} belongs in {AT_HOME[dotted.split('.')[0]]}"
        for line, dotted in imported
        if not f"{module}.".startswith(AT_HOME.get(dotted.split(".")[0], module) + ".")
    ]


def test_imports_go_downward() -> None:
    """An import upward or sideways ties rooms together that are to be read and changed alone."""
    faults = [fault for path in python_files() for fault in layer_faults(module_name(path), file_imports(path))]
    assert not faults, "\n".join(faults)


def test_kernels_know_no_model() -> None:
    """A kernel that imports a model can no longer serve the next one."""
    files = python_files(PACKAGE / "kernels")
    faults = [fault for path in files for fault in kernel_faults(module_name(path), file_imports(path))]
    assert not faults, "\n".join(faults)


def test_heavy_libraries_stay_in_their_room() -> None:
    """A stray import of torch or a plotting library makes every user install and load it."""
    faults = [fault for path in python_files() for fault in stray_faults(module_name(path), file_imports(path))]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("psyirt.data.planted", "from psyirt.scale.build import build_scale"),
        ("psyirt.data.planted", "import psyirt.models.base"),
        ("psyirt.scale.planted", "def late():\n    from psyirt.banks import mirt"),
        ("psyirt.scoring.planted", "from psyirt import results"),
        ("psyirt.scoring.planted", "from psyirt import Responses"),
        ("psyirt.likelihood", "from .scoring.abilities import score"),
        ("psyirt.likelihood", "from importlib import import_module\nimport_module('psyirt.cli')"),
        ("psyirt.data.planted", "import psyirt"),
    ],
)
def test_layer_check_finds_planted_faults(module: str, source: str) -> None:
    """A checker that accepts everything would keep the stair in name only."""
    found = layer_faults(module, imports(source, module.rpartition(".")[0]))
    assert len(found) == 1
    assert found[0].startswith(module)


def test_layer_check_accepts_the_way_down() -> None:
    """A checker that refuses everything would be switched off."""
    source = "import numpy\nfrom psyirt import __version__, errors\nfrom psyirt.data import responses\n"
    assert layer_faults("psyirt.scale.planted", imports(source, "psyirt.scale")) == []


def test_other_import_checks_find_planted_faults() -> None:
    """The checks on kernels and heavy libraries must be able to fail."""
    assert kernel_faults("psyirt.kernels.planted", imports("from psyirt.kernels import other", "psyirt.kernels"))
    assert kernel_faults("psyirt.kernels.planted", imports("import scipy.special", "psyirt.kernels"))
    assert not kernel_faults("psyirt.kernels.planted", imports("from psyirt.kernels._math import f", "psyirt.kernels"))
    assert stray_faults("psyirt.estimation.vision", imports("import torch.nn", "psyirt.estimation"))
    assert not stray_faults("psyirt.estimation.vi.fit", imports("import torch.nn", "psyirt.estimation.vi"))


def test_import_psyirt_is_light() -> None:
    """A heavy `import psyirt` makes every command line call and every notebook start slow."""
    code = f"import sys, psyirt; print(psyirt.__version__, [m for m in {NOT_LOADED} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split(" ", 1)[1].strip() == "[]"


def test_a_fit_of_complete_data_loads_no_more_than_it_needs() -> None:
    """scipy.stats and scipy.sparse take half a second of every first fit."""
    code = (
        "import sys, psyirt; "
        "fit = psyirt.fit_mml(psyirt.Responses.from_array([[1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 0]] * 9), 'Rasch'); "
        "print([m for m in ('scipy.stats', 'scipy.sparse', 'scipy.optimize') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def math_faults(name: str, source: str, digest: str) -> list[str]:
    """A kernel file that uses _math.py and does not carry its current hash."""
    uses = any(f"{dotted}.".startswith("psyirt.kernels._math.") for _, dotted in imports(source, "psyirt.kernels"))
    carries = any(ast.unparse(node) == f"_MATH_SOURCE = {digest!r}" for node in ast.parse(source).body)
    if not uses or carries:
        return []
    return [f'{name}: code compiled with an older _math.py may be in the cache; set _MATH_SOURCE = "{digest}" here']


def test_kernels_carry_the_hash_of_their_mathematics() -> None:
    """Numba's cache does not see edits of an imported file: without a new constant the old machine code runs on."""
    digest = hashlib.sha256((PACKAGE / "kernels" / "_math.py").read_bytes()).hexdigest()[:12]
    files = [path for path in python_files(PACKAGE / "kernels") if path.name not in {"_math.py", "__init__.py"}]
    faults = [fault for path in files for fault in math_faults(path.name, path.read_text(encoding="utf-8"), digest)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("constant", ["", '_MATH_SOURCE = "000000000000"\n'])
def test_stale_hash_is_found(constant: str) -> None:
    """A hash check that passes without the constant, or with an old one, guards nothing."""
    source = "from psyirt.kernels._math import exp_row\n" + constant
    assert len(math_faults("planted.py", source, "aaaaaaaaaaaa")) == 1


def test_reference_twins_are_independent() -> None:
    """A twin that calls the code it checks agrees with it about everything, the mistakes too."""
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {dotted}"
        for path in python_files(ROOT / "tests" / "reference")
        for line, dotted in file_imports(path)
        if dotted.split(".")[0] == "psyirt"
    ]
    assert not faults, "\n".join(faults)
