"""Small files to run the commands on, and a runner that keeps stdout and stderr apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from psyirt.cli.app import app
from psyirt.simulation import CrowdStudy, simulate_crowd_study, simulate_responses

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `psyirt` with some arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="session")
def study() -> CrowdStudy:
    """A small crowd study with two classes."""
    return simulate_crowd_study(workers=400, groups=("yes", "no"), items_per_group=12, seed=3)


@pytest.fixture
def study_files(study: CrowdStudy, tmp_path: Path) -> tuple[Path, Path]:
    """Its labels (wide) and gold table as files; items are given without the attention checks' names changed."""
    labels, gold = tmp_path / "labels.csv", tmp_path / "gold.csv"
    study.labels.to_frame().to_csv(labels)
    study.gold.to_csv(gold)
    return labels, gold


@pytest.fixture
def responses_file(tmp_path: Path) -> Path:
    """Graded responses of 200 subjects to 6 items, wide."""
    path = tmp_path / "responses.csv"
    simulate_responses(subjects=200, items=6, seed=5).responses.to_frame().astype(int).to_csv(path)
    return path
