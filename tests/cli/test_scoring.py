"""Scores: non-answers, absent items, and the sentence that people will quote."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.cli.predictions import Predictions
from psyirt.cli.scoring import ScoringOptions, counting, ordinal, score_on, sentence
from psyirt.data.labels import CrowdLabels
from psyirt.data.responses import Responses
from psyirt.errors import DataWarning, InputError
from psyirt.estimation.mml import fit_mml
from psyirt.scale.scale import Scale
from psyirt.simulation import simulate_responses

ITEMS = ("i1", "i2", "i3", "i4", "i5")


@pytest.fixture(scope="module")
def scale() -> Scale:
    """Five items whose key is yes, no, yes, no, yes."""
    responses = simulate_responses(subjects=300, items=5, seed=8).responses
    key = dict(zip(ITEMS, ("yes", "no", "yes", "no", "yes"), strict=True))
    return Scale.from_calibration(fit_mml(responses), name="pets", key=key, label_set=("no", "yes"))


def labelled(**systems: list[str | None]) -> Predictions:
    """Systems' labels of the five items (None: an empty cell)."""
    frame = pd.DataFrame(systems, index=list(ITEMS), dtype=object).T
    return Predictions(CrowdLabels.from_frame(frame, layout="wide"), None, (), "labels")


def test_labels_are_graded_with_the_scales_key(scale: Scale) -> None:
    """A key in another order grades the right answers wrong."""
    table = score_on(scale, labelled(good=["yes", "no", "yes", "no", "yes"], odd=["yes"] * 5)).table
    assert table["correct"].tolist() == [5, 3]
    assert table["at_ceiling"].tolist() == [">=", ""]


def test_label_and_graded_files_agree(scale: Scale) -> None:
    """The same answers in two formats must have the same scores."""
    labels = labelled(one=["yes", "yes", "yes", "no", "no"], two=["no", "no", "yes", None, "yes"])
    codes = np.array([[1, 0, 1, 1, 0], [0, 1, 1, -1, 1]], dtype=np.int8)
    graded = Predictions(None, Responses(codes, ("one", "two"), ITEMS), (), "graded")
    for policy in ("wrong", "missing"):
        options = ScoringOptions(non_answer=policy)  # type: ignore[arg-type]
        pd.testing.assert_frame_equal(
            score_on(scale, labels, options).table, score_on(scale, graded, options).table, check_dtype=False
        )


def test_abstaining_does_not_pay_by_default(scale: Scale) -> None:
    """A system that refuses what it would get wrong must not pass one that tries; both ways its refusals count."""
    tries = ["yes", "no", "no", "yes", "no"]
    refuses: list[str | None] = ["yes", "no", "I cannot say", None, "no idea"]
    table = score_on(scale, labelled(tries=tries, refuses=refuses)).table
    assert table.loc["refuses", "theta"] == pytest.approx(table.loc["tries", "theta"], abs=1e-12)
    assert table["non_answers"].tolist() == [0, 3]
    lenient = score_on(scale, labelled(tries=tries, refuses=refuses), ScoringOptions(non_answer="missing")).table
    assert lenient.loc["refuses", "theta"] > lenient.loc["tries", "theta"]
    assert lenient["non_answers"].tolist() == [0, 3]


def test_absent_items_need_a_decision(scale: Scale) -> None:
    """An item that is nowhere in the file may have been dropped because it was hard."""
    graded = Predictions(None, Responses(np.ones((1, 4), dtype=np.int8), ("x",), ITEMS[:4]), (), "graded")
    with pytest.raises(InputError, match=r"1 of 5 items .*'i5'.*--absent"):
        score_on(scale, graded)
    wrong = score_on(scale, graded, ScoringOptions(absent="wrong"))
    assert (wrong.table["correct"].item(), wrong.table["non_answers"].item(), wrong.absent) == (4, 1, ("i5",))
    with pytest.warns(DataWarning, match="partial form"):
        shorter = score_on(scale, graded, ScoringOptions(absent="skip"))
    assert (shorter.table["at_ceiling"].item(), shorter.table["non_answers"].item()) == (">=", 0)


def test_absent_items_of_label_files(scale: Scale) -> None:
    """A long file in which nobody answered an item has no row of it: the same decision."""
    rows = pd.DataFrame({"worker": "x", "item": ITEMS[:4], "label": ["yes", "no", "yes", "no"]})
    labels = Predictions(CrowdLabels.from_frame(rows), None, (), "labels")
    with pytest.raises(InputError, match="--absent"):
        score_on(scale, labels)
    assert score_on(scale, labels, ScoringOptions(absent="wrong")).table["non_answers"].item() == 1


def test_a_scale_without_key_needs_grades() -> None:
    """Labels cannot be graded with nothing."""
    responses = simulate_responses(subjects=200, items=5, seed=8).responses
    keyless = Scale.from_calibration(fit_mml(responses), name="pets")
    with pytest.raises(InputError, match="no answer key"):
        score_on(keyless, labelled(x=["yes"] * 5))


@pytest.mark.parametrize(
    ("option", "word"), [("method", "MLE"), ("non_answer", "right"), ("absent", "drop"), ("population", "people")]
)
def test_unknown_words_are_refused_at_once(option: str, word: str) -> None:
    """A misspelt policy must not act like the default."""
    with pytest.raises(InputError, match=word):
        ScoringOptions(**{option: word})  # type: ignore[arg-type]


ROW = {
    "theta": 0.4234, "percentile": 66.2, "percentile_low": 40.3, "percentile_high": 85.7, "at_ceiling": "",
    "correct": 26, "answered": 28, "non_answers": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "bert: theta 0.42, about 66th percentile of people, interval 40-86, two items from the ceiling"),
        ({"correct": 27}, "interval 40-86, one item from the ceiling"),
        ({"correct": 10}, "interval 40-86, 18 items from the ceiling"),
        ({"correct": 28, "at_ceiling": ">="}, "at the ceiling: every item right, the ability may be higher"),
        ({"correct": 0, "at_ceiling": "<="}, "at the floor: every item wrong, the ability may be lower"),
        ({"percentile": 99.7}, "above the 99th percentile of people"),
        ({"percentile": 0.2}, "below the 1st percentile of people"),
        ({"theta": np.inf, "at_ceiling": ">=", "correct": 28}, "bert: no finite theta by this method, at the ceiling"),
        ({"answered": 27, "non_answers": 1}, "two items from the ceiling (one not answered, counted as wrong)"),
    ],
)
def test_the_sentence(changes: dict[str, object], said: str) -> None:
    """This sentence is what people will quote: the wrong number of items or side of the scale is a false claim."""
    assert said in sentence("bert", pd.Series(ROW | changes, dtype=object))


def test_missing_answers_are_not_items_from_the_ceiling() -> None:
    """Where non-answers do not count, they are not errors either."""
    row = pd.Series(ROW | {"answered": 27, "non_answers": 1}, dtype=object)
    assert "one item from the ceiling (one not answered, counted as missing)" in sentence("bert", row, "missing")


def test_number_words() -> None:
    """11th, 12th and 13th are the exceptions that a rule on the last digit gets wrong."""
    assert [ordinal(k) for k in (1, 2, 3, 4, 11, 12, 13, 21, 66, 91)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "66th", "91st",
    ]  # fmt: skip
    assert [counting(k) for k in (0, 1, 10, 11)] == ["no", "one", "ten", "11"]


def test_baselines_answer_the_same_items_by_the_same_method(scale: Scale) -> None:
    """Baselines of the whole scale by another method, in one table with the systems, are compared all the same."""
    rows = pd.DataFrame({"worker": "x", "item": ITEMS[:4], "label": ["yes", "no", "yes", "no"]})
    labels = Predictions(CrowdLabels.from_frame(rows), None, (), "labels")
    with pytest.warns(DataWarning) as told:
        scores = score_on(scale, labels, ScoringOptions(method="WLE", absent="skip"))
    assert ["partial form" in str(warning.message) for warning in told] == [True]
    assert not any("without labels" in note for note in scores.notes)
    assert (scores.baselines["answered"] == 4).all()
    expected = scale.baselines(method="WLE", items=ITEMS[:4])
    pd.testing.assert_frame_equal(scores.baselines, expected)
    assert scores.baselines.loc["always yes", "theta"] != scale.baselines(items=ITEMS[:4]).loc["always yes", "theta"]
