"""Reading the source tree without importing it: files, imports and definitions, for the tests of the house's rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "psyirt"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(folder: Path = PACKAGE) -> list[Path]:
    """All Python files below a folder, in a fixed order; none at all is an error, not an empty success."""
    files = sorted(folder.rglob("*.py"))
    assert files, f"no Python files in {folder.relative_to(ROOT)}"
    return files


def module_name(path: Path) -> str:
    """``psyirt/data/__init__.py`` -> ``psyirt.data``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a source imports, wherever the import stands.

    ``from psyirt.data import responses`` gives ``psyirt.data.responses``; relative names are resolved against
    `package`; ``import_module("psyirt.data")`` with a literal counts as an import.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            kept = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*kept, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and re.search(r"\b(import_module|__import__)$", ast.unparse(node.func)):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value


def file_imports(path: Path) -> Iterator[tuple[int, str]]:
    """The imports of one file of the tree."""
    package = module_name(path if path.name == "__init__.py" else path.parent / "__init__.py")
    return imports(path.read_text(encoding="utf-8"), package)


def functions(tree: ast.Module) -> Iterator[Function]:
    """Every function and method, however deep."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def docstring_lines(node: Function) -> int:
    """How many lines a function's docstring takes."""
    first = node.body[0]
    if ast.get_docstring(node) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1


def texts() -> Iterator[tuple[Path, str]]:
    """Every text file that belongs to the project, with its text."""
    paths = [path for path in ROOT.iterdir() if path.suffix in {".cfg", ".in", ".md", ".toml", ".txt"}]
    paths += [ROOT / "Makefile", *(ROOT / ".ci").rglob("*")]
    for folder in ("psyirt", "tests", "validation", "docs"):
        paths += (ROOT / folder).rglob("*")
    generated = {"__pycache__", "output", "_build", "site"}
    for path in sorted(paths):
        if path.is_file() and not generated & set(path.relative_to(ROOT).parts):
            yield path, path.read_text(encoding="utf-8", errors="replace")
