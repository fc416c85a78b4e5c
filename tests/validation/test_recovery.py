"""The recovery study's arithmetic: a wrong count here would certify wrong standard errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from psyirt.errors import InputError
from validation.recovery.__main__ import main
from validation.recovery.judge import chance_range, judge
from validation.recovery.page import write
from validation.recovery.study import Design, Fits, run

DESIGN = Design(subjects=200, items=4, replications=400, seed=5)


def made_fits(scale: float = 1.0, shift: float = 0.0) -> Fits:
    """Estimates that are normal about truth + shift with sd .2, and standard errors of .2 * scale."""
    truth = DESIGN.truth.to_numpy()
    noise = np.random.default_rng(8).normal(0.0, 0.2, (DESIGN.replications, len(truth)))
    errors = np.full_like(noise, 0.2 * scale)
    seconds = np.ones(len(noise))
    return Fits(truth + shift + noise, errors, np.ones(len(noise), dtype=bool), seconds, seconds)


def test_exact_intervals_are_found_exact() -> None:
    """A wrong normal quantile or a truth in the wrong order would show here as coverage far from .95."""
    verdict = judge(DESIGN, made_fits())
    assert abs(verdict.pooled_coverage - 0.95) < 4 * np.sqrt(0.05 * 0.95 / made_fits().errors.size)
    assert verdict.pooled_met
    assert verdict.biased.empty
    assert verdict.not_converged == verdict.without_interval == 0


def test_short_intervals_and_bias_are_found() -> None:
    """A study that cannot fail certifies anything."""
    short = judge(DESIGN, made_fits(scale=0.5))
    assert abs(short.pooled_coverage - 0.673) < 0.03  # P(|Z| < .98)
    assert not short.pooled_met
    assert len(short.outside) == 8
    off = judge(DESIGN, made_fits(shift=0.1))
    assert len(off.biased) == 8


def test_missing_intervals_are_counted_and_left_out() -> None:
    """An interval that could not be given is neither a hit nor a miss, and must not vanish."""
    fits = made_fits()
    fits.errors[:5, 2] = np.nan
    fits.converged[7] = False
    verdict = judge(DESIGN, fits)
    assert verdict.without_interval == 5
    assert verdict.not_converged == 1
    assert verdict.parameters["intervals"].tolist() == [400, 400, 395, 400, 400, 400, 400, 400]
    assert verdict.parameters.index.equals(DESIGN.truth.index)


def test_parameter_without_any_interval_is_null_and_not_met(tmp_path: Path) -> None:
    """NaN is no JSON, and a parameter nobody could judge must not count as recovered."""
    fits = made_fits()
    fits.errors[:, 2] = np.nan
    verdict = judge(DESIGN, fits)
    _, data = write(verdict, tmp_path)
    row = json.loads(data.read_text("utf-8"), parse_constant=pytest.fail)["parameters"][2]
    assert row["coverage"] is None
    assert len(verdict.outside) == len(verdict.biased) == 1


def test_chance_range_agrees_with_simulation() -> None:
    """The page says whether a goal can be met at all: that probability must be right."""
    chance = chance_range(200, 180)
    drawn = np.random.default_rng(2).binomial(200, 0.95, (20_000, 180)) / 200
    assert abs(chance.lowest - drawn.min(axis=1).mean()) < 0.0005
    assert abs(chance.highest - drawn.max(axis=1).mean()) < 0.0005
    inside = (drawn >= 0.9 - 1e-9) & (drawn <= 0.985 + 1e-9)
    assert abs(chance.probability_inside - inside.all(axis=1).mean()) < 4 * 0.5 / np.sqrt(20_000)
    assert abs(chance.expected_outside - (~inside).sum(axis=1).mean()) < 0.03


def test_items_are_fixed_and_answers_are_not() -> None:
    """Replications that share their answers would measure nothing; items that change would have no coverage."""
    design = Design(subjects=300, items=5, replications=3, seed=2)
    fits = run(design)
    assert (design.truth == Design(300, 5, 7, 2).truth).all()
    assert len(np.unique(fits.estimates[:, 0])) == 3
    distance = np.abs(fits.estimates - design.truth.to_numpy()) / fits.errors
    assert np.nanmax(distance) < 5


def test_writes_both_files_or_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Minutes of work must not end in a folder that cannot be written, nor in half a file."""
    small = ["--subjects", "100", "--items", "4", "--replications", "2", "--out"]
    assert main([*small, str(tmp_path / "new" / "out")]) == 0
    content = json.loads((tmp_path / "new" / "out" / "recovery.json").read_text("utf-8"))
    assert content["design"] == {"subjects": 100, "items": 4, "replications": 2, "seed": 1}
    assert len(content["parameters"]) == 8
    assert (tmp_path / "new" / "out" / "recovery.md").read_text("utf-8") in capsys.readouterr().out
    (tmp_path / "file").write_text("", "utf-8")
    assert main([*small, str(tmp_path / "file")]) == 2
    assert "cannot write here" in capsys.readouterr().err


def test_impossible_designs_are_refused() -> None:
    """One replication has no spread, and a negative seed no stream."""
    for options in ({"replications": 1}, {"seed": -1}, {"items": 2}, {"subjects": 5}):
        with pytest.raises(InputError, match=next(iter(options))):
            Design(**options)
    with pytest.raises(InputError, match="processes"):
        run(DESIGN, processes=0)
