"""Responses that stay in their file, and patterns that are packed into one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt.data import checks, packed_store, stored_patterns, stored_responses
from psyirt.data.keeping import kept_patterns
from psyirt.data.packed_store import FileStore, MemoryStore, packed_rows, repacked, unpacked_rows
from psyirt.data.patterns import Patterns
from psyirt.data.responses import Responses
from psyirt.data.stored_patterns import StoredPatterns, given_back
from psyirt.data.stored_responses import StoredResponses
from psyirt.errors import EstimationError, InputError
from tests.small_data import simulated


def parquet(path: Path, codes: np.ndarray, names: bool = True) -> Responses:
    """Write a wide Parquet table, and return what it holds."""
    dense = Responses.from_array(codes, subject_names=[f"p{k}" for k in range(len(codes))] if names else None)
    frame = dense.to_frame().astype("Int8")
    frame.columns.name = None
    (frame.reset_index() if names else frame.reset_index(drop=True)).to_parquet(path, index=False, row_group_size=40)
    return dense


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that every border is crossed."""
    monkeypatch.setattr(stored_responses, "_BLOCK_CELLS", 130)
    monkeypatch.setattr(stored_patterns, "BLOCK_ROWS", 32)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("names", [True, False])
def test_a_file_says_what_the_table_in_it_says(tmp_path: Path, missing: float, names: bool) -> None:
    """A row group or a batch that is skipped loses subjects without a word."""
    dense = parquet(tmp_path / "x.parquet", simulated(150, 7, seed=1, missing=missing), names)
    stored = psyirt.read_responses(tmp_path / "x.parquet", memory=1000)
    assert isinstance(stored, StoredResponses)
    assert (stored.shape, stored.observed, stored.correct) == (dense.shape, dense.observed, dense.correct)
    assert stored.is_complete is (missing == 0.0)
    assert stored.digest == stored.to_dense().digest == dense.digest
    assert all(block.codes.size <= 130 for block in stored.blocks())
    assert repr(stored) == repr(dense).replace("Responses", "StoredResponses")


def test_what_fits_into_memory_is_read_into_it(tmp_path: Path) -> None:
    """A limit that nothing exceeds must not make anything slower."""
    parquet(tmp_path / "x.parquet", simulated(150, 7, seed=1))
    assert isinstance(psyirt.read_responses(tmp_path / "x.parquet", memory="1MB"), Responses)


def test_selections_are_those_of_the_table(tmp_path: Path) -> None:
    """Items set aside and subjects left out must take the right columns and rows with them."""
    dense = parquet(tmp_path / "x.parquet", simulated(150, 7, seed=1, missing=0.4))
    stored = psyirt.read_responses(tmp_path / "x.parquet", memory=1000)
    mask = np.random.default_rng(0).random(150) < 0.4
    once = stored.select(items=["i6", "i2", "i3"], subjects=mask)  # type: ignore[arg-type]
    assert once.digest == dense.select(items=["i6", "i2", "i3"], subjects=mask).digest
    again = np.arange(int(mask.sum())) % 2 == 0
    twice = once.select(items=["i3", "i6"], subjects=again)  # type: ignore[arg-type]
    assert twice.digest == once.to_dense().select(items=["i3", "i6"], subjects=again).digest
    with pytest.raises(InputError, match="mask"):
        once.select(subjects=mask)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_one_look_finds_what_the_checks_find(tmp_path: Path, seed: int) -> None:
    """Constant items, empty subjects and blocks that share nothing are said of a file as of a table."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((40, 25)) < 0.95, -1, rng.integers(0, 2, (40, 25))).astype(np.int8)
    dense = parquet(tmp_path / "x.parquet", codes)
    stored = psyirt.read_responses(tmp_path / "x.parquet", memory=10)
    assert checks.constant_items(stored) == checks.constant_items(dense)
    assert checks.empty_subjects(stored) == checks.empty_subjects(dense) != ()
    assert checks.count_blocks(stored) == checks.count_blocks(dense) == len(checks.connected_blocks(dense)) > 1
    assert checks.connected_blocks(stored) == checks.connected_blocks(dense)
    assert not checks.all_rows_identical(stored)


def test_copies_of_one_subject_are_seen(tmp_path: Path) -> None:
    """They carry no calibration, wherever they lie."""
    parquet(tmp_path / "x.parquet", np.tile(np.array([[1, 0, -1]], np.int8), (90, 1)))
    assert checks.all_rows_identical(psyirt.read_responses(tmp_path / "x.parquet", memory=10))


def test_numpy_files_are_read_in_blocks(tmp_path: Path) -> None:
    """What other programs write as codes need not go through a table of text."""
    codes = simulated(150, 7, seed=1, missing=0.2)
    np.save(tmp_path / "x.npy", codes)
    stored = psyirt.read_responses(tmp_path / "x.npy", memory="1GB")
    assert stored.digest == Responses.from_array(codes).digest
    assert stored.select(items=["i5", "i1"]).to_dense().codes.tolist() == codes[:, [4, 0]].tolist()


@pytest.mark.parametrize(
    ("name", "said"),
    [("value", "not 0, 1 or missing"), ("text", "no column of numbers"), ("float.npy", "float64"), ("two.npy", "-1")],
)
def test_files_that_hold_anything_else_are_refused(tmp_path: Path, name: str, said: str) -> None:
    """A value that is no response must be found where the file is opened, and not in the middle of a fit."""
    path = tmp_path / (name if name.endswith(".npy") else f"{name}.parquet")
    if name.endswith(".npy"):
        np.save(path, np.full((9, 4), 2, np.int8) if name == "two.npy" else np.zeros((9, 4)))
    else:
        pd.DataFrame({"subject": list("abc"), "q1": [0, 1, 2], "q2": list("xyz") if name == "text" else 1}).to_parquet(
            path
        )
    with pytest.raises(InputError, match=said):
        psyirt.read_responses(path, memory=1)


def test_files_that_cannot_be_read_in_blocks_are_refused_if_large(tmp_path: Path) -> None:
    """A limit that is not kept is worse than one that is refused."""
    (tmp_path / "x.csv").write_text("subject,q1,q2\na,1,0\nb,0,1\n")
    assert isinstance(psyirt.read_responses(tmp_path / "x.csv", memory="1MB"), Responses)
    with pytest.raises(InputError, match="Parquet"):
        psyirt.read_responses(tmp_path / "x.csv", memory=10)
    parquet(tmp_path / "x.parquet", simulated(150, 7, seed=1))
    with pytest.raises(InputError, match="missing= does not apply"):
        psyirt.read_responses(tmp_path / "x.parquet", memory=10, missing=["9"])
    for absent in ("absent.parquet", "absent.npy"):
        with pytest.raises(InputError, match="no such file"):
            psyirt.read_responses(tmp_path / absent, memory=10)


@pytest.mark.parametrize(("size", "states"), [(8, 2), (4, 2), (5, 3), (3, 3)])
def test_bytes_hold_every_answer(size: int, states: int) -> None:
    """Two patterns with one byte would be one subject."""
    codes = simulated(100, 11, seed=1, missing=0.0 if states == 2 else 0.3)
    packed = packed_rows(codes, size, states)
    assert packed.shape == (100, -(-11 // size))
    np.testing.assert_array_equal(unpacked_rows(packed, size, states, 11), codes)
    other = {8: 4, 4: 8, 5: 3, 3: 5}[size]
    np.testing.assert_array_equal(repacked(packed, size, states, 11, other), packed_rows(codes, other, states))


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("in_file", [True, False])
def test_patterns_are_those_of_the_table(missing: float, in_file: bool) -> None:
    """Everything above reads patterns through these few methods."""
    dense = Responses.from_array(simulated(150, 7, seed=1, missing=missing))
    weights = np.random.default_rng(1).uniform(0.5, 2, 150)
    stored, table = StoredPatterns(dense, weights, in_file), Patterns(dense.codes, weights, np.arange(150))
    np.testing.assert_array_equal(stored.codes, table.codes)
    np.testing.assert_array_equal(stored.codes_of(slice(31, 77)), table.codes[31:77])
    np.testing.assert_array_equal(stored.columns(np.array([6, 2])), table.codes[:, [6, 2]])
    np.testing.assert_array_equal(stored.answered, table.answered)
    for ours, theirs in zip(stored.answer_counts(), table.answer_counts(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    some = np.array([140, 3, 3, 64])
    np.testing.assert_array_equal(stored.take(some).codes, table.codes[some])
    np.testing.assert_array_equal(stored.take(some).weights, weights[some])
    for thin in (True, False):
        whole = next(table.packed_blocks(thin))[1]
        parts = [block for _, block in stored.packed_blocks(thin)]
        np.testing.assert_array_equal(np.concatenate([part.codes for part in parts]), whole.codes)
        assert {(part.size, part.states, part.nothing) for part in parts} == {(whole.size, whole.states, whole.nothing)}
    assert (stored.observed, stored.is_complete, stored.total) == (table.observed, missing == 0.0, weights.sum())
    assert StoredPatterns(dense, None, in_file).weights.tolist() == [1.0] * 150


class Opened:
    """Temporary files that were made, and whether they are closed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files: list[object] = []
        make = tempfile.TemporaryFile

        def noted(*args: object, **more: object) -> object:
            self.files.append(make(*args, **more))  # type: ignore[call-overload]
            return self.files[-1]

        monkeypatch.setattr(packed_store.tempfile, "TemporaryFile", noted)

    @property
    def closed(self) -> list[bool]:
        return [file.closed for file in self.files]  # type: ignore[attr-defined]


def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gigabytes in a temporary folder after an error fill the next user's disk."""
    opened, dense = Opened(monkeypatch), Responses.from_array(simulated(150, 7, seed=1))
    stored = StoredPatterns(dense, None, True)

    def fail(patterns: StoredPatterns) -> None:
        assert patterns.answered.sum() == 1050
        assert opened.closed == [False]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), given_back(stored):
        fail(stored)
    assert opened.closed == [True]
    assert stored.answered.sum() == 1050  # packed again where it is asked for again
    del stored
    assert opened.closed == [True, True]


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named with what to do, and the part that was written goes."""
    opened = Opened(monkeypatch)

    def full(store: FileStore, left: memoryview) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FileStore, "_write", full)
    with pytest.raises(EstimationError, match="TMPDIR"):
        FileStore([np.zeros((3, 2), np.uint8)], 3, 2)
    assert opened.closed == [True]


def test_a_file_cut_short_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros read from beyond the end would be wrong answers."""
    store = FileStore([np.ones((3, 2), np.uint8)], 3, 2)
    with pytest.raises(EstimationError, match="cut short"):
        store.read(slice(2, 5))
    store.close()
    assert MemoryStore([np.ones((2, 2), np.uint8)], 2, 2).read(slice(1, 2)).tolist() == [[1, 1]]


def test_the_form_follows_from_responses_and_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that repeats its rows, or hardly has any answers, has better forms than a file."""
    monkeypatch.setattr("psyirt.data.keeping._FEW_CELLS", 100)
    wide, repeating = (Responses.from_array(simulated(150, items, seed=1)) for items in (30, 3))
    assert isinstance(kept_patterns(wide), Patterns)
    found = kept_patterns(wide, None, 2000)
    assert isinstance(found, StoredPatterns)
    assert not found.in_file
    small = kept_patterns(wide, np.full(150, 2.0), 500)
    assert isinstance(small, StoredPatterns)
    assert small.in_file
    assert small.total == 300.0
    assert isinstance(kept_patterns(repeating, None, 500), Patterns)
    parquet(tmp_path / "x.parquet", wide.codes)
    stored = psyirt.read_responses(tmp_path / "x.parquet", memory=10)
    assert isinstance(kept_patterns(stored), StoredPatterns)
    with pytest.raises(InputError, match="weight"):
        kept_patterns(stored, np.ones(3))


def test_a_subject_in_two_rows_is_refused_when_the_file_is_read(tmp_path: Path) -> None:
    """In memory it is refused; read in blocks it would be two people, and a fit would call itself converged."""
    frame = pd.DataFrame(simulated(40, 6, seed=3), columns=[f"q{k}" for k in range(6)])
    frame.insert(0, "subject", ["ann", "ann", *(f"p{k}" for k in range(38))])
    frame.to_parquet(tmp_path / "twice.parquet", index=False)
    for options in ({}, {"memory": 100}):
        with pytest.raises(InputError, match="'ann' has more than one row"):
            psyirt.read_responses(tmp_path / "twice.parquet", **options)  # type: ignore[arg-type]
    frame["subject"] = [f"p{k}" for k in range(40)]
    frame.to_parquet(tmp_path / "once.parquet", index=False)
    assert isinstance(psyirt.read_responses(tmp_path / "once.parquet", memory=100), psyirt.StoredResponses)
