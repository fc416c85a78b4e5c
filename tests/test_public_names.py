"""The public face: every name of psyirt resolves, is documented, and is known to type checkers."""

from __future__ import annotations

import ast
import re
import types

import pytest

import psyirt
from tests.source_tree import PACKAGE, ROOT

MODULES = {"priors", "rules"}  # public names that are meant to be modules


@pytest.mark.parametrize("name", psyirt.__all__)
def test_name_resolves(name: str) -> None:
    """A public name that cannot be imported is a promise the package breaks at first use."""
    assert isinstance(getattr(psyirt, name), types.ModuleType) == (name in MODULES)
    assert name in dir(psyirt)


def test_unknown_name_is_an_attribute_error() -> None:
    """hasattr, dir and tab completion rely on AttributeError for names that are not there."""
    assert not hasattr(psyirt, "fit_mmml")


def test_no_name_hides_a_module() -> None:
    """`import psyirt.x` would silently replace a public function x by the module x."""
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert "data" in modules
    assert not modules & set(psyirt.__all__)


def test_type_checkers_see_the_same_names() -> None:
    """A name missing from the TYPE_CHECKING block is an error in every user's editor and type check."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    seen = {
        alias.asname: (f"{node.module}.{alias.name}", None) if alias.name in MODULES else (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == psyirt._PUBLIC


def test_every_name_is_in_the_reference() -> None:
    """A name outside docs/reference/api.md is one that nobody finds and anybody may break."""
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    absent = [name for name in psyirt.__all__ if not re.search(rf"(`|\bpsyirt\.){name}\b", page)]
    assert not absent, f"not in docs/reference/api.md: {', '.join(absent)}"
