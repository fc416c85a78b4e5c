"""Predictions of one system, transposed tables, and columns that are not what their names say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from psyirt.cli.prediction_layout import stem
from psyirt.cli.predictions import Predictions, read_predictions
from psyirt.errors import InputError

KNOWN = {"q1", "q2", "q3"}


def read(folder: Path, text: str, name: str = "bert.csv", **options: object) -> Predictions:
    """The predictions in a file with that text."""
    path = folder / name
    path.write_text(text)
    return read_predictions(path, KNOWN, ("yes", "no"), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "item,prediction\nq1,yes\nq2,no\nq9,no\n",
        "id,prediction\nq1,yes\nq2,no\nq9,no\n",
        ",item,prediction\n0,q1,yes\n1,q2,no\n2,q9,no\n",
        "pairID,gold,prediction\nq1,no,yes\nq2,no,no\nq9,no,no\n",
        "item,label,prediction\nq1,no,yes\nq2,no,no\nq9,no,no\n",
        "thing,said\nq1,yes\nq2,no\nq9,no\n",
    ],
)
def test_items_and_answers_are_one_system(tmp_path: Path, text: str) -> None:
    """The commonest file of predictions has no column of systems: its items are no systems."""
    predictions = read(tmp_path, text)
    assert predictions.labels is not None
    assert predictions.systems == ("bert",)
    assert predictions.unknown == ("q9",)
    assert predictions.labels.to_frame().loc["bert"].to_dict() == {"q1": "yes", "q2": "no"}
    assert "one system" in predictions.how


def test_one_systems_grades(tmp_path: Path) -> None:
    """Grades of one system stay grades, also where 0 and 1 could be labels."""
    path = tmp_path / "m.csv"
    path.write_text("item,correct\nq1,1\nq2,0\n")
    predictions = read_predictions(path, KNOWN, ("0", "1"))
    assert predictions.graded is not None
    np.testing.assert_array_equal(predictions.graded.codes, [[1, 0]])
    with pytest.raises(InputError, match="holds graded answers"):
        read_predictions(path, KNOWN, ("0", "1"), graded=False)


def test_items_named_as_systems_are_refused(tmp_path: Path) -> None:
    """ "--columns system=item" would score as many systems as there are items."""
    with pytest.raises(InputError, match="column 'item' holds the scale's items, not systems"):
        read(tmp_path, "item,prediction\nq1,yes\nq2,no\n", columns={"system": "item"})


def test_a_transposed_table_is_called_so(tmp_path: Path) -> None:
    """Rows of items and columns of systems: the remedy is to transpose, not to rename."""
    with pytest.raises(InputError, match=r"rows are items .*columns are bert, gpt. Transpose it"):
        read(tmp_path, "item,bert,gpt\nq1,yes,no\nq2,no,no\n")
    named = read(tmp_path, "item,bert,gpt\nq1,yes,no\nq2,no,no\n", columns={"label": "gpt"})
    assert named.labels is not None
    assert named.labels.to_frame().loc["bert", "q1"] == "no"


def test_a_prediction_goes_before_the_label_beside_it(tmp_path: Path) -> None:
    """Beside a prediction the label is the right answer: graded, every system would be perfect."""
    predictions = read(tmp_path, "system,item,label,prediction\ngpt,q1,yes,no\ngpt,q2,no,no\n")
    assert predictions.labels is not None
    assert predictions.labels.to_frame().loc["gpt"].to_list() == ["no", "no"]


def test_a_row_index_is_no_system(tmp_path: Path) -> None:
    """pandas' index beside the systems' names."""
    assert read(tmp_path, ",system,q1,q2\n0,gpt,yes,no\n1,t5,no,no\n").systems == ("gpt", "t5")


def test_a_file_is_called_without_its_endings() -> None:
    """The system's name is that of the file."""
    names = ["a/bert-large.v2.csv.gz", "gpt.csv", ".csv"]
    assert [stem(Path(name)) for name in names] == ["bert-large.v2", "gpt", ".csv"]
