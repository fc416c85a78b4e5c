"""Systems' answers: refusals count against them unless asked otherwise, and are counted."""

from __future__ import annotations

import pandas as pd
import pytest

from psyirt.data.labels import CrowdLabels
from psyirt.data.predictions import grade_predictions
from psyirt.errors import DataWarning, InputError

KEY = {"q1": "entailment", "q2": "neutral", "q3": "contradiction"}


def systems() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "q1": ["entailment", "entailment", None],
            "q2": ["neutral", "I cannot say", "neutral"],
            "q3": ["neutral", "na", "contradiction"],
        },
        index=["full", "shy", "gap"],
    )


def test_abstaining_is_wrong_and_counted() -> None:
    """A system that answers only the easy half must not gain by it."""
    graded = grade_predictions(systems(), KEY)
    assert graded.responses.to_frame().to_numpy().tolist() == [[1, 1, 0], [1, 0, 0], [0, 1, 1]]
    assert graded.non_answers.loc["shy"].to_dict() == {
        "presented": 3, "answered": 1, "unrecognised": 2, "absent": 0, "non_answers": 2,
    }  # fmt: skip
    assert graded.non_answers["absent"].tolist() == [0, 0, 1]
    assert "3 non-answers count as wrong" in graded.responses.notes
    assert "labels that are no answer: 'I cannot say'" in graded.responses.notes
    assert graded.label_map.unexplained == ("I cannot say",)


def test_one_flag_makes_them_missing() -> None:
    """The policy changes the non-answers and nothing else."""
    graded = grade_predictions(systems(), KEY, non_answer="missing")
    assert graded.responses.to_frame().fillna(-1).to_numpy().tolist() == [[1, 1, 0], [1, -1, -1], [-1, 1, 1]]
    assert graded.non_answers["non_answers"].tolist() == [0, 2, 1]
    with pytest.raises(InputError, match="non_answer='drop' is not known"):
        grade_predictions(systems(), KEY, non_answer="drop")  # type: ignore[arg-type]


def test_systems_may_speak_differently() -> None:
    """One system's e/n/c must not make another's whole words unexplained."""
    frame = pd.DataFrame({"q1": ["e", "Entailment"], "q2": ["n", "c"], "q3": ["c", "contradiction"]}, index=["a", "b"])
    assert grade_predictions(frame, KEY).responses.to_frame().to_numpy().tolist() == [[1, 1, 1], [1, 0, 1]]


def test_a_missing_map_does_not_score_everything_wrong() -> None:
    """Numbers for labels without a map must stop the work, not give theta = -3."""
    frame = pd.DataFrame({"q1": ["0", "1"], "q2": ["1", "1"], "q3": ["2", "0"]}, index=["a", "b"])
    with pytest.raises(InputError, match=r"none of the labels is an answer: '0', '1', '2'. Give a label map"):
        grade_predictions(frame, KEY)
    label_map = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    assert grade_predictions(frame, KEY, label_map=label_map).responses.to_frame().loc["a"].tolist() == [1, 1, 1]


def test_one_silent_system_is_told() -> None:
    """A file in which one system's labels have another spelling looks like a system that knows nothing."""
    frame = pd.DataFrame({"q1": ["e", "0"], "q2": ["n", "1"], "q3": ["c", "2"]}, index=["a", "b"])
    with pytest.warns(DataWarning, match="1 systems gave no recognised answer, the first is 'b'"):
        graded = grade_predictions(frame, KEY)
    assert graded.responses.to_frame().loc["b"].tolist() == [0, 0, 0]


def test_the_key_of_one_class() -> None:
    """There "neutral" is a wrong answer, not a refusal: only the options can tell the two apart."""
    key, frame = {"q3": "contradiction"}, systems()[["q3"]].iloc[:2]
    with pytest.raises(InputError, match="none of the labels is an answer"):
        grade_predictions(frame, key)
    options = ["contradiction", "entailment", "neutral"]
    with pytest.warns(DataWarning, match="no recognised answer, the first is 'shy'"):
        graded = grade_predictions(frame, key, options=options, non_answer="missing")
    assert graded.responses.to_frame()["q3"].fillna(-1).tolist() == [0, -1]
    assert graded.responses.item_info["n_options"].tolist() == [3]
    with pytest.raises(InputError, match="the key shows one option only"):
        grade_predictions(systems()[["q3"]], key, non_answer="missing")


def test_items_outside_the_key() -> None:
    """Answers nobody can grade are an error naming them, unless they are to be left out."""
    key = {"q1": "entailment", "q2": "neutral"}
    with pytest.raises(InputError, match="item 'q3', the first of them: 1 items with answers are not in the key"):
        grade_predictions(systems(), key)
    assert grade_predictions(systems(), key, only_key=True).responses.item_names == ("q1", "q2")
    with pytest.raises(InputError, match="no item with answers is in the key"):
        grade_predictions(systems(), {"q9": "neutral"}, only_key=True)


def test_items_that_no_system_has() -> None:
    """Leaving the hard items out of the file is abstaining too, once it is said what was presented."""
    frame = systems()[["q1", "q2"]]
    with pytest.warns(DataWarning, match="gold is given for 1 items without labels, the first is 'q3'"):
        assert grade_predictions(frame, KEY).responses.item_names == ("q1", "q2")
    graded = grade_predictions(frame, KEY, presented=["q3", "q1", "q2"])
    assert graded.responses.item_names == ("q3", "q1", "q2")
    assert graded.responses.to_frame()["q3"].tolist() == [0, 0, 0]
    assert graded.non_answers["absent"].tolist() == [1, 1, 2]
    with pytest.raises(InputError, match="item 'q2' has answers but is not among the presented"):
        grade_predictions(frame, KEY, presented=["q1"])


def test_crowd_labels_are_taken_as_they_are() -> None:
    """What read_labels gives and a frame must grade alike."""
    from_labels = grade_predictions(CrowdLabels.from_frame(systems()), KEY).responses
    assert from_labels.digest == grade_predictions(systems(), KEY).responses.digest
