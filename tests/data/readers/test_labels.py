"""read_labels and read_gold: from files to a crowd that can be graded."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from psyirt.data.readers import read_gold, read_labels
from psyirt.errors import InputError

WIDE = "subject,q1,q2,q3\n01,e,n,c\n02,n,,na\n"
LONG = "worker,task,label\n01,q1,e\n01,q2,n\n01,q3,c\n02,q1,n\n02,q3,na\n"
GOLD = "item,gold,part,code\nq1,entailment,1,007\nq2,neutral,2,008\nq3,contradiction,,009\n"


@pytest.fixture
def gold_file(tmp_path: Path) -> Path:
    path = tmp_path / "gold.csv.gz"
    path.write_bytes(gzip.compress(GOLD.encode()))
    return path


@pytest.mark.parametrize("content", [WIDE, LONG, LONG.replace(",", "\t"), LONG.replace("worker", "WorkerId")])
def test_wide_and_long_give_the_same_responses(tmp_path: Path, gold_file: Path, content: str) -> None:
    """The layout of a file is not a property of the crowd; an empty wide cell was not presented."""
    path = tmp_path / "labels.csv"
    path.write_text(content)
    responses = read_labels(path, gold=gold_file).grade(unanswered="wrong")
    assert responses.subject_names == ("01", "02")
    assert responses.to_frame().fillna(-1).to_numpy().tolist() == [[1, 1, 1], [0, -1, 0]]


def test_parquet_labels(tmp_path: Path, gold_file: Path) -> None:
    """Categories are how big label files are stored."""
    path = tmp_path / "labels.parquet"
    rows = [line.split(",") for line in LONG.split()]
    pd.DataFrame(rows[1:], columns=rows[0]).astype("category").to_parquet(path)
    labels = read_labels(path, gold_file)
    assert labels.to_frame().loc["02"].tolist() == ["n", None, "na"]


def test_a_gold_mapping_and_the_files_own_gold(tmp_path: Path) -> None:
    """Gold that is given wins over a column of the file."""
    path = tmp_path / "labels.csv"
    path.write_text("subject,item,label,gold,response\na,q1,x,x,1\nb,q1,y,x,0\na,q2,x,y,0\n")
    assert read_labels(path).grade().to_frame().fillna(-1).to_numpy().tolist() == [[1, 0], [0, -1]]
    labels = read_labels(path, gold={"q1": "y", "q2": "x"})
    assert labels.grade().to_frame().fillna(-1).to_numpy().tolist() == [[0, 1], [1, -1]]


def test_named_columns(tmp_path: Path) -> None:
    """Columns that no list of names foresees can be named."""
    path = tmp_path / "labels.csv"
    path.write_text("batch,who,what,said\n1,a,q1,x\n1,b,q1,y\n")
    labels = read_labels(path, worker="who", item="what", label="said")
    assert labels.to_frame()["q1"].tolist() == ["x", "y"]
    path.write_text("batch,who,q1\n1,a,x\n1,b,y\n")
    labels = read_labels(path, worker="who", ignore=["batch"])
    assert labels.item_names == ("q1",)


def test_the_format_can_be_given(tmp_path: Path) -> None:
    """Items called item and label make a wide table look long."""
    path = tmp_path / "labels.csv"
    path.write_text("worker,item,label\na,x,y\nb,y,y\n")
    assert read_labels(path, format="wide").item_names == ("item", "label")
    assert read_labels(path, format="long").item_names == ("x", "y")
    path.write_text("worker,q1\na,x\n")
    with pytest.raises(InputError, match="no item column"):
        read_labels(path, format="long")
    with pytest.raises(InputError, match="item= does not apply to the wide format"):
        read_labels(path, format="wide", item="q1")


def test_gold_table_keeps_numbers_and_codes(gold_file: Path) -> None:
    """Numbers become numbers, with gaps; codes with leading zeros stay text."""
    table = read_gold(gold_file)
    assert table["gold"].to_dict() == {"q1": "entailment", "q2": "neutral", "q3": "contradiction"}
    assert table["part"].fillna(-1).tolist() == [1, 2, -1]
    assert table["code"].tolist() == ["007", "008", "009"]


def test_gold_in_parquet_keeps_its_types(tmp_path: Path) -> None:
    """Typed columns need no guessing."""
    path = tmp_path / "gold.parquet"
    pd.DataFrame({"question": ["a", "b"], "answer": ["x", "y"], "hard": [True, False]}).to_parquet(path)
    table = read_gold(path)
    assert table["gold"].tolist() == ["x", "y"]
    assert table["hard"].tolist() == [True, False]


def test_labels_and_gold_in_two_encodings(tmp_path: Path) -> None:
    """A spreadsheet's labels beside a gold file of one's own: one encoding for both reads neither."""
    labels, gold = tmp_path / "labels.csv", tmp_path / "gold.csv"
    labels.write_bytes("worker,q1\nann,für\nbob,wider\n".encode("utf-16"))
    for encoding in ("utf-8", "utf-16"):
        gold.write_bytes("item,gold\nq1,für\n".encode(encoding))
        graded = read_labels(labels, gold, encoding="utf-16").grade(options=["für", "wider"])
        assert graded.to_frame()["q1"].tolist() == [1, 0]
    gold.write_bytes("item,gold\nq1,für\n".encode("latin-1"))
    labels.write_text("worker,q1\nann,x\n")
    with pytest.raises(InputError, match=r"gold.csv.*is not UTF-8 text"):
        read_labels(labels, gold)
    with pytest.raises(InputError, match=r"absent.csv: there is no such file"):
        read_labels(labels, tmp_path / "absent.csv", encoding="latin-1")
    pd.DataFrame({"item": ["q1"], "gold": ["x"]}).to_parquet(tmp_path / "gold.parquet")
    assert read_labels(labels, tmp_path / "gold.parquet", encoding="latin-1").gold_set == ("x",)
