"""Responses: what goes in comes out, and what cannot be right is refused with its place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from psyirt.data.responses import Responses
from psyirt.errors import InputError

TABLES = hnp.arrays(np.int8, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.sampled_from([-1, 0, 1]))


@given(TABLES)
def test_a_frame_survives_the_round_trip(codes):
    responses = Responses.from_array(codes)
    again = Responses.from_frame(responses.to_frame())
    assert np.array_equal(again.codes, codes)
    assert again.digest == responses.digest


@given(TABLES)
def test_a_long_table_says_the_same_as_a_wide_one(codes):
    responses = Responses.from_array(codes)
    long = responses.to_frame().stack(future_stack=True).rename("response").reset_index()
    assert np.array_equal(Responses.from_long(long).codes, codes)


def test_blocks_cover_every_subject_once_and_in_order():
    codes = np.arange(14).reshape(7, 2) % 2
    responses = Responses.from_array(codes)
    blocks = list(responses.blocks(rows=3))
    assert [block.start for block in blocks] == [0, 3, 6]
    assert np.array_equal(np.concatenate([block.codes for block in blocks]), responses.codes)


def test_responses_cannot_be_changed_through_the_array_they_were_made_from():
    codes = np.zeros((2, 2), np.int8)
    responses = Responses.from_array(codes)
    codes[0, 0] = 1
    assert responses.codes[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        responses.codes[0, 0] = 1


@pytest.mark.parametrize("value", [2, 0.5, -2, -9])
def test_a_value_that_is_no_grade_is_refused_with_its_place(value):
    with pytest.raises(InputError, match=r"subject 'bob', item 'q2'.*is not 0, 1 or missing"):
        Responses.from_frame(pd.DataFrame({"q1": [1, 0], "q2": [1, value]}, index=["ann", "bob"]))


def test_the_constructor_does_not_cut_off_fractions():
    with pytest.raises(InputError, match=r"response 0.5 is not 0, 1"):
        Responses(np.array([[0.5]]), ("s",), ("i",))


def test_a_repeated_pair_in_a_long_table_is_refused():
    long = pd.DataFrame({"subject": ["a", "a"], "item": ["x", "x"], "response": [1, 0]})
    with pytest.raises(InputError, match="subject 'a', item 'x': 1 responses repeat a"):
        Responses.from_long(long)


def test_names_must_be_unique():
    with pytest.raises(InputError, match="item 'q' occurs more than once"):
        Responses.from_array([[1, 0]], item_names=["q", "q"])


def test_select_keeps_the_order_asked_for_and_the_item_information():
    info = pd.DataFrame({"gold": ["e", "n", "c"]}, index=[1, 2, 3])
    responses = Responses.from_array([[1, 0, -1], [0, 1, 1]], item_names=["1", "2", "3"], item_info=info)
    chosen = responses.select(items=["3", "1"], subjects=["s2"])
    assert chosen.item_names == ("3", "1")
    assert chosen.codes.tolist() == [[1, 0]]
    assert chosen.item_column("gold") == {"3": "c", "1": "e"}


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match="1 unknown items, the first is 'zz'"):
        Responses.from_array([[1, 0]]).select(items=["i1", "zz"])


def test_the_digest_sees_one_changed_answer_and_one_changed_name():
    one = Responses.from_array([[1, 0], [0, 1]])
    assert one.digest != Responses.from_array([[1, 0], [1, 1]]).digest
    assert one.digest != Responses.from_array([[1, 0], [0, 1]], item_names=["i1", "i3"]).digest
