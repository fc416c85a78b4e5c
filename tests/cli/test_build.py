"""`psyirt build`: the folder holds the whole build or does not exist, and what it holds is the build."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import Result

import psyirt
from psyirt.cli.outputs import BUILD_FILES
from psyirt.scale.files import load_scales
from psyirt.simulation import CrowdStudy
from tests.cli.conftest import Run, one_line_error, read

Built = tuple[Path, Result]
Arguments = tuple[object, ...]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with labels.csv (8 workers, 4 items, labels y and n) and gold.csv (yes, no)."""
    rows = ["yyny", "yynn", "nyny", "yyyy", "ynnn", "nnyy", "yynn", "nyyn"]
    text = "worker,q1,q2,q3,q4\n" + "".join(f"w{k},{','.join(row)}\n" for k, row in enumerate(rows))
    (tmp_path / "labels.csv").write_text(text)
    (tmp_path / "gold.csv").write_text("item,gold,class\nq1,yes,A\nq2,yes,A\nq3,no,A\nq4,no,A\n")
    return tmp_path


def test_a_build_ends_well_and_writes_everything(built: Built) -> None:
    """The main job: a scale for each class, and every file that the help promises."""
    out, result = built
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in out.iterdir()) == sorted(BUILD_FILES)
    assert list(load_scales(out / "scale.json")) == ["yes", "no"]
    for kind in ("a scale of", "attainable range", "reliability", "Fleiss' kappa", "attention items right"):
        assert kind in result.stderr


def test_stdout_is_the_document_and_equals_its_file(built: Built) -> None:
    """With --json a program reads stdout: one stray line, or other numbers than in the file, breaks it."""
    out, result = built
    assert json.loads(result.stdout) == json.loads((out / "build.json").read_text())


def test_the_scales_are_those_of_the_library(built: Built, study: CrowdStudy) -> None:
    """The command must build from the same answers as the library: screened, graded, grouped."""
    kept = study.labels.screen(study.attention_rule, study.label_map).kept
    options = psyirt.scale.options.BuildOptions(test_guessing=False)
    expected = psyirt.build_scale(kept.grade(study.label_map), "group", options=options)
    scales = load_scales(built[0] / "scale.json")
    assert {name: scale.item_names for name, scale in scales.items()} == {
        name: scale.item_names for name, scale in expected.scales.items()
    }
    for name, scale in scales.items():
        np.testing.assert_allclose(scale.items["b"], expected.scales[name].items["b"], rtol=1e-9)
        assert scale.crowd.recruitment == "paid"


def test_items_and_history_tell_the_same(built: Built, study: CrowdStudy) -> None:
    """An item that is in no table, or retained in one and removed in the other, cannot be explained to a reader."""
    items = pd.read_csv(built[0] / "items.csv", index_col="item")
    history = pd.read_csv(built[0] / "history.csv")
    scales = load_scales(built[0] / "scale.json")
    on_scale = {item for scale in scales.values() for item in scale.item_names}
    assert set(items.index) == set(study.truth.index)
    assert set(items.index[items["retained"]]) == on_scale
    assert set(items.index[~items["retained"]]) == set(history["item"])
    assert items.loc[items["retained"], "a"].notna().all()
    assert items.loc[~items["retained"], "reason"].notna().all()
    assert items["proportion_correct"].between(0, 1).all()


def test_abilities_and_screening_are_the_crowd(built: Built, study: CrowdStudy) -> None:
    """Careless workers must be named in one file and absent from the other."""
    removed = read(built[0] / "screening.csv")
    abilities = pd.read_csv(built[0] / "abilities.csv")
    assert len(removed) > 0
    assert removed["reason"].str.contains("attention items right").all()
    assert not set(removed["worker"]) & set(abilities["subject"])
    assert len(removed) + abilities["subject"].nunique() == len(study.labels.worker_names)


def test_presets_thresholds_and_exclusions_are_used(run: Run, build_arguments: Arguments, study: CrowdStudy) -> None:
    """An option that is read and dropped lets a user publish a scale that was built otherwise."""
    item = study.truth.index[study.truth["fault"] == ""][0]
    result = run(
        *build_arguments, "--out", "scales", "--preset", "lalor2016", "--exclude", f"{item}=odd, by eye",
        "--threshold", "too-flat.min_communality=0.3", "--holdout", "0.4", "--seed", "1", "--json",
    )  # fmt: skip
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["history"][0]["item"] == item
    assert document["history"][0]["reason"] == "odd, by eye"
    flat = [row for row in document["history"] if row["rule"] == "too flat"]
    assert {row["threshold"] for row in flat} == {0.3}
    assert any(group["holdout"] for group in document["groups"].values())
    assert "entries count as wrong" in " ".join(document["read"]["notes"])  # the preset's choice
    assert document["settings"]["unanswered"] == "wrong"


def test_no_scale_is_an_answer_with_its_own_code(run: Run, build_arguments: Arguments) -> None:
    """A script must not go on to score on a scale that is not there; a person must still see why."""
    result = run(*build_arguments, "--out", "scales", "--threshold", "scale.min_items=25")
    assert result.exit_code == 3
    assert "NO SCALE" in result.stdout
    assert "a scale needs 25" in result.stdout
    written = {path.name for path in Path("scales").iterdir()}
    assert "scale.json" not in written
    assert {"items.csv", "history.csv", "build.json", "summary.txt"} <= written
    assert read(Path("scales/items.csv"))["retained"].eq("False").all()


def test_an_existing_folder_is_refused_before_the_work(run: Run, build_arguments: Arguments, built: Built) -> None:
    """A second run must not cost the first one's results, nor minutes before it says so."""
    before = (built[0] / "scale.json").read_bytes()
    result = run(*build_arguments, "--out", built[0])
    assert "--force" in one_line_error(result)
    assert "read:" not in result.stdout
    assert (built[0] / "scale.json").read_bytes() == before


def test_the_same_build_is_the_same_files(run: Run, build_arguments: Arguments, built: Built) -> None:
    """A build that differs from run to run cannot be checked; --force replaces the whole folder."""
    Path("scales").mkdir()
    Path("scales/summary.txt").write_text("stale")
    assert run(*build_arguments, "--out", "scales", "--recruitment", "paid", "--force").exit_code == 0
    for name in ("scale.json", "items.csv", "history.csv", "abilities.csv", "summary.txt"):
        assert (Path("scales") / name).read_bytes() == (built[0] / name).read_bytes(), name


def test_an_interruption_leaves_nothing(run: Run, build_arguments: Arguments, monkeypatch: pytest.MonkeyPatch) -> None:
    """Partial output must never be mistaken for a whole build."""

    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("psyirt.scale.build.build_scale", interrupted)
    result = run(*build_arguments, "--out", "scales")
    assert result.exit_code == 130
    assert result.stderr.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_a_folder_that_cannot_be_made_is_refused(run: Run, build_arguments: Arguments) -> None:
    """The fault of the place must come before the work and without a traceback."""
    Path("file").write_text("no folder")
    result = run(*build_arguments, "--out", "file/scales")
    assert "cannot write" in one_line_error(result)
    assert "read:" not in result.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_is_refused(run: Run, build_arguments: Arguments) -> None:
    """'Permission denied' must come before the work and without a traceback."""
    Path("locked").mkdir(mode=0o500)
    assert "cannot write" in one_line_error(run(*build_arguments, "--out", "locked/scales"))


@pytest.mark.parametrize(
    ("labels", "gold", "said"),
    [
        (None, "", "no such file"),
        ("", "", "empty"),
        ("words\n", "", "one column"),
        ("worker,q1,q2\nw1,y,n\nw1,y,y\n", "item,gold\nq1,yes\nq2,no\n", "more than one row"),
        ("worker,item,label\nw1,q1,y\nw1,q1,n\n", "item,gold\nq1,yes\n", "repeat"),
        ("worker,q1,q2\nw1,y,maybe\n", "item,gold\nq1,yes\nq2,no\n", "'maybe' stands for no option"),
        ("worker,q1,q2\nw1,y,y\n", "item,gold\nq1,yes\nq2,\n", "have no gold"),
        ("worker,q1,q2\nw1,y,n\n", "item,answer_is\nq1,yes\n", "no gold column"),
        ("worker,q1,q2\nw1,y,n\n", "item,gold\nq1,yes\nq1,no\n", "more than once"),
        ("worker,q1,q2\nw1,y,n\n", None, "no such file"),
    ],
)
def test_bad_files_are_one_line(run: Run, labels: str | None, gold: str | None, said: str) -> None:
    """Bad labels or gold: one line that names the fault, and no folder."""
    if labels is not None:
        Path("labels.csv").write_text(labels)
    if gold is not None:
        Path("gold.csv").write_text(gold)
    assert said in one_line_error(run("build", "labels.csv", "--gold", "gold.csv", "--out", "scales"))
    assert not Path("scales").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--group", "clas"), "clas"),
        (("--preset", "lalor2017"), "lalor2017"),
        (("--label-map", "y=yes,n=nope"), "nope"),
        (("--label-map", "y"), "--label-map"),
        (("--exclude", "q9=unclear"), "q9"),
        (("--exclude", "q1"), "--exclude"),
        (("--attention", "q9"), "q9"),
        (("--attention-correct", "2"), "--attention-correct"),
        (("--unanswered", "right"), "psyirt: --unanswered: 'right' is not known. Give one of: missing, wrong."),
        (("--adjust", "bonferroni"), "psyirt: --adjust is 'bonferroni'. Give"),
        (("--attention", "q1", "--attention-correct", "2"), "--attention-correct 2 for 1 attention item."),
        (("--holdout", "1.5"), "1.5"),
        (("--seed", "-1", "--label-map", "y=yes,n=no"), "--seed is -1"),
        (("--label-map", "y=yes,n=no", "--na-labels", "n"), "label 'n' is in --na-labels as no answer"),
        (("--threshold", "flat.x=1"), "--threshold"),
        (("--columns", "system=x"), "system"),
        (("--encoding", "utf-99"), "utf-99"),
    ],
)
def test_bad_options_are_one_line(run: Run, small: Path, arguments: tuple[str, ...], said: str) -> None:
    """A wrong word is named, and nothing is written."""
    result = run("build", "labels.csv", "--gold", "gold.csv", "--out", "scales", *arguments)
    assert said in one_line_error(result)
    assert not Path("scales").exists()


def test_too_few_items_are_no_scale(run: Run, small: Path) -> None:
    """Two items can be no scale: the evidence and the reason, not a traceback."""
    table = pd.read_csv("labels.csv")[["worker", "q1", "q2"]]
    table.to_csv("labels.csv", index=False)
    result = run("build", "labels.csv", "--gold", "gold.csv", "--out", "scales", "--label-map", "y=yes,n=no")
    assert result.exit_code == 3
    assert "only 2 items were given" in result.stdout
    assert "gold is given for 2 items without labels" in result.stderr


def test_the_seed_needs_no_holdout(run: Run, build_arguments: Arguments, monkeypatch: pytest.MonkeyPatch) -> None:
    """It also drives the simulated crowds behind the verdict on dimensions; dropped, they would be those of seed 0."""
    given: list[object] = []

    def interrupted(*arguments: object, **options: object) -> None:
        given.append((options["holdout"], options["seed"]))
        raise KeyboardInterrupt

    monkeypatch.setattr("psyirt.scale.build.build_scale", interrupted)
    for arguments in ((), ("--seed", "3")):
        assert run(*build_arguments, "--out", "scales", *arguments).exit_code == 130
    assert given == [(0.0, 0), (0.0, 3)]
    text = " ".join(run("build", "--help").stdout.replace("│", " ").split())
    assert "simulated crowds behind the verdict on dimensions" in text


def test_a_failed_build_leaves_no_folders(run: Run, small: Path) -> None:
    """The folders above a build that failed would stay for ever."""
    before = sorted(small.rglob("*"))
    one_line_error(run("build", "labels.csv", "--gold", "gold.csv", "--out", "a/b/scales", "--label-map", "y=yes"))
    assert sorted(small.rglob("*")) == before


def test_an_empty_label_is_unanswered_beside_codes_of_ones_own(run: Run, small: Path) -> None:
    """--na-labels cannot name the empty label, so it must not take it away."""
    pd.DataFrame({"worker": ["a", "a", "b"], "item": ["q1", "q2", "q1"], "label": ["y", None, "dk"]}).to_csv(
        "labels.csv", index=False
    )
    Path("gold.csv").write_text("item,gold\nq1,yes\nq2,no\n")
    result = run("build", "labels.csv", "--gold", "gold.csv", "--out", "scales", "--na-labels", "dk")
    assert "2 unanswered entries count as missing" in result.stdout, result.output


def test_items_whose_majority_is_not_the_gold_label_are_named(run: Run, small: Path) -> None:
    """An item with a wrong key is found in the agreement, in items.csv and in build.json, and not only as a rate."""
    (small / "gold.csv").write_text("item,gold,class\nq1,yes,A\nq2,yes,A\nq3,yes,A\nq4,no,A\n")
    result = run("build", "labels.csv", "--gold", "gold.csv", "--out", "scales")
    assert (
        "2 items whose most frequent answer is not the gold label: q3 (gold yes, no 5 of 8), "
        "q4 (gold no, two labels with 4 of 8 each)"
    ) in result.stdout
    items = pd.read_csv("scales/items.csv", index_col="item")
    assert items["majority_label"].fillna("").to_dict() == {"q1": "yes", "q2": "yes", "q3": "no", "q4": ""}
    np.testing.assert_allclose(items["majority_share"], [5 / 8, 6 / 8, 5 / 8, 1 / 2])
    document = json.loads(Path("scales/build.json").read_text())
    assert [row["majority_label"] for row in document["items"]][2] == "no"
    assert items["n"].dtype == np.int64


def test_a_group_under_its_old_name_is_told_the_new_one(run: Run, small: Path) -> None:
    """The key's column is called 'gold' once read: its name in the file is then unknown."""
    (small / "gold.csv").write_text("item,gold_label\nq1,yes\nq2,yes\nq3,no\nq4,no\n")
    result = run("build", "labels.csv", "--gold", "gold.csv", "--group", "gold_label", "--out", "scales")
    assert "The gold labels' column is called 'gold' here" in one_line_error(result)
