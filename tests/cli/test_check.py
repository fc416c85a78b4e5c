"""``psyirt check``: the page, the tables, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import psyirt
from psyirt.cli.outputs import CHECK_FILES
from tests.cli.conftest import Run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small wide table."""
    path = tmp_path / "responses.csv"
    psyirt.simulate_responses(300, 8, seed=2).responses.to_frame().astype(int).to_csv(path)
    return path


def test_page_and_tables(run: Run, table: Path, tmp_path: Path) -> None:
    """What is printed is what is written, and every file holds what its name says."""
    out = tmp_path / "checked"
    ended = run("check", table, "--out", out, "--draws", "5")
    assert ended.exit_code == 0, ended.output
    assert sorted(path.name for path in out.iterdir()) == sorted(CHECK_FILES)
    page = (out / "summary.txt").read_text("utf-8")
    assert page in ended.stdout
    assert "Written to" in ended.stdout
    for title in ("FINDINGS", "THE WHOLE MODEL", "DIMENSIONS", "RELIABILITY", "ITEMS", "PAIRS OF ITEMS", "SUBJECTS"):
        assert title in page
    assert len(pd.read_csv(out / "items.csv")) == 8
    assert len(pd.read_csv(out / "pairs.csv")) == 28
    assert len(pd.read_csv(out / "subjects.csv")) == 300
    assert set(pd.read_csv(out / "model.csv")["statistic"]) >= {"M2", "rmsea", "log_likelihood", "bic"}
    assert len(pd.read_csv(out / "scores.csv")) == 9


def test_every_column_is_explained(run: Run, table: Path, tmp_path: Path) -> None:
    """A column without a line in the reference is guessed at."""
    assert run("check", table, "--out", tmp_path / "checked", "--draws", "3").exit_code == 0
    text = (Path(__file__).parents[2] / "docs" / "reference" / "files.md").read_text("utf-8")
    explained = set(re.findall(r"`([^`\s]+)`", text))
    columns = {name for path in (tmp_path / "checked").glob("*.csv") for name in pd.read_csv(path, nrows=0)}
    assert not columns - explained
    assert not {path.name for path in (tmp_path / "checked").iterdir()} - explained


def test_json_on_stdout_is_the_file(run: Run, table: Path, tmp_path: Path) -> None:
    """Programs read one document; nothing else may be on stdout."""
    out = tmp_path / "checked"
    ended = run("check", table, "--out", out, "--draws", "0", "--json")
    assert json.loads(ended.stdout) == json.loads((out / "check.json").read_text("utf-8"))
    document = json.loads(ended.stdout)
    assert document["settings"]["draws"] == 0
    assert "dimensions" not in document
    assert len(document["items"]) == 8


def test_earlier_check_is_replaced_only_when_told(run: Run, table: Path, tmp_path: Path) -> None:
    """A folder of somebody's own must survive."""
    out = tmp_path / "checked"
    assert run("check", table, "--out", out, "--draws", "0").exit_code == 0
    assert run("check", table, "--out", out, "--draws", "0").exit_code == 2
    assert run("check", table, "--out", out, "--draws", "0", "--force").exit_code == 0
    (out / "mine.txt").write_text("precious")
    assert run("check", table, "--out", out, "--draws", "0", "--force").exit_code == 2
    assert (out / "mine.txt").read_text() == "precious"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--model", "5PL"], "5PL"),
        (["--adjust", "magic"], "magic"),
        (["--alpha", "3"], "alpha"),
        (["--draws", "-2"], "draws"),
        (["--seed", "-2"], "seed"),
    ],
)
def test_bad_options_leave_nothing(run: Run, table: Path, tmp_path: Path, options: list[str], word: str) -> None:
    """One line, exit code 2, and no folder."""
    ended = run("check", table, "--out", tmp_path / "checked", *options)
    assert ended.exit_code == 2
    assert word in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "checked").exists()
