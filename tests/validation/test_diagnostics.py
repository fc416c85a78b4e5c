"""The diagnostics study's arithmetic: a wrong rate here would certify a wrong test."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from validation.diagnostics.__main__ import main
from validation.diagnostics.item_fit import FAULTS, ItemFitSize, simulated_fit, true_items
from validation.diagnostics.judge import chance_range, judge
from validation.diagnostics.missing import IN_WORDS, MECHANISMS, Answers
from validation.diagnostics.studies import STUDIES
from validation.diagnostics.study import Condition, run

SMALL = Condition(120, 6, "2PL", "by design")


def made_rows(rate: float, replications: int = 200, units: int = 40) -> pd.DataFrame:
    """Uniform p-values, but for a share that are 0."""
    rng = np.random.default_rng(4)
    p = np.where(rng.random((replications, units)) < rate, 0.0, rng.uniform(0.05, 1.0, (replications, units)))
    at = np.arange(units)
    return pd.DataFrame(
        {
            "test": "S-X2",
            "unit": np.tile(at, replications),
            "p": p.ravel(),
            "planted": False,
            "replication": np.repeat(np.arange(replications), units),
        }
    )


def test_rates_and_their_errors() -> None:
    """A level misread, or units of one data set taken for independent, would certify any test."""
    found = judge("made", made_rows(0.05))[0]
    assert abs(found.rate - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 8000)
    assert found.error == pytest.approx(np.sqrt(0.05 * 0.95 / 8000), rel=0.2)
    assert found.met
    assert found.lowest < 0.05 < found.highest
    assert not judge("made", made_rows(0.09))[0].valid
    together = made_rows(0.0)
    together.loc[together["replication"] < 10, "p"] = 0.0
    assert judge("made", together)[0].error == pytest.approx(np.sqrt(0.05 * 0.95 / 200), rel=0.1)


def test_what_could_not_be_tested_is_counted() -> None:
    """A gap that counts as "not rejected" makes a test look smaller than it is."""
    rows = made_rows(0.5)
    rows.loc[rows["unit"] < 4, "p"] = np.nan
    found = judge("made", rows)[0]
    assert (found.tests, found.untested) == (36 * 200, 4 * 200)
    assert found.rate == pytest.approx(0.5, abs=0.03)
    rows["p"] = np.nan
    assert np.isnan(judge("made", rows)[0].rate)


def test_faulty_units_are_judged_apart() -> None:
    """Power counted as size, or the other way round, is the worst mistake a page can make."""
    rows = made_rows(0.05)
    rows.loc[rows["unit"] == 3, ["p", "planted"]] = [0.0, True]
    size, power = sorted(judge("made", rows), key=lambda each: each.planted)
    assert power.rate == 1.0
    assert size.tests == 39 * 200
    assert abs(size.rate - 0.05) < 0.01


def test_chance_range_agrees_with_simulation() -> None:
    """Beside the range over items stands what chance would do: that must be right."""
    low, high = chance_range(200, 60)
    drawn = np.random.default_rng(5).binomial(200, 0.05, (20_000, 60)) / 200
    assert abs(low - drawn.min(axis=1).mean()) < 0.0005
    assert abs(high - drawn.max(axis=1).mean()) < 0.0005


def test_items_are_fixed_and_answers_are_not() -> None:
    """Rates per item mean something only if the items stay the same, and replications must differ."""
    first, second = (run(ItemFitSize(), SMALL, 2, seed, 1) for seed in (3, 3))
    pd.testing.assert_frame_equal(first, second)
    assert first["p"][:6].tolist() != first["p"][6:].tolist()
    assert simulated_fit(SMALL, 3, 0).responses.codes.tolist() != simulated_fit(SMALL, 3, 1).responses.codes.tolist()
    assert true_items(SMALL, 3).slopes.tolist() == true_items(SMALL, 3).slopes.tolist()


@pytest.mark.parametrize("name", MECHANISMS)
def test_ways_of_missing(name: str) -> None:
    """A mechanism that does not do what its name says measures another test."""
    rng = np.random.default_rng(6)
    theta, codes = rng.normal(size=4000), rng.integers(0, 2, (4000, 6)).astype(np.int8)
    absent = MECHANISMS[name](Answers(codes, theta, np.linspace(-1.5, 1.5, 6)), rng.random((4000, 6)))
    low, high = absent[theta < -0.5].mean(), absent[theta > 0.5].mean()
    share = {"complete": 0.0, "by design": 1 / 3, "wrong ones": 0.2}
    share |= {f"{each} % at random": each / 100 for each in (10, 30, 50)}
    if name in share:
        assert absent.mean() == pytest.approx(share[name], abs=0.01)
        assert low == pytest.approx(high, abs=0.03)
    else:
        assert low > high + 0.15
    assert name in IN_WORDS or name == "complete" or name.endswith("at random")


def test_every_study_has_conditions_that_can_run() -> None:
    """A fault or a mechanism that is misspelt would end a run of hours at its last condition."""
    for study in STUDIES.values():
        for quick in (True, False):
            conditions = study.conditions(quick)
            assert len({each.label for each in conditions}) == len(conditions) > 0
            for each in conditions:
                assert each.missing in MECHANISMS
                assert each.fault in ("", *FAULTS)


def test_writes_both_files_or_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Minutes of work must not end in a folder that cannot be written, nor in half a file."""
    small = ["--quick", "--replications", "2", "--studies", "item-fit-size", "--only", "complete", "--out"]
    assert main([*small, str(tmp_path / "new" / "out")]) == 0
    content = json.loads((tmp_path / "new" / "out" / "diagnostics.json").read_text("utf-8"), parse_constant=pytest.fail)
    (rates,) = content["studies"].values()
    assert rates[0]["tests"] == 40
    assert (tmp_path / "new" / "out" / "diagnostics.md").read_text("utf-8") in capsys.readouterr().out
    (tmp_path / "file").write_text("", "utf-8")
    assert main([*small, str(tmp_path / "file")]) == 2
    assert "cannot write here" in capsys.readouterr().err
    assert main(["--out", str(tmp_path), "--only", "no such label"]) == 2
    with pytest.raises(InputError, match="processes"):
        run(ItemFitSize(), SMALL, 2, 1, 0)
