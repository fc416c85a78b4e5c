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
    with pytest.raises(InputError, match="non_answer: 'drop' is not known"):
        grade_predictions(systems(), KEY, non_answer="drop")  # type: ignore[arg-type]


def test_systems_may_speak_differently() -> None:
    """One system's e/n/c must not make another's whole words unexplained."""
    frame = pd.DataFrame({"q1": ["e", "Entailment"], "q2": ["n", "c"], "q3": ["c", "contradiction"]}, index=["a", "b"])
    assert grade_predictions(frame, KEY).responses.to_frame().to_numpy().tolist() == [[1, 1, 1], [1, 0, 1]]


def test_a_missing_map_does_not_score_everything_wrong() -> None:
    """Numbers for labels without a map must stop the work, not give theta = -3."""
    frame = pd.DataFrame({"q1": ["0", "1"], "q2": ["1", "1"], "q3": ["2", "0"]}, index=["a", "b"])
    with pytest.raises(
        InputError, match=r"none of the labels is an answer: '0', '1', '2'. Say what the labels mean with label_map="
    ):
        grade_predictions(frame, KEY)
    label_map = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    assert grade_predictions(frame, KEY, label_map=label_map).responses.to_frame().loc["a"].tolist() == [1, 1, 1]


def test_one_silent_system_is_told() -> None:
    """A file in which one system's labels have another spelling looks like a system that knows nothing."""
    frame = pd.DataFrame({"q1": ["e", "0"], "q2": ["n", "1"], "q3": ["c", "2"]}, index=["a", "b"])
    with pytest.warns(DataWarning, match="1 system gave no recognised answer, the first is 'b'"):
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
    with pytest.raises(InputError, match="item 'q3', the first of them: 1 item with answers is not in the key"):
        grade_predictions(systems(), key)
    assert grade_predictions(systems(), key, only_key=True).responses.item_names == ("q1", "q2")
    with pytest.raises(InputError, match="no item with answers is in the key"):
        grade_predictions(systems(), {"q9": "neutral"}, only_key=True)


def test_items_that_no_system_has() -> None:
    """Leaving the hard items out of the file is abstaining too, once it is said what was presented."""
    frame = systems()[["q1", "q2"]]
    with pytest.warns(DataWarning, match="gold is given for 1 item without labels, the first is 'q3'"):
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


def test_a_shorter_form_is_no_surprise_where_it_is_said() -> None:
    """A warning of items that the caller left out hides the ones that matter; their labels can still be answered."""
    graded = grade_predictions(systems()[["q1", "q2"]], KEY, presented=["q2", "q1"])  # a warning would be an error
    assert graded.responses.item_names == ("q2", "q1")
    assert not any("without labels" in note for note in graded.responses.notes)
    assert graded.label_map.options == tuple(sorted(set(KEY.values())))


@pytest.mark.parametrize(
    "labels",
    [
        ["refused"] * 3,
        ["na", "", None],
        ["I cannot say.", "As a model", "No."],
        ["Sorry", "Cannot", "Will not", "Error", "None"],
    ],
    ids=["one word", "nothing", "sentences", "many words"],
)
def test_a_lone_system_that_refuses_everything_is_wrong_everywhere(labels: list[str | None]) -> None:
    """Refusals count as wrong whoever else is in the file; an error would leave the worst system without a score."""
    items = [f"q{k}" for k in range(len(labels))]
    frame = pd.DataFrame([labels], columns=items, index=["mute"])
    key = {item: ("yes", "no", "maybe")[k % 3] for k, item in enumerate(items)}
    with pytest.warns(DataWarning, match="1 system gave no recognised answer, the first is 'mute'"):
        graded = grade_predictions(frame, key, presented=items)
    assert graded.responses.codes.tolist() == [[0] * len(items)]
    assert graded.non_answers.loc["mute", ["answered", "non_answers"]].tolist() == [0, len(items)]


@pytest.mark.parametrize(
    "labels", [["LABEL_0", "LABEL_1", "LABEL_2"], ["0", "0", "0"], ["A", "B", "A"], ["y", "y", "m"]]
)
def test_another_coding_of_the_options_is_no_refusal(labels: list[str]) -> None:
    """A forgotten label map must stop the work, not put a good system at the bottom."""
    frame = pd.DataFrame([labels], columns=["q1", "q2", "q3"], index=["coded"])
    with pytest.raises(InputError, match=r"none of the labels is an answer.*(label_map=|begins).*na_labels="):
        grade_predictions(frame, {"q1": "yes, certainly", "q2": "yes, perhaps", "q3": "no"})


def test_the_keys_own_number_of_options_stays() -> None:
    """Chance level is the item's, where the key says so."""
    key = pd.DataFrame({"gold": ["a", "b"], "n_options": [4, 5]}, index=["q1", "q2"])
    graded = grade_predictions(pd.DataFrame({"q1": ["a"], "q2": ["a"]}, index=["s"]), key, options=["a", "b", "c"])
    assert graded.responses.item_info["n_options"].tolist() == [4, 5]
    assert graded.responses.label_set == ("a", "b", "c")


def test_only_the_caller_knows_that_the_keys_labels_are_all() -> None:
    """A label beyond the key is a refusal here and an answer there."""
    assert grade_predictions(systems(), KEY).responses.label_set is None
