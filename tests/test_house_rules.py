"""What is agreed for every file: short functions, documented names, no swallowed errors, no paths of one machine."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest

from tests.source_tree import PACKAGE, ROOT, docstring_lines, functions, python_files, texts

LONGEST_FUNCTION = 60
LONGEST_FILE = 500
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:w[o]rk|t[m]p)\b")

Check = Callable[[str], list[str]]


def long_functions(source: str) -> list[str]:
    """Functions over the limit, their docstrings not counted."""
    lengths = [(f, (f.end_lineno or 0) - f.lineno + 1 - docstring_lines(f)) for f in functions(ast.parse(source))]
    return [f"{f.lineno}: {f.name} has {lines} lines" for f, lines in lengths if lines > LONGEST_FUNCTION]


def undocumented(source: str) -> list[str]:
    """Public functions and classes of a module without a docstring."""
    return [
        f"{node.lineno}: {node.name} has no docstring"
        for node in ast.parse(source).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]


def swallowed_errors(source: str) -> list[str]:
    """Handlers that catch everything, or that do nothing with what they catch."""
    faults = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            kinds = ast.unparse(node.type) if node.type else "BaseException"
            idle = all(isinstance(step, (ast.Pass, ast.Continue, ast.Expr)) and not calls(step) for step in node.body)
            raises = any(isinstance(part, ast.Raise) for step in node.body for part in ast.walk(step))
            if node.type is None or idle or (catches_all(kinds) and not raises):
                faults.append(f"{node.lineno}: except {kinds} swallows")
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).endswith("suppress")
            and catches_all(ast.unparse(node))
        ):
            faults.append(f"{node.lineno}: {ast.unparse(node)} swallows")
    return faults


def calls(node: ast.AST) -> bool:
    """Whether anything is called here."""
    return any(isinstance(part, (ast.Call, ast.Yield)) for part in ast.walk(node))


def catches_all(kinds: str) -> bool:
    """Whether a written exception list holds the base of all exceptions."""
    return re.search(r"\b(Base)?Exception\b", kinds) is not None


def long_file(source: str) -> list[str]:
    """The file itself, if it is over the limit."""
    lines = len(source.splitlines())
    return [f"1: {lines} lines"] if lines > LONGEST_FILE else []


CHECKS: dict[Check, str] = {
    long_functions: "def f():\n" + "    x = 1\n" * LONGEST_FUNCTION,
    undocumented: "class Public:\n    pass\n",
    swallowed_errors: "try:\n    f()\nexcept KeyError:\n    pass\n",
    long_file: "x = 1\n" * (LONGEST_FILE + 1),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_package_keeps_the_rule(check: Check) -> None:
    """A rule that one file may break is soon nobody's rule."""
    faults = [
        f"{path.relative_to(ROOT)}:{fault}" for path in python_files() for fault in check(path.read_text("utf-8"))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("check", "planted"), CHECKS.items(), ids=[check.__name__ for check in CHECKS])
def test_each_check_finds_a_planted_fault(check: Check, planted: str) -> None:
    """A check that finds nothing in a faulty file finds nothing anywhere."""
    assert len(check(planted)) == 1


@pytest.mark.parametrize(
    "handler", ["except:\n    raise", "except Exception as e:\n    log(e)", "except OSError:\n    ..."]
)
def test_swallowing_has_several_forms(handler: str) -> None:
    """Catching everything and logging it hides a wrong result as well as `pass` does."""
    assert swallowed_errors(f"try:\n    f()\n{handler}\n")


def test_a_docstring_does_not_lengthen_a_function() -> None:
    """Counting docstrings would make people write shorter ones."""
    assert not long_functions('def f():\n    """Line.\n' + "\n" * LONGEST_FUNCTION + '    """\n    return 1\n')


def test_no_path_of_one_machine() -> None:
    """A path that exists on one machine only breaks on every other, and a reader cannot follow it."""
    seen = list(texts())
    assert {PACKAGE / "__init__.py", ROOT / "Makefile"} <= {path for path, _ in seen}
    faults = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path, text in seen
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("folder", "found"), [("work", True), ("tmp", True), ("workers", False)])
def test_machine_paths_are_recognised(folder: str, found: bool) -> None:
    """The pattern above is written so as not to find itself: check that it finds anything."""
    assert bool(MACHINE_PATH.search(f'open("/{folder}/labels.csv")')) is found
    assert not MACHINE_PATH.search(f"frame/{folder} ./{folder}")
