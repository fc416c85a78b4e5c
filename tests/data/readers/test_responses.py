"""read_responses: every format, plain and packed, gives the same responses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psyirt.data import sparse_responses
from psyirt.data.readers import read_responses
from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses
from psyirt.errors import InputError

NA = np.nan
TRUTH = pd.DataFrame({"007": [1, 0, 1], "q,2": [NA, 1, 0], "x3": [0, NA, 1]}, index=["01", "1.0", "zoë"]).rename_axis(
    "subject"
)


def write_wide(path: Path, frame: pd.DataFrame) -> None:
    frame.astype("Int8").to_csv(path)


def write_long(path: Path, frame: pd.DataFrame) -> None:
    long(frame).astype({"response": "Int8"}).to_csv(path, index=False)


def write_pyirt(path: Path, frame: pd.DataFrame) -> None:
    rows = [
        {"subject_id": name, "responses": {i: int(v) for i, v in row.dropna().items()}}
        for name, row in frame.iterrows()
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def long(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename_axis(columns="item").stack().rename("response").reset_index()


def same(found: Responses, frame: pd.DataFrame) -> bool:
    """Whether responses hold the table, in whatever order of rows and columns."""
    table = found.to_frame()
    assert set(table.index) == set(frame.index)
    assert set(table.columns) == set(frame.columns)
    return bool((table.loc[frame.index, frame.columns].fillna(-1).to_numpy() == frame.fillna(-1).to_numpy()).all())


WRITERS = {
    "wide.csv": write_wide,
    "long.csv": write_long,
    "rows.jsonl": write_pyirt,
    "wide.parquet": lambda path, frame: frame.to_parquet(path),
    "long.parquet": lambda path, frame: long(frame).to_parquet(path),
    "wide.tsv": lambda path, frame: frame.to_csv(path, sep="\t", na_rep="NA"),
    "wide_semicolon.csv": lambda path, frame: frame.to_csv(path, sep=";", na_rep="."),
    "wide_mark.csv": lambda path, frame: frame.to_csv(path, encoding="utf-8-sig", na_rep="-9"),
    "wide_windows.csv": lambda path, frame: frame.to_csv(path, lineterminator="\r\n"),
    "noending": write_wide,
    "irw.csv": lambda path, frame: long(frame).set_axis(["id", "item", "resp"], axis=1).to_csv(path, index=False),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_responses(tmp_path: Path, name: str, packed: bool) -> None:
    """A format that loses a gap, a name or a leading zero must not pass for another file."""
    path = tmp_path / name
    WRITERS[name](path, TRUTH)
    if packed:
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert same(read_responses(path), TRUTH)


tables = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, NA]), min_size=3, max_size=3).filter(lambda row: not np.isnan(row).all()),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("name", ["wide.csv", "long.csv", "rows.jsonl"])
@given(table=tables)
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, name: str, table: list[list[float]]) -> None:
    """Any pattern of gaps comes back as it was written."""
    values = np.array(table)[:, ~np.isnan(table).all(axis=0)]
    frame = pd.DataFrame(values, columns=[f"q{k}" for k in range(values.shape[1])])
    frame.index = pd.Index([f"m{k}" for k in range(len(frame))], name="subject")
    path = tmp_path_factory.mktemp("trip") / name
    WRITERS[name](path, frame)
    assert same(read_responses(path), frame)


def test_numeric_names_in_parquet_stay_whole(tmp_path: Path) -> None:
    """A worker stored as 7.0 because of a gap elsewhere is worker 7."""
    path = tmp_path / "long.parquet"
    pd.DataFrame({"user_id": [7.0, 8.0], "item": [1, 1], "response": [True, False]}).to_parquet(path)
    found = read_responses(path)
    assert (found.subject_names, found.item_names) == (("7", "8"), ("1",))
    assert found.to_frame()["1"].tolist() == [1, 0]


def test_a_wide_table_without_names(tmp_path: Path) -> None:
    """A first column of responses is an item, not the subjects."""
    path = tmp_path / "plain.csv"
    path.write_text("q1,q2\n1,0\n0,NA\n")
    found = read_responses(path)
    assert found.subject_names == ("s1", "s2")
    assert found.to_frame().fillna(-1).to_numpy().tolist() == [[1, 0], [0, -1]]


def test_named_columns_and_missing_codes(tmp_path: Path) -> None:
    """What the caller says wins over what the names look like."""
    path = tmp_path / "own.csv"
    path.write_text("who,group,q1,q2\nann,5,1,99\nbob,6,0,1\n")
    found = read_responses(path, subject="who", ignore=["group"], missing=["99"])
    assert found.subject_names == ("ann", "bob")
    assert found.to_frame().fillna(-1).to_numpy().tolist() == [[1, -1], [0, 1]]
    path = tmp_path / "long.csv"
    path.write_text("who,what,label,right\nann,q1,e,1\nbob,q1,n,0\n")
    found = read_responses(path, subject="who", item="what", response="right")
    assert found.to_frame()["q1"].tolist() == [1, 0]


def test_own_missing_codes_replace_the_usual_ones(tmp_path: Path) -> None:
    """-1 stops being missing when the caller lists the codes without it."""
    path = tmp_path / "wide.csv"
    path.write_text("subject,q1\na,-1\nb,1\n")
    assert read_responses(path).observed == 1
    with pytest.raises(InputError, match="line 2, column 'q1': '-1' is not 0, 1 or missing"):
        read_responses(path, missing=["99"])


def test_a_file_of_labels_and_responses(tmp_path: Path) -> None:
    """Of label, gold and response, the response is the response."""
    path = tmp_path / "all.csv"
    path.write_text("subject,item,label,gold,response\nw1,q1,0,1,0\nw1,q2,1,1,1\n")
    assert read_responses(path).to_frame().loc["w1"].tolist() == [0, 1]


def test_the_format_can_be_given(tmp_path: Path) -> None:
    """A wide table whose items are called item, response and id looks long."""
    path = tmp_path / "odd.csv"
    path.write_text("id,item,response\na,1,0\nb,0,1\n")
    assert read_responses(path, "wide").item_names == ("item", "response")
    assert read_responses(path, "long").item_names == ("1", "0")
    with pytest.raises(InputError, match=r"no response format is called 'wdie'\. Did you mean 'wide'"):
        read_responses(path, "wdie")


def test_another_encoding(tmp_path: Path) -> None:
    """A Latin-1 file must not be read as garbled names, and can be read once it is said."""
    path = tmp_path / "latin.csv"
    path.write_bytes("subject,q1\nann,1\nzoë,0\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"line 3: is not UTF-8 text \(byte 0xeb\).*encoding='latin-1'"):
        read_responses(path)
    assert read_responses(path, encoding="latin-1").subject_names == ("ann", "zoë")
    with pytest.raises(InputError, match="no encoding is called 'latin-one'"):
        read_responses(path, encoding="latin-one")


def test_quoted_line_breaks_do_not_shift_line_numbers(tmp_path: Path) -> None:
    """The line a message names must be the line in the file."""
    path = tmp_path / "quoted.csv"
    path.write_text('subject,"q\n1"\nann,1\nbob,7\n')
    with pytest.raises(InputError, match="line 4, column"):
        read_responses(path)


@pytest.mark.parametrize("name", ["long.csv", "lines.jsonl"])
def test_responses_are_kept_one_by_one_on_request(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of what hardly anybody answered would not fit into memory, and its reader must not make it first."""
    path = tmp_path / name
    if name == "long.csv":
        path.write_text("subject,item,response\nb,x,1\na,x,0\nb,y,NA\n")
    else:
        path.write_text(
            '{"subject_id": "b", "responses": {"x": 1, "y": null}}\n{"subject_id": "a", "responses": {"x": 0}}'
        )
    table = read_responses(path)
    assert isinstance(table, Responses)
    sparse = read_responses(path, sparse=True)
    assert isinstance(sparse, SparseResponses)
    assert (sparse.digest, sparse.observed) == (table.digest, 2)
    monkeypatch.setattr(sparse_responses, "SPARSE_CELLS", 3)
    monkeypatch.setattr(sparse_responses, "SPARSE_SHARE", 0.6)
    assert isinstance(read_responses(path), SparseResponses)
    assert isinstance(read_responses(path, sparse=False), Responses)


def test_a_wide_table_cannot_be_kept_one_by_one(tmp_path: Path) -> None:
    """An option that a format cannot follow must not be ignored."""
    (tmp_path / "wide.csv").write_text("subject,x,y\na,1,0\n")
    with pytest.raises(InputError, match="sparse="):
        read_responses(tmp_path / "wide.csv", sparse=True)
