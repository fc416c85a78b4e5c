"""Plain Parquet tables are read by columns; the result must be that of the general reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psyirt.data.readers import read_responses, wide
from psyirt.data.readers import wide_parquet as module
from psyirt.data.responses import Responses
from psyirt.errors import InputError

CODES = (np.random.default_rng(0).random((50, 4)) < 0.6).astype(np.int8)
PLAIN = pd.DataFrame(CODES, columns=["q1", "q2", "q3", "q4"])


def gaps(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(float).mask(np.random.default_rng(1).random(frame.shape) < 0.2)


def named(frame: pd.DataFrame, name: str = "subject") -> pd.DataFrame:
    return frame.assign(**{name: [f" w{k:02d} " for k in range(len(frame))]})[[name, *frame.columns]]


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "no names": lambda: PLAIN,
    "names": lambda: named(PLAIN),
    "gaps": lambda: named(gaps(PLAIN)),
    "booleans": lambda: named(PLAIN.astype(bool)),
    "booleans with gaps": lambda: named(gaps(PLAIN).astype("boolean")),
    "whole numbers with gaps": lambda: named(gaps(PLAIN).astype("Int64")),
    "wide integers": lambda: PLAIN.astype(np.int64),
    "numbers as names": lambda: PLAIN.assign(id=np.arange(50.0))[["id", *PLAIN.columns]],
}
GENERAL: dict[str, Callable[[], pd.DataFrame]] = {
    "stored index": lambda: named(PLAIN).set_index("subject"),
    "text": lambda: named(PLAIN).assign(q2=PLAIN["q2"].astype(str)),
    "missing codes": lambda: named(PLAIN).assign(q2=[-1, *PLAIN["q2"][1:]]),
}


def by_the_general_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> Responses:
    with monkeypatch.context() as patch:
        patch.setattr(wide, "read_plain", lambda *_: None)
        return read_responses(path, "wide")


@pytest.mark.parametrize("kind", [*TABLES, *GENERAL])
def test_both_readers_read_the_same(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A null taken for wrong, or a column put in another's place, is a different data set."""
    monkeypatch.setattr(module, "_ROWS", 16)  # several batches
    path = tmp_path / "responses.parquet"
    (TABLES | GENERAL)[kind]().to_parquet(path, index=kind == "stored index")
    found, slow = read_responses(path, "wide"), by_the_general_reader(path, monkeypatch)
    np.testing.assert_array_equal(found.codes, slow.codes)
    assert (found.subject_names, found.item_names) == (slow.subject_names, slow.item_names)


@pytest.mark.parametrize("kind", TABLES)
def test_plain_tables_take_the_short_way(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The equality above says nothing if nothing is plain."""
    path = tmp_path / "responses.parquet"
    TABLES[kind]().to_parquet(path, index=False)
    monkeypatch.setattr(wide, "read_table", lambda *_, **__: pytest.fail("the general reader was called"))
    assert read_responses(path, "wide").shape == (50, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q3": 2}, "2 is not 0, 1 or missing.*row 1, column 'q3'"),
        ({"subject": "same"}, "subject 'same' has more than one row"),
        ({"subject": [None] + ["x"] * 49}, "row 1"),
    ],
)
def test_what_is_wrong_is_said_as_the_general_reader_says_it(change: dict, message: str, tmp_path: Path) -> None:
    path = tmp_path / "responses.parquet"
    named(PLAIN).assign(**change).to_parquet(path, index=False)
    with pytest.raises(InputError) as caught:
        read_responses(path, "wide")
    assert all(part in str(caught.value) for part in message.split(".*"))


def test_columns_can_be_ignored_and_must_exist(tmp_path: Path) -> None:
    path = tmp_path / "responses.parquet"
    named(PLAIN).to_parquet(path, index=False)
    assert read_responses(path, "wide", ignore=["q2"]).item_names == ("q1", "q3", "q4")
    with pytest.raises(InputError, match="no column 'zz' to ignore"):
        read_responses(path, "wide", ignore=["zz"])
