"""Surprising answers: predicted from all others, in order, with honest p-values."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import surprising_items
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from tests.reference import person_fit as twin
from tests.scoring.instruments import as_items, random_answers, random_instrument
from tests.small_data import simulated


def test_predictions_leave_the_answer_out() -> None:
    """An answer that helps to predict itself is never surprising."""
    rng = np.random.default_rng(1)
    instrument = random_instrument(rng, 7, 0.15, 0.95)
    responses = random_answers(rng, instrument, 6, missing=0.2)
    table = surprising_items(instrument, responses, top=None).frame
    nodes = list(np.linspace(-6, 6, 241))
    items = as_items(instrument.item_parameters)
    names = instrument.item_parameters.item_names
    assert len(table) == responses.observed
    for subject, row in zip(responses.subject_names, responses.codes, strict=True):
        pattern = [None if x < 0 else int(x) for x in row]
        for j, x in enumerate(pattern):
            if x is None:
                continue
            expected = twin.predicted(items, pattern, j, nodes)
            found = table.loc[(subject, names[j])]
            given = expected if x else 1 - expected
            assert found["expected"] == pytest.approx(expected, rel=1e-6)
            assert found["statistic"] == pytest.approx((x - expected) / np.sqrt(expected * (1 - expected)), rel=1e-6)
            assert found["p"] == pytest.approx(given if given < 0.5 else 1.0, rel=1e-6)
            assert found["response"] == x


def test_the_planted_surprises_come_first() -> None:
    """An able system that fails the two easiest items."""
    names = [f"q{k}" for k in range(40)]
    bank = ItemParameters(names, np.full(40, 2.0), np.linspace(6.0, -2.0, 40))
    codes = np.ones((2, 40), np.int8)
    codes[1, [0, 1]] = 0
    table = surprising_items(fix(bank, "2PL"), Responses.from_array(codes, item_names=names), top=3)
    assert table.frame.loc["s2"].index[:2].tolist() == ["q0", "q1"]
    assert table.loc[("s2", "q0"), "flag"]
    assert not table.frame.loc["s1", "flag"].any()
    assert "6 answers" in repr(table)
    assert "at most 3 answers" in table.notes[0]


def test_adjusted_over_all_answers_whatever_is_shown() -> None:
    """Adjusting over the ten shown would flag what is worst among a thousand."""
    calibration = fix(ItemParameters(["a", "b", "c", "d"], np.ones(4), [3.0, 1.0, 0.0, -3.0]), "2PL")
    answers = Responses.from_array([[0, 1, 1, 1]], item_names=["a", "b", "c", "d"])
    whole, one = surprising_items(calibration, answers, top=None), surprising_items(calibration, answers, top=1)
    assert one["p_adjusted"].iloc[0] == whole["p_adjusted"].iloc[0] == pytest.approx(4 * whole["p"].iloc[0])


def test_steep_and_many_items_keep_their_numbers() -> None:
    """Products of hundreds of steep probabilities are 0, and a ratio of them no number."""
    rng = np.random.default_rng(3)
    names = [f"q{k}" for k in range(400)]
    bank = ItemParameters(names, np.full(400, 6.0), rng.normal(0.0, 6.0, 400))
    codes = (rng.random((1, 400)) < 1 / (1 + np.exp(-bank.intercepts))).astype(np.int8)
    codes[0, 5] = 1 - codes[0, 5]
    table = surprising_items(fix(bank, "2PL"), Responses.from_array(codes, item_names=names), top=None)
    assert np.isfinite(table["expected"]).all()
    assert not table["p"].isna().any()


def test_order_of_items_and_subjects_does_not_matter(rng: np.random.Generator) -> None:
    """Ties apart, a row belongs to its subject and item."""
    instrument = random_instrument(rng, 9)
    responses = random_answers(rng, instrument, 30)
    mixed = responses.select(items=list(responses.item_names[::-1]), subjects=list(responses.subject_names[::-1]))
    one = surprising_items(instrument, responses, top=None).frame.sort_index()
    other = surprising_items(instrument, mixed, top=None).frame.sort_index()
    np.testing.assert_allclose(one["statistic"], other["statistic"], rtol=1e-9)
    assert one.index.equals(other.index)


def test_who_answered_nothing_and_bad_arguments() -> None:
    """A subject without rows is counted in a note; a top of 0 shows nothing at all."""
    bank = ItemParameters([f"i{k + 1}" for k in range(5)], np.ones(5), np.zeros(5))
    codes = simulated(20, 5, seed=1)
    codes[0], codes[1, 1:] = -1, -1
    table = surprising_items(fix(bank, "2PL", Responses.from_array(codes)))
    assert "1 subject without responses" in table.notes[1]
    assert table.loc[("s2", "i1"), "note"].startswith("no other answer")
    with pytest.raises(NotAvailableError):
        surprising_items(fix(bank, "2PL"))
    with pytest.raises(InputError, match="item parameters"):
        surprising_items(Responses.from_array(codes))
    for options in ({"top": 0}, {"top": 1.5}, {"adjust": "hom"}, {"alpha": 2}):
        with pytest.raises(InputError):
            surprising_items(fix(bank, "2PL", Responses.from_array(codes)), **options)  # type: ignore[arg-type]
