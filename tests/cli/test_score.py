"""`psyirt score`: what it prints and writes is what the scales say of the systems."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import Result

from psyirt.scale.files import load_scales
from psyirt.simulation import CrowdStudy
from tests.cli.conftest import Run, one_line_error

Built = tuple[Path, Result]


@pytest.fixture
def scale_file(built: Built) -> Path:
    """The scale file of the small study."""
    return built[0] / "scale.json"


def test_table_document_and_file_agree_with_the_library(
    run: Run, scale_file: Path, files: Path, study: CrowdStudy
) -> None:
    """Two ways out of one computation: a number that differs between them is wrong in one."""
    result = run("score", scale_file, files / "predictions.csv", "--out", "scores.csv", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    written = pd.read_csv("scores.csv", keep_default_na=False).set_index(["scale", "kind", "name"]).sort_index()
    graded = study.systems.grade()
    for name, scale in load_scales(scale_file).items():
        expected = scale.score(graded.select(items=list(scale.item_names)))
        rows = pd.DataFrame(document["scales"][name]["systems"]).set_index("system")
        for column in ("theta", "se", "percentile", "crowd_percentile", "accuracy_low"):
            np.testing.assert_allclose(rows[column], expected[column], rtol=1e-9)
            in_file = written.loc[(name, "system")].loc[list(expected.index), column]
            np.testing.assert_allclose(in_file.astype(float), expected[column], rtol=1e-9)
        assert {"always yes", "always no", "random"} <= set(written.loc[(name, "baseline")].index)
        assert document["scales"][name]["quality"]["n_items"] == len(scale.item_names)
    pruned = set(study.truth.index) - {item for scale in load_scales(scale_file).values() for item in scale.item_names}
    assert set(document["items_on_no_scale"]) == pruned


def test_people_read_quality_scores_baselines_and_a_sentence(run: Run, scale_file: Path, files: Path) -> None:
    """A percentile without the scale's reach beside it, or a score without its baselines, misleads."""
    shown = run("score", scale_file, files / "predictions.csv").stdout
    for words in (
        "yes: ",
        "reliability",
        "at the ceiling",
        "system-high",
        "(always yes)",
        "(random)",
        "items are on no scale",
    ):
        assert words in shown
    assert "system-middle: theta " in shown
    assert "percentile of people, interval " in shown


@pytest.mark.parametrize(("systems", "said"), [(10, True), (11, False)])
def test_sentences_give_way_to_the_table_of_many_systems(
    run: Run, scale_file: Path, files: Path, systems: int, said: bool
) -> None:
    """Forty systems on three scales were a hundred and twenty lines that repeat the tables above them."""
    first = pd.read_csv(files / "predictions.csv", index_col="system").iloc[[0]]
    many = pd.concat([first.set_axis([f"s{k}"], axis=0) for k in range(systems)]).rename_axis("system")
    many.to_csv("many.csv")
    shown = run("score", scale_file, "many.csv", "--scale", "yes").stdout
    assert ("s9: theta " in shown) == said
    assert "s9 " in shown
    assert (
        len(json.loads(run("score", scale_file, "many.csv", "--json").stdout)["scales"]["yes"]["sentences"]) == systems
    )


def test_one_class_answered_always_is_perfect_there(run: Run, scale_file: Path, files: Path) -> None:
    """On one class's scale the constant answer is perfect: the baseline must show it."""
    document = json.loads(run("score", scale_file, files / "predictions.csv", "--json").stdout)
    baselines = pd.DataFrame(document["scales"]["yes"]["baselines"]).set_index("baseline")
    assert baselines.loc["always yes", "accuracy"] == 1
    assert "this class only" in baselines.loc["always yes", "note"]


def test_long_files_and_one_scale(run: Run, scale_file: Path, files: Path) -> None:
    """The layout of a file must not change a score; --scale leaves the others out without blaming the file."""
    wide = pd.read_csv(files / "predictions.csv", index_col="system")
    wide.stack().rename_axis(["system", "item"]).rename("label").reset_index().to_csv("long.csv", index=False)
    documents = [
        json.loads(run("score", scale_file, path, "--scale", "no", "--json").stdout)
        for path in (files / "predictions.csv", "long.csv")
    ]
    assert list(documents[0]["scales"]) == ["no"]
    assert documents[0]["scales"] == documents[1]["scales"]
    assert "left out" not in run("score", scale_file, "long.csv", "--scale", "no").stdout


def test_a_file_of_one_class_is_scored_on_its_scale(run: Run, scale_file: Path, files: Path, study: CrowdStudy) -> None:
    """Scales whose items were not asked are left out, and the reader is told."""
    items = study.truth.index[study.truth["group"] == "no"]
    pd.read_csv(files / "predictions.csv", index_col="system")[items].to_csv("no.csv")
    result = run("score", scale_file, "no.csv")
    assert result.exit_code == 0
    assert "scale 'yes' is left out" in result.stdout


def test_refusals_are_counted(run: Run, scale_file: Path, files: Path) -> None:
    """A refusal is wrong by default, and never silent."""
    table = pd.read_csv(files / "predictions.csv", index_col="system")
    table.loc["system-high", :] = "I cannot help with that"
    table.to_csv("refusals.csv")
    result = run("score", scale_file, "refusals.csv", "--json")
    for scale in json.loads(result.stdout)["scales"].values():
        row = next(row for row in scale["systems"] if row["system"] == "system-high")
        assert row["non_answers"] == scale["quality"]["n_items"]
        assert row["correct"] == 0
    assert "psyirt: warning: " in result.stderr
    assert "I cannot help with that" in result.stderr


def test_an_edited_scale_needs_force(run: Run, scale_file: Path, files: Path) -> None:
    """A scale that somebody changed scores by other parameters than those that were fitted."""
    text = scale_file.read_text()
    Path("edited.json").write_text(text.replace('"paid"', '"volunteers"'))
    assert "--force" in one_line_error(run("score", "edited.json", files / "predictions.csv"))
    forced = run("score", "edited.json", files / "predictions.csv", "--force")
    assert forced.exit_code == 0
    assert "was edited" in forced.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--method", "MLE"), "MLE"),
        (("--non-answer", "right"), "--non-answer"),
        (("--absent", "drop"), "--absent"),
        (("--population", "all"), "--population"),
        (("--scale", "maybe"), "Known: yes, no"),
        (("--graded",), "not 0, 1 or missing"),
        (("--label-map", "yes=ja"), "ja"),
        (("--out", "scores.xlsx"), ".xlsx"),
        (("--columns", "worker=x"), "worker"),
        (("--non-answer", "right"), "psyirt: --non-answer: 'right' is not known. Give one of: wrong, missing."),
        (("--encoding", "utf-16"), "is not UTF-16 text"),
    ],
)
def test_bad_options_are_one_line(
    run: Run, scale_file: Path, files: Path, arguments: tuple[str, ...], said: str
) -> None:
    """A wrong word is named, and nothing is written."""
    assert said in one_line_error(run("score", scale_file, files / "predictions.csv", *arguments))
    assert not Path("scores.csv").exists()


def test_bad_files_are_one_line(run: Run, scale_file: Path, files: Path) -> None:
    """An absent or cut scale file, absent predictions, and predictions for a scale."""
    cut = scale_file.read_text()[:2000]
    Path("cut.json").write_text(cut)
    predictions = files / "predictions.csv"
    assert "cut short" in one_line_error(run("score", "cut.json", predictions))
    assert "absent.json" in one_line_error(run("score", "absent.json", predictions))
    assert "absent.csv" in one_line_error(run("score", scale_file, "absent.csv"))
    assert "scale file" in one_line_error(run("score", predictions, scale_file))


def test_label_options_of_a_graded_file_are_refused(run: Run, scale_file: Path, study: CrowdStudy) -> None:
    """An option without effect must not be taken silently."""
    study.systems.grade().to_frame().astype(int).to_csv("graded.csv")
    assert run("score", scale_file, "graded.csv").exit_code == 0
    assert "--label-map" in one_line_error(run("score", scale_file, "graded.csv", "--label-map", "y=yes"))


def test_counts_in_the_file_are_whole_numbers(run: Run, scale_file: Path, files: Path) -> None:
    """ "12.0 items right" makes a reader look for the half; only random answerers have a mean."""
    assert run("score", scale_file, files / "predictions.csv", "--out", "scores.csv").exit_code == 0
    table = pd.read_csv("scores.csv", dtype=str).set_index("name")
    for column in ("answered", "non_answers"):
        assert table[column].str.fullmatch(r"\d+").all()
    assert table.drop(index="random")["correct"].str.fullmatch(r"\d+").all()
    assert table.loc["random", "correct"].astype(float).gt(0).all()


def test_a_partial_form_is_warned_of_once(run: Run, scale_file: Path, files: Path) -> None:
    """Warnings of what the user has just asked for teach users to skip warnings."""
    wide = pd.read_csv(files / "predictions.csv", index_col="system")
    first = next(iter(load_scales(scale_file).values())).item_names[0]
    wide.drop(columns=first).to_csv("short.csv")
    result = run("score", scale_file, "short.csv", "--absent", "skip")
    assert result.exit_code == 0
    assert result.stderr.count("psyirt: warning: ") == 1
    assert "partial form" in result.stderr
    assert "without labels" not in result.output


@pytest.mark.parametrize("answer", ["refused", "na", "", "I cannot help with that."])
def test_a_file_of_one_system_that_refuses_everything(run: Run, scale_file: Path, files: Path, answer: str) -> None:
    """The worst system of all must get the worst score, with its refusals counted, not an error."""
    table = pd.read_csv(files / "predictions.csv", index_col="system").iloc[:1].rename(index=lambda _: "mute")
    table.astype(object).map(lambda _: answer).to_csv("mute.csv")
    result = run("score", scale_file, "mute.csv", "--json")
    assert result.exit_code == 0, result.output
    assert "1 system gave no recognised answer" in result.stderr
    for name, scale in json.loads(result.stdout)["scales"].items():
        (row,) = scale["systems"]
        assert row["non_answers"] == scale["quality"]["n_items"], name
        assert row["theta"] == pytest.approx(scale["quality"]["theta_low"], abs=1e-6)
        assert row["at_ceiling"] == "<="


def test_another_coding_is_not_taken_for_refusals(run: Run, scale_file: Path, files: Path) -> None:
    """A forgotten --label-map must stop the work, not put every system at the bottom."""
    table = pd.read_csv(files / "predictions.csv", index_col="system")
    table.replace({"yes": "LABEL_1", "no": "LABEL_0", "y": "LABEL_1", "n": "LABEL_0"}).to_csv("coded.csv")
    line = one_line_error(run("score", scale_file, "coded.csv"))
    assert "none of the labels is an answer: 'LABEL_0', 'LABEL_1'" in line
    assert "--label-map" in line


def test_what_is_right_and_the_accuracy_have_one_denominator(run: Run, scale_file: Path, files: Path) -> None:
    """ "right 5/12" beside "accuracy 1.00" is a contradiction: missing answers count in neither."""
    table = pd.read_csv(files / "predictions.csv", dtype=str).iloc[:1]
    key = {item: label for scale in load_scales(scale_file).values() for item, label in scale.key.items()}
    given = {item: [label if k % 2 else ""] for k, (item, label) in enumerate(key.items())}
    pd.DataFrame({"system": table["system"]} | given).to_csv("half.csv", index=False)
    for policy, whole in (("missing", False), ("wrong", True)):
        shown = run("score", scale_file, "half.csv", "--non-answer", policy, "--json")
        row = json.loads(shown.stdout)["scales"]["yes"]["systems"][0]
        counting = row["answered"] + (row["non_answers"] if whole else 0)
        assert f" {row['correct']}/{counting} " in shown.stderr
        assert row["accuracy"] == pytest.approx(row["correct"] / counting)


def test_baselines_keep_their_parentheses_in_notes(run: Run, scale_file: Path, files: Path) -> None:
    """A user's system may be called "random" too."""
    shown = run("score", scale_file, files / "predictions.csv").stdout
    assert "  (random): mean and 95 % range" in shown


def test_arguments_that_are_no_scale(run: Run, scale_file: Path, files: Path) -> None:
    """A folder, and the two files in the wrong order: each says what comes first."""
    folder = run("score", scale_file.parent, files / "predictions.csv")
    assert f"is a folder, not a scale file. Give {scale_file}" in one_line_error(folder)
    swapped = one_line_error(run("score", files / "predictions.csv", scale_file))
    assert "is no scale file" in swapped
    assert "may have changed places" in swapped
    assert "changed places" not in one_line_error(run("score", files / "predictions.csv", files / "predictions.csv"))


def test_rows_of_predictions_are_called_systems(run: Run, scale_file: Path) -> None:
    """Someone who scores systems has no workers to keep one row of."""
    items = next(iter(load_scales(scale_file).values())).item_names
    Path("p.csv").write_text(f"system,{items[0]},{items[1]}\nbert,yes,no\nbert,no,no\n")
    line = one_line_error(run("score", scale_file, "p.csv"))
    assert "system 'bert' has more than one row" in line
    assert "worker" not in line
