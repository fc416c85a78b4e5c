"""Small files to run the commands on, and a runner that keeps stdout and stderr apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from psyirt.cli.app import app
from psyirt.simulation import CrowdStudy, simulate_crowd_study, simulate_responses

Run = Callable[..., Result]


def invoke(*arguments: object) -> Result:
    """Run `psyirt` with some arguments."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `psyirt` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return invoke


@pytest.fixture(scope="session")
def study() -> CrowdStudy:
    """A small crowd study of two classes, with attention checks and planted faults."""
    return simulate_crowd_study(workers=400, groups=("yes", "no"), items_per_group=12, careless=0.05, seed=3)


@pytest.fixture(scope="session")
def files(study: CrowdStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with its labels.csv, gold.csv and predictions.csv."""
    folder = tmp_path_factory.mktemp("study")
    study.labels.to_frame().to_csv(folder / "labels.csv")
    study.gold.to_csv(folder / "gold.csv")
    study.systems.to_frame().rename_axis("system").to_csv(folder / "predictions.csv")
    return folder


@pytest.fixture(scope="session")
def build_arguments(study: CrowdStudy, files: Path) -> tuple[object, ...]:
    """`psyirt build` on it, without --out; the guessing tests are left out for speed."""
    rule = study.attention_rule
    return (
        "build", files / "labels.csv", "--gold", files / "gold.csv", "--group", "group",
        "--label-map", ",".join(f"{code}={label}" for code, label in study.label_map.items()),
        "--attention", ",".join(rule.items), "--attention-correct", rule.min_correct,
        "--threshold", "scale.test_guessing=false",
    )  # fmt: skip


@pytest.fixture(scope="session")
def built(build_arguments: tuple[object, ...], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The folder of one build, and how the command ended."""
    out = tmp_path_factory.mktemp("build") / "scales"
    return out, invoke(*build_arguments, "--out", out, "--recruitment", "paid", "--json")


@pytest.fixture
def responses_file(tmp_path: Path) -> Path:
    """Graded responses of 200 subjects to 6 items, wide."""
    path = tmp_path / "responses.csv"
    simulate_responses(subjects=200, items=6, seed=5).responses.to_frame().astype(int).to_csv(path)
    return path


def one_line_error(result: Result) -> str:
    """The one line on stderr of a command that refused its input; anything else fails."""
    assert result.exit_code == 2, result.output
    lines = [line for line in result.stderr.splitlines() if "psyirt: warning:" not in line]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("psyirt: ")
    return lines[0]


def read(path: Path) -> pd.DataFrame:
    """A CSV file as it stands."""
    return pd.read_csv(path, keep_default_na=False, dtype=str)
