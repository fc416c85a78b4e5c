"""Columns are recognised by the names in use, and a row index is nobody's name."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from psyirt.data.columns import without_row_index
from psyirt.data.labels import CrowdLabels
from psyirt.data.readers import read_labels, read_responses
from psyirt.errors import InputError


@pytest.mark.parametrize(
    "header",
    [
        "WorkerId,Input.pairID,Answer.label", "worker_id,pairID,choice", "annotator,item,predicted_label",
        "model,example,pred", "system,item,prediction",
    ],
)  # fmt: skip
def test_the_usual_names_make_a_long_table(tmp_path: Path, header: str) -> None:
    """A long table taken for a wide one turns its columns into items."""
    path = tmp_path / "l.csv"
    path.write_text(f"{header}\na,p1,yes\na,p2,no\nb,p1,no\n")
    labels = read_labels(path)
    assert (labels.worker_names, labels.item_names) == (("a", "b"), ("p1", "p2"))


@pytest.mark.parametrize("first", ["worker", "WID"])
def test_a_long_table_with_unknown_names_is_told_from_a_repeated_worker(tmp_path: Path, first: str) -> None:
    """ "Keep one row for each worker" would make people throw their labels away."""
    path = tmp_path / "l.csv"
    path.write_text(f"{first},thing,said\na,p1,yes\na,p2,no\n")
    with pytest.raises(InputError, match=r"looks like a long table.*worker=, item= and label=.*thing, said"):
        read_labels(path)


def test_a_graded_long_table_is_told_too_and_a_wide_one_is_not(tmp_path: Path) -> None:
    """The same slip in a table of responses; a wide table with a repeated subject is no long one."""
    path = tmp_path / "l.csv"
    path.write_text("worker,thing,got\na,p1,1\na,p2,0\n")
    with pytest.raises(InputError, match="looks like a long table"):
        read_responses(path)
    path.write_text("worker," + ",".join(f"q{k}" for k in range(9)) + "\n" + ("a" + ",1" * 9 + "\n") * 2)
    with pytest.raises(InputError, match="Keep one row for each subject"):
        read_responses(path)


@pytest.mark.parametrize(("one", "other"), [("1", "0"), ("yes", "no"), ("entailment", "neutral")])
def test_a_small_wide_table_with_a_repeated_worker_is_no_long_one(tmp_path: Path, one: str, other: str) -> None:
    """Three items answered twice by one worker: told to name item= and label=, people look for columns they lack."""
    path = tmp_path / "w.csv"
    path.write_text(f"worker,p1,p2,p3\na,{one},{other},{one}\nb,{other},{one},{one}\na,{one},{one},{other}\n")
    with pytest.raises(InputError, match="Keep one row for each worker"):
        read_labels(path)


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_row_index_beside_the_workers_is_left_out(tmp_path: Path, name: str) -> None:
    """pandas writes its index unless told not to: the rows' numbers become workers and the workers an item."""
    path = tmp_path / "w.csv"
    path.write_text(f"{name},worker,q1,q2\n0,ann,1,0\n1,bob,0,0\n")
    labels, responses = read_labels(path), read_responses(path)
    assert labels.worker_names == responses.subject_names == ("ann", "bob")
    assert labels.item_names == responses.item_names == ("q1", "q2")
    assert "counts the rows" in labels.notes[0]
    assert "counts the rows" in responses.notes[0]
    assert CrowdLabels.from_frame(pd.read_csv(path)).worker_names == ("ann", "bob")


def test_an_unnamed_column_of_names_stays() -> None:
    """An index of names is the subjects' column, even beside an item called "model"."""
    frame = pd.DataFrame({"": ["ann", "bob"], "model": [1, 0]})
    assert without_row_index(frame) == (frame, ())
    numbered = pd.DataFrame({"": [0, 1], "q1": [1, 0]})
    assert without_row_index(numbered)[1] == ()
    assert without_row_index(pd.DataFrame({"": [0, 1], "who": ["a", "b"]}), "who")[1] != ()
