"""Predictions files: labels or grades, wide or long, with items that no scale knows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from psyirt.cli.predictions import read_predictions
from psyirt.errors import InputError

KNOWN = {"q1", "q2", "q3"}
WORDS = ("yes", "no")


def written(path: Path, text: str) -> Path:
    """The path, with a text in it."""
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "graded"),
    [
        ("system,q1,q2\nbert,yes,no\n", False),
        ("system,q1,q2\nbert,1,0\ngpt,,1\n", True),
        ("system,q1,q2\nbert,1.0,NA\n", True),
        ("system,q1,q2\nbert,1,no\n", False),
        ("model,item,label\nbert,q1,yes\n", False),
        ("model,item,response\nbert,q1,1\nbert,q2,0\n", True),
        ("model,item,label\nbert,q1,1\n", True),
        ("system,q1,accuracy\nbert,1,0.73\n", True),
        ("system,q1,q2\nbert,,\n", False),
    ],
)
def test_grades_are_told_from_labels(tmp_path: Path, text: str, graded: bool) -> None:
    """Labels taken for grades, or grades graded again, give every system a wrong score."""
    predictions = read_predictions(written(tmp_path / "p.csv", text), KNOWN, WORDS)
    assert (predictions.graded is not None) is graded
    assert (predictions.labels is None) is graded
    assert predictions.systems[0] == "bert"


def test_labels_called_0_and_1_are_labels(tmp_path: Path) -> None:
    """In a binary task with the labels 0 and 1 a 0 may be the right answer."""
    path = written(tmp_path / "p.csv", "system,q1,q2\nbert,1,0\n")
    assert read_predictions(path, KNOWN, ("0", "1")).labels is not None
    assert read_predictions(path, KNOWN, ("0", "1"), graded=True).graded is not None
    assert read_predictions(path, KNOWN, WORDS, graded=False).labels is not None


def test_grades_keep_their_cells(tmp_path: Path) -> None:
    """A grade that moves to another item or system is worse than one that is lost."""
    path = written(tmp_path / "p.csv", "system,q3,q1,other\nbert,1,0,1\ngpt,,1,0\n")
    predictions = read_predictions(path, KNOWN, WORDS)
    assert predictions.graded is not None
    assert predictions.item_names == ("q3", "q1")
    assert predictions.unknown == ("other",)
    np.testing.assert_array_equal(predictions.graded.codes, [[1, 0], [-1, 1]])


def test_json_lines_are_grades(tmp_path: Path) -> None:
    """py-irt's format holds grades by definition."""
    line = json.dumps({"subject_id": "bert", "responses": {"q1": 1, "q2": 0}})
    predictions = read_predictions(written(tmp_path / "p.jsonl", line + "\n"), KNOWN, WORDS)
    assert predictions.graded is not None
    with pytest.raises(InputError, match="--labels"):
        read_predictions(tmp_path / "p.jsonl", KNOWN, WORDS, graded=False)


def test_columns_can_be_named(tmp_path: Path) -> None:
    """A table whose columns have other names must be usable, long and wide."""
    long = written(tmp_path / "long.csv", "who,what,said\nbert,q1,yes\n")
    named = {"system": "who", "item": "what", "label": "said"}
    assert read_predictions(long, KNOWN, WORDS, columns=named).systems == ("bert",)
    grades = written(tmp_path / "grades.csv", "who,what,right\nbert,q1,1\n")
    named = {"system": "who", "item": "what", "response": "right"}
    assert read_predictions(grades, KNOWN, WORDS, columns=named).graded is not None


@pytest.mark.parametrize(
    ("text", "graded", "said"),
    [
        ("system,q1\nbert,maybe\n", True, "not 0, 1 or missing"),
        ("system,q7,q8\nbert,yes,no\n", None, "none of its items is on a scale"),
        ("system,q1\nbert,yes\nbert,no\n", None, "more than one row"),
        ("q1,q2\nyes,no\n", None, "does not look like"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, graded: bool | None, said: str) -> None:
    """Each ends in one line that names the fault."""
    with pytest.raises(InputError, match=said):
        read_predictions(written(tmp_path / "p.csv", text), KNOWN, WORDS, graded=graded)
