"""Responses kept one by one say the same as the table of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data import checks, sparse_responses
from psyirt.data.any_responses import as_table
from psyirt.data.responses import Responses
from psyirt.data.sparse_responses import SparseResponses
from psyirt.errors import InputError, NotAvailableError
from tests.small_data import simulated

CODES = np.array([[1, -1, 0, -1], [-1, -1, -1, -1], [-1, 0, -1, 1], [1, 1, 0, 0]], dtype=np.int8)


def both(codes: np.ndarray) -> tuple[Responses, SparseResponses]:
    info = pd.DataFrame({"gold": list(range(codes.shape[1]))}, index=[f"i{k + 1}" for k in range(codes.shape[1])])
    dense = Responses.from_array(codes, item_info=info)
    return dense, SparseResponses.from_dense(dense)


def long_frame(dense: Responses, seed: int = 0) -> pd.DataFrame:
    long = dense.to_frame().stack().rename("response").reset_index()
    return long.sample(frac=1.0, random_state=seed)


def test_the_table_comes_back() -> None:
    """An answer that moves to a neighbouring cell on the way changes two subjects without a word."""
    dense, sparse = both(CODES)
    assert sparse.shape == (4, 4)
    assert sparse.observed == dense.observed == 8
    assert sparse.correct == 4
    np.testing.assert_array_equal(sparse.to_dense().codes, CODES)
    np.testing.assert_array_equal(sparse.answered, [2, 0, 2, 4])
    assert sparse.item_column("gold") == dense.item_column("gold")
    assert repr(sparse) == "SparseResponses(4 subjects x 4 items, 50.0% observed, 50.0% correct)"


def test_blocks_join_up_and_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block border that drops a row loses a subject; one of all rows is the table that was to be avoided."""
    monkeypatch.setattr(sparse_responses, "_BLOCK_CELLS", 9)
    _, sparse = both(simulated(11, 4, seed=3, missing=0.4))
    parts = list(sparse.blocks(5))
    assert [part.start for part in parts] == [0, 2, 4, 6, 8, 10]
    np.testing.assert_array_equal(np.concatenate([part.codes for part in parts]), sparse.to_dense().codes)


def test_the_digest_is_that_of_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that was made from the table must be recognised as one of the same data."""
    dense, sparse = both(simulated(30, 7, seed=3, missing=0.4))
    monkeypatch.setattr(sparse_responses, "_BLOCK_CELLS", 50)
    assert sparse.digest == dense.digest
    assert both(1 - simulated(30, 7, seed=3))[1].digest != dense.digest


@pytest.mark.parametrize("items", [None, ["i3", "i1"], np.array([True, False, False, True])])
@pytest.mark.parametrize("subjects", [None, ["s4", "s1", "s2"], np.array([True, True, False, False])])
def test_selections_are_those_of_the_table(
    items: list[str] | np.ndarray | None, subjects: list[str] | np.ndarray | None
) -> None:
    """Items asked for in another order must take their answers with them."""
    dense, sparse = both(CODES)
    ours, theirs = sparse.select(items=items, subjects=subjects), dense.select(items=items, subjects=subjects)
    assert ours.digest == theirs.digest
    pd.testing.assert_frame_equal(ours.item_info, theirs.item_info)


def test_long_tables_in_any_order_of_rows() -> None:
    """A subject whose rows are scattered through a file is still one subject."""
    dense, _ = both(simulated(40, 9, seed=1, missing=0.5))
    sparse = SparseResponses.from_long(long_frame(dense))
    again = Responses.from_long(long_frame(dense))
    assert isinstance(again, Responses)
    assert sparse.digest == again.digest


def test_missing_answers_keep_their_names() -> None:
    """An item that nobody answered, or a subject who answered nothing, is still one of the study's."""
    frame = pd.DataFrame({"subject": ["a", "b", "b"], "item": ["x", "x", "y"], "response": [np.nan, 1, -1]})
    sparse = SparseResponses.from_long(frame)
    assert (sparse.shape, sparse.observed) == ((2, 2), 1)


def test_a_pair_that_occurs_twice_is_refused() -> None:
    """Two answers of one subject to one item would count twice, or the last would win."""
    frame = pd.DataFrame({"subject": ["b", "a", "b"], "item": ["x", "x", "x"], "response": [0, 1, 1]})
    with pytest.raises(InputError, match="'b'"):
        SparseResponses.from_long(frame)


def test_nearly_empty_tables_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a million answers to 41,000 items as a table are 100 GB; an ordinary table stays one."""
    frame = pd.DataFrame({"subject": range(60), "item": range(60), "response": [0, 1] * 30})
    assert isinstance(Responses.from_long(frame), Responses)
    assert isinstance(Responses.from_long(frame, sparse=True), SparseResponses)
    monkeypatch.setattr(sparse_responses, "SPARSE_CELLS", 3599)
    assert isinstance(Responses.from_long(frame), SparseResponses)
    assert isinstance(Responses.from_long(frame, sparse=False), Responses)
    full = pd.concat([frame.assign(item=(frame["item"] + k) % 60) for k in range(3)])
    assert isinstance(Responses.from_long(full), Responses)  # 5 % observed


@pytest.mark.parametrize(
    ("starts", "entries", "said"),
    [
        ([0, 2], [0, 1], "not in order"),
        ([0, 1], [4], "names no item"),
        ([0, 3], [0], "end at 3"),
        ([1, 1], [0], "starts"),
        ([0, 1], [0.5], "whole"),
    ],
)
def test_arrays_that_are_no_responses_are_refused(starts: list[int], entries: list[float], said: str) -> None:
    """A kernel that reads an item of number 10 from a table of 2 reads somebody else's memory."""
    with pytest.raises(InputError, match=said):
        SparseResponses(np.array(starts), np.array(entries), tuple("abc"[: len(starts) - 1]), ("x", "y"))


def test_nobody_can_change_them() -> None:
    """Frozen data whose array a caller still holds are not frozen."""
    entries = np.array([0, 3], dtype=np.int32)
    sparse = SparseResponses(np.array([0, 2]), entries, ("a",), ("x", "y"))
    entries[0] = 1
    assert sparse.correct == 1
    with pytest.raises(ValueError, match="read-only"):
        sparse.entries[0] = 1


@pytest.mark.parametrize("seed", range(3))
def test_checks_find_what_they_find_in_a_table(seed: int) -> None:
    """Constant items, empty subjects and blocks that share nothing decide what a fit says about itself."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((30, 20)) < 0.95, -1, rng.integers(0, 2, (30, 20))).astype(np.int8)
    codes[:, 3] = np.where(codes[:, 3] >= 0, 1, -1)
    dense, sparse = both(codes)
    assert checks.constant_items(sparse) == checks.constant_items(dense)
    assert checks.empty_subjects(sparse) == checks.empty_subjects(dense) != ()
    ours, theirs = (checks.connected_blocks(each) for each in (sparse, dense))
    assert {(frozenset(a), frozenset(b)) for a, b in ours} == {(frozenset(a), frozenset(b)) for a, b in theirs}
    assert len(ours) > 1
    assert [len(people) for people, _ in ours] == [len(people) for people, _ in theirs]


@pytest.mark.parametrize(
    ("rows", "same"),
    [([[1, -1, 0], [-1, -1, -1], [1, -1, 0]], True), ([[1, -1, 0], [1, 0, -1]], False), ([[1]], False)],
)
def test_identical_rows_are_seen(rows: list[list[int]], same: bool) -> None:
    """Copies of one subject tell nothing about items, and must be refused however they are kept."""
    dense, sparse = both(np.array(rows, dtype=np.int8))
    assert checks.all_rows_identical(sparse) is checks.all_rows_identical(dense) is same


def test_a_table_too_large_to_make_is_refused_with_its_size() -> None:
    """A statistic that needs a table must say how large, instead of taking the machine down."""
    names = tuple(map(str, range(50_000)))
    empty = SparseResponses(np.zeros(50_001, np.int64), np.empty(0, np.int32), names, names)
    with pytest.raises(NotAvailableError, match=r"50,000 x 50,000 responses, 2\.5 GB"):
        as_table(empty, "here")
    with pytest.raises(InputError, match="DataFrame"):
        as_table(pd.DataFrame(), "here")  # type: ignore[arg-type]
    assert as_table(both(CODES)[1], "here").digest == both(CODES)[0].digest
