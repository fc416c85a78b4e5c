"""`psyirt demo`: the main job end to end, and an honest account of it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from psyirt.cli import demo_report
from psyirt.cli.demo_run import RECRUITMENT, Demonstration, demonstrate, fault_table, lost_table, write_demonstration
from psyirt.cli.outputs import DEMO_FILES
from psyirt.cli.screen import Screen
from psyirt.scale.options import BuildOptions
from tests.cli.conftest import Run, one_line_error


class History:
    """As much of a build as the tables need."""

    def __init__(self, *items: str) -> None:
        self.history = pd.DataFrame(
            {"item": items, "group": "g", "rule": "r", "reason": "why"}, columns=["item", "group", "rule", "reason"]
        )


@pytest.fixture
def truth() -> pd.DataFrame:
    """Two good items, a dependent pair, a flat item."""
    return pd.DataFrame(
        {
            "fault": ["", "", "dependent pair", "dependent pair", "flat"],
            "partner": ["", "", "p2", "p1", ""],
        },
        index=pd.Index(["g1", "g2", "p1", "p2", "f1"], name="item"),
    )


@pytest.mark.parametrize(
    ("gone", "found", "lost"),
    [
        ((), [0, 0], []),
        (("p2",), [1, 0], []),
        (("p1",), [1, 0], []),
        (("p2", "p1"), [1, 0], ["p1"]),
        (("g1", "f1"), [0, 1], ["g1"]),
    ],
)
def test_found_and_lost(truth: pd.DataFrame, gone: tuple[str, ...], found: list[int], lost: list[str]) -> None:
    """One item of a pair is the fault and the other is good: counting both as faults flatters the builder."""
    faults = truth.loc[["p1", "f1"]]
    table = fault_table(faults, History(*gone))  # type: ignore[arg-type]
    assert table["planted"].tolist() == [1, 1]
    assert table["found"].tolist() == found
    assert list(lost_table(truth, History(*gone)).index) == lost  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def small() -> Demonstration:
    """The demonstration with few people, and without the guessing tests for speed."""
    return demonstrate(workers=300, seed=1, options=BuildOptions(test_guessing=False))


def test_the_demonstration_adds_up(small: Demonstration) -> None:
    """Every removed item is a found fault or a lost item; every careless worker who stays is an error to know of."""
    removed = set(small.build.history["item"])
    faulty = set(small.study.truth.index[small.study.truth["fault"] != ""])
    assert set(small.lost.index) <= removed
    assert removed - set(small.lost.index) <= faulty
    assert small.faults["planted"].sum() == len(small.study.faults) == 9
    assert small.good_items == 81
    assert small.crowd.screening is not None
    assert not set(small.crowd.responses.subject_names) & set(small.crowd.screening.removed.index)
    assert [scores.scale.name for scores in small.scores] == list(small.build.scales)


def test_most_planted_faults_are_found(small: Demonstration) -> None:
    """A builder that finds nothing, or removes half the good items, must not pass as a demonstration."""
    assert small.faults["found"].sum() >= 5
    assert len(small.lost) <= 10
    assert len(small.scores) >= 1


def test_the_report_says_it_all(small: Demonstration, capsys: pytest.CaptureFixture[str]) -> None:
    """The four parts and the count at the end."""
    demo_report.show_demo(Screen(), small)
    shown = capsys.readouterr().out
    for words in ("workers leave", "Agreement", "a scale of", "system-high: theta", "planted faults were found"):
        assert words in shown
    assert f"{len(small.lost)} of 81 good items were lost" in shown


def test_the_command_writes_only_if_asked(run: Run, small: Demonstration, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make demo` leaves nothing behind; with --out the study can be worked through by hand."""
    monkeypatch.setattr("psyirt.cli.demo_run.demonstrate", lambda workers, seed, progress: small)
    result = run("demo", "--json")
    assert result.exit_code == 0, result.output
    assert list(Path().iterdir()) == []
    document = json.loads(result.stdout)
    assert document["faults_found"] == small.faults["found"].sum()
    assert run("demo", "--out", "kept").exit_code == 0
    assert sorted(path.name for path in Path("kept").iterdir()) == sorted(DEMO_FILES)
    assert "already exists" in one_line_error(run("demo", "--out", "kept"))
    assert "--force" in one_line_error(run("demo", "--force"))


def test_the_kept_files_lead_to_the_same_scales(run: Run, small: Demonstration) -> None:
    """The commands that the demo ends with must work on its files and give its scales."""
    Path("kept").mkdir()
    write_demonstration(Path("kept"), small, {})
    rule, label_map = small.study.attention_rule, small.study.label_map
    built = run(
        "build", "kept/labels.csv", "--gold", "kept/gold.csv", "--group", "group",
        "--label-map", ",".join(f"{code}={label}" for code, label in label_map.items()),
        "--attention", ",".join(rule.items), "--attention-correct", rule.min_correct, "--out", "mine",
        "--recruitment", RECRUITMENT, "--threshold", "scale.test_guessing=false",
    )  # fmt: skip
    assert built.exit_code == 0, built.output
    items = [pd.read_csv(folder / "items.csv") for folder in (Path("mine"), Path("kept/scales"))]
    pd.testing.assert_frame_equal(*items)
    assert run("score", "mine/scale.json", "kept/predictions.csv").exit_code == 0


@pytest.mark.parametrize(("option", "value"), [("--seed", "-1"), ("--workers", "1")])
def test_numbers_out_of_range_are_one_line(run: Run, option: str, value: str) -> None:
    """A slip in a number is no bug."""
    one_line_error(run("demo", option, value))
