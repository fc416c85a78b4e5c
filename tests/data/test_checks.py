"""Constant items, empty subjects, identical rows, blocks without a link; in one piece or in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psyirt.data.checks import all_rows_identical, connected_blocks, constant_items, empty_subjects
from psyirt.data.responses import ResponseBlock, Responses

NA = np.nan


class Pieces:
    """A source that gives its subjects two at a time."""

    def __init__(self, whole: Responses) -> None:
        self._whole = whole
        self.shape, self.observed = whole.shape, whole.observed
        self.item_names, self.subject_names = whole.item_names, whole.subject_names

    def blocks(self, rows: int | None = None) -> Iterator[ResponseBlock]:
        return self._whole.blocks(rows or 2)


@pytest.fixture(params=[lambda whole: whole, Pieces], ids=["whole", "pieces"])
def source(request: pytest.FixtureRequest):
    return lambda table: request.param(Responses.from_array(np.array(table, dtype=float)))


def test_constant_items_say_which_value(source) -> None:
    """An item that all got right, one that all got wrong and one nobody saw need different words."""
    table = [[1, 0, NA, 1], [1, NA, NA, 0], [NA, 0, NA, 1]]
    assert constant_items(source(table)) == {"i1": 1, "i2": 0, "i3": -1}


def test_empty_subjects_keep_their_names(source) -> None:
    """A block's rows are not the table's rows."""
    assert empty_subjects(source([[1, 0], [NA, NA], [1, NA], [NA, NA]])) == ("s2", "s4")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[1, 0], [1, 0], [1, 0]], True),
        ([[1, 0], [NA, NA], [1, 0]], True),
        ([[1, 0], [1, 0], [1, NA]], False),
        ([[1, 0], [1, 0], [0, 0]], False),
        ([[1, 0]], False),
        ([[NA, NA], [NA, NA]], False),
    ],
)
def test_identical_rows(source, table: list[list[float]], expected: bool) -> None:
    """A difference in the last block, or only in what is missing, is a difference."""
    assert all_rows_identical(source(table)) is expected


def test_blocks_without_a_link(source) -> None:
    """Two crowds on two sets of items look like one table; nothing compares them."""
    table = [[1, 0, NA, NA, NA], [NA, NA, 1, NA, NA], [NA, NA, 0, 1, NA], [NA, NA, NA, 1, NA], [NA] * 5]
    assert connected_blocks(source(table)) == [(("s2", "s3", "s4"), ("i3", "i4")), (("s1",), ("i1", "i2"))]


def test_a_chain_is_one_block(source) -> None:
    """Neighbours that share an item link ends that do not."""
    table = [[1, 1, NA, NA], [NA, 0, 1, NA], [NA, NA, 1, 0]]
    assert connected_blocks(source(table)) == [(("s1", "s2", "s3"), ("i1", "i2", "i3", "i4"))]


def test_nothing_observed_gives_no_block(source) -> None:
    """Empty data must not look connected."""
    assert connected_blocks(source([[NA, NA], [NA, NA]])) == []


@given(st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=8))
def test_blocks_equal_a_search_from_name_to_name(observed: list[list[bool]]) -> None:
    """Nine items need two packed bytes: a slip there merges or splits blocks."""
    table = np.where(observed, 1.0, NA)
    expected = []
    left = {k for k in range(len(observed)) if any(observed[k])}
    while left:
        subjects, items = {min(left)}, set()
        for _ in range(20):
            items |= {j for k in subjects for j in range(9) if observed[k][j]}
            subjects |= {k for k in left if any(observed[k][j] for j in items)}
        left -= subjects
        expected.append((tuple(f"s{k + 1}" for k in sorted(subjects)), tuple(f"i{j + 1}" for j in sorted(items))))
    assert sorted(connected_blocks(Pieces(Responses.from_array(table)))) == sorted(expected)
