"""The leaderboard study on a made leaderboard, where the stored fit can be good or bad."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import psyirt
from validation.metabench import __main__ as program
from validation.metabench import study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tests as metabench keeps them, the second one's abilities by sum scores."""
    for name, method in study.TESTS.items():
        made = psyirt.simulate_responses(400, 20, seed=len(name))
        made.responses.to_frame().astype(int).to_csv(tmp_path / f"metabench_{name}.csv.gz")
        fit = psyirt.fit_mml(made.responses, "2PL", nodes=61, adaptive=False)
        items = fit.items[["a", "intercept"]].rename(columns={"a": "a1", "intercept": "d"})
        items.to_csv(tmp_path / f"metabench_{name}_mirt_items.csv.gz")
        theta = fit.abilities("MAP")["theta"]
        if method == "EAPsum":
            theta = pd.Series(
                psyirt.sum_score_table(fit)["theta"].to_numpy()[made.responses.codes.sum(axis=1)], theta.index
            )
        theta.rename("theta_stored").to_csv(tmp_path / f"metabench_{name}_mirt_theta.csv.gz")
    return tmp_path


def test_agrees_with_what_is_right_and_not_with_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison that cannot fail compares nothing."""
    assert program.main(["--data", str(folder)]) == 0
    assert capsys.readouterr().out.count("| yes |") == 6
    stored = study.read_stored(folder, "arc")
    moved = study.Stored("arc", stored.responses, stored.a, stored.intercept, stored.theta + 0.01)
    assert [line.good for line in study.compare(moved)] == [True, True, False]
    worse = study.Stored("arc", stored.responses, stored.a + 0.2, stored.intercept, stored.theta)
    lines = list(study.compare(worse))
    assert lines[0].ours > lines[0].theirs
    assert not lines[2].good


def test_stored_values_stand_beside_their_own_items(folder: Path) -> None:
    """A file sorted otherwise than the responses must not move parameters to other items."""
    path = folder / "metabench_arc_mirt_items.csv.gz"
    before = study.read_stored(folder, "arc").a
    pd.read_csv(path).iloc[::-1].to_csv(path, index=False)
    np.testing.assert_array_equal(study.read_stored(folder, "arc").a, before)
    pd.read_csv(path).iloc[:-1].to_csv(path, index=False)
    assert program.main(["--data", str(folder)]) == 2


def test_without_data_it_says_what_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2."""
    assert program.main(["--data", str(tmp_path)]) == 2
    assert "metabench_arc.csv.gz" in capsys.readouterr().err
