"""What is printed: strict JSON for programs, tables that keep every character for people."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from psyirt.cli.screen import Screen, json_text, number, percent


def test_json_is_strict() -> None:
    """NaN and Infinity are no JSON: a strict reader refuses the whole document."""
    frame = pd.DataFrame(
        {"theta": [np.inf, np.nan, -np.inf], "n": [1, 2, 3]}, index=pd.Index(["x", "y", "z"], name="s")
    )
    content = {"table": frame, "array": np.arange(2), "pair": (np.float64(0.5), np.bool_(True)), "none": None}
    read = json.loads(json_text(content), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert read["table"] == [
        {"s": "x", "theta": "Infinity", "n": 1},
        {"s": "y", "theta": None, "n": 2},
        {"s": "z", "theta": "-Infinity", "n": 3},
    ]
    assert (read["array"], read["pair"], read["none"]) == ([0, 1], [0.5, True], None)


def test_missing_values_of_pandas_are_null() -> None:
    """A nullable column must not end a whole document with a TypeError."""
    frame = pd.DataFrame(
        {"left_at": pd.array([1, None], dtype="Int64"), "rule": ["x", None]}, index=pd.Index(["a", "b"])
    )
    rows = json.loads(json_text({"rows": frame}))["rows"]
    assert [row["left_at"] for row in rows] == [1, None]
    assert [row["rule"] for row in rows] == ["x", None]


def test_tables_show_brackets_and_long_names(capsys: pytest.CaptureFixture[str]) -> None:
    """rich reads [x] as markup and cuts long cells: item names must survive both."""
    screen = Screen()
    screen.table(("item", "a"), [("[bold]1.jpg#0r1n", "0.5"), ("x" * 150, "1.0")])
    screen.say("[red]plain :smile:")
    out = capsys.readouterr().out
    assert "[bold]1.jpg#0r1n" in out
    assert out.count("x") == 150
    assert "[red]plain :smile:" in out


@pytest.mark.parametrize(("width", "headers"), [(120, 1), (40, 2)])
def test_a_table_wider_than_the_terminal_is_cut_in_two(width: int, headers: int) -> None:
    """On 80 columns eleven columns become unreadable: each half must fit, begin with the names and lose no cell."""
    screen = Screen()
    screen.console.width = width
    cells = [f"{k:.5f}" for k in range(5)]
    with screen.console.capture() as capture:
        screen.table(["system", *"abcde"], [["bert", *cells], None, ["gpt", *cells]], split=4)
    shown = capture.get()
    assert shown.count("system") == shown.count("bert") == shown.count("gpt") == headers
    assert all(shown.count(cell) == 2 for cell in cells)
    assert max(map(len, shown.splitlines())) <= width


def test_json_keeps_stdout_for_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for people on stdout makes the document unreadable for programs."""
    screen = Screen(json=True)
    screen.heading("for people")
    screen.document({"for": "programs"})
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"for": "programs"}
    assert "for people" in captured.err


def test_without_json_there_is_no_document(capsys: pytest.CaptureFixture[str]) -> None:
    """A document among the tables nobody asked for."""
    Screen().document({"for": "programs"})
    assert capsys.readouterr().out == ""


def test_numbers_for_people() -> None:
    """`nan` in a table reads like a word; a share of 0.05 like 5 %."""
    assert (number(0.456), percent(0.056, 1)) == ("0.46", "5.6 %")
    assert (number(float("nan")), percent(float("nan"))) == ("-", "-")
