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
    with pytest.raises(InputError, match="subject 'a', item 'x': 1 response repeats a"):
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
    with pytest.raises(InputError, match="item 'zz' is unknown"):
        Responses.from_array([[1, 0]]).select(items=["i1", "zz"])


def test_the_digest_sees_one_changed_answer_and_one_changed_name():
    one = Responses.from_array([[1, 0], [0, 1]])
    assert one.digest != Responses.from_array([[1, 0], [1, 1]]).digest
    assert one.digest != Responses.from_array([[1, 0], [0, 1]], item_names=["i1", "i3"]).digest


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([["a"]], "subject 's1', item 'i1': response 'a' is not 0, 1 or missing"),
        ([[1, "x"], [0, 1]], "subject 's1', item 'i2': response 'x' is not"),
        ([[1, 0], [None, {}]], r"subject 's2', item 'i2': response \{\} is not"),
        ([[1 + 1j]], r"response \(1\+1j\) is not"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "datetime.date"),
        ([[300]], "response 300 is not"),
        ([[1], [1, 0]], "rows of responses differ in length"),
        ([1, 0], "1 dimensions"),
    ],
)
def test_what_is_no_table_of_responses_is_one_line(values, said):
    """Text and ragged lists end in a traceback of numpy's, dates and complex numbers are read as numbers."""
    with pytest.raises(InputError, match=said):
        Responses.from_array(values)


def test_missing_values_of_every_kind_are_missing():
    """pandas has three of them; one that is read as an answer, or refused, costs the row."""
    table = [[pd.NA, None, np.nan, -1], [1, 0, True, False]]
    assert Responses.from_array(table).codes.tolist() == [[-1, -1, -1, -1], [1, 0, 1, 0]]


def test_names_for_another_table_are_counted():
    """Names of another table would stand beside the wrong answers."""
    with pytest.raises(InputError, match="0 subject names for 1 subject"):
        Responses.from_array([[2]], subject_names=[])


@pytest.mark.parametrize("axis", ["subjects", "items"])
@pytest.mark.parametrize("length", [1, 3])
def test_a_mask_of_another_length_is_refused(axis, length):
    """Somebody else's mask would quietly choose the wrong rows."""
    responses = Responses.from_array([[1, 0], [0, 1]])
    mask = np.ones(length, dtype=bool)
    with pytest.raises(InputError, match=rf"a mask of shape \({length},\) for 2 {axis}"):
        responses.select(**{axis: mask})
    assert responses.select(**{axis: np.array([False, True])}).codes.tolist() == (
        [[0, 1]] if axis == "subjects" else [[0], [1]]
    )


def test_the_label_set_stays_and_is_no_part_of_the_data():
    """A scale made from a selection must know what can be answered; the digest of old scale files must not change."""
    codes = np.zeros((2, 2), np.int8)
    plain = Responses(codes, ("a", "b"), ("x", "y"))
    labelled = Responses(codes, ("a", "b"), ("x", "y"), label_set=["yes", "no", "maybe"])
    assert plain.label_set is None
    assert labelled.label_set == ("yes", "no", "maybe")
    assert labelled.select(items=["y"], subjects=["b"]).label_set == ("yes", "no", "maybe")
    assert labelled.digest == plain.digest


@pytest.mark.parametrize("labels", [("yes",), "yes", ("yes", "yes")])
def test_a_label_set_is_two_labels_or_more(labels):
    """One label is no choice, and one named twice makes chance level wrong."""
    with pytest.raises(InputError, match="label_set is yes"):
        Responses(np.zeros((1, 1), np.int8), ("a",), ("x",), label_set=labels)


def test_blocks_are_contiguous_whatever_the_table_was() -> None:
    """The kernels walk along rows; a table stored by columns (as pandas does) would be read several times slower."""
    frame = pd.DataFrame({"q1": [1, 0, 1], "q2": [1, None, 0]})
    for responses in (Responses.from_frame(frame), Responses.from_array(np.asfortranarray(np.eye(4)))):
        assert all(block.codes.flags.c_contiguous for block in responses.blocks())
