"""CrowdLabels: from tables, and graded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psyirt.data.labels import CrowdLabels
from psyirt.errors import DataWarning, InputError

GOLD = pd.DataFrame(
    {"item": ["q1", "q2", "q3"], "gold": ["entailment", "neutral", "contradiction"], "source": ["x", "y", "y"]}
)


def wide() -> pd.DataFrame:
    return pd.DataFrame({"worker": ["ann", "bob", "cyd"], "q1": list("een"), "q2": list("nnc"), "q3": ["c", "na", ""]})


def crowd() -> CrowdLabels:
    return CrowdLabels.from_frame(wide(), gold=GOLD)


def test_an_unambiguous_prefix_is_the_map_and_is_stated() -> None:
    """A map that was guessed and not told cannot be checked."""
    responses = crowd().grade()
    assert responses.to_frame().fillna(-1).to_numpy().tolist() == [[1, 1, 1], [1, 1, -1], [0, 0, -1]]
    assert "c -> contradiction, e -> entailment, n -> neutral" in responses.notes[0]


def test_item_metadata_stays_with_the_responses() -> None:
    """Groups, text and the number of options are needed long after grading."""
    info = crowd().grade().item_info
    assert list(info.columns) == ["gold", "source", "n_options"]
    assert info.loc["q2"].tolist() == ["neutral", "y", 3]


def test_unanswered_and_never_presented_differ() -> None:
    """Counting unanswered as wrong must not turn what was never shown into errors."""
    responses = crowd().grade(unanswered="wrong")
    assert responses.to_frame()["q3"].fillna(-1).tolist() == [1, 0, -1]
    assert responses.notes[-1] == "1 unanswered entry counts as wrong"


def test_an_empty_label_in_a_long_table_is_unanswered() -> None:
    """A row says that the item was shown; without a row it was not."""
    long = pd.DataFrame({"worker": ["a", "a", "b"], "task": ["q1", "q2", "q1"], "label": ["yes", None, "no"]})
    labels = CrowdLabels.from_frame(long, gold={"q1": "yes", "q2": "no"})
    assert labels.grade(unanswered="wrong").to_frame().fillna(-1).to_numpy().tolist() == [[1, 0], [0, -1]]


def test_a_given_map_is_used() -> None:
    """An explicit map must win over what the labels look like."""
    labels = CrowdLabels.from_frame(
        pd.DataFrame({"q1": ["1", "2"], "q2": ["2", "2"]}, index=["a", "b"]), gold={"q1": "yes", "q2": "no"}
    )
    assert labels.grade({"1": "yes", "2": "no"}).to_frame().to_numpy().tolist() == [[1, 1], [0, 1]]
    assert labels.grade({"2": "yes", "1": "no"}).to_frame().to_numpy().tolist() == [[0, 0], [1, 0]]


def test_an_unexplained_label_names_its_place() -> None:
    """A label that is no option must be found in a file of 100,000, not counted as wrong."""
    frame = wide()
    frame.loc[[1, 2], "q2"] = "maybe"
    with pytest.raises(InputError) as caught:
        CrowdLabels.from_frame(frame, gold=GOLD).grade()
    message = str(caught.value)
    assert message.startswith("worker 'bob', item 'q2', the first of 2: label 'maybe' stands for no option")
    assert "does not mention an answer for 'maybe' (options: contradiction, entailment, neutral)" in message
    assert "maybe=" not in message
    assert "\n" not in message


def test_items_without_gold() -> None:
    """They are an error unless they are to be left out; then the notes say so."""
    labels = CrowdLabels.from_frame(wide(), gold=GOLD[:2])
    with pytest.raises(InputError, match=r"item 'q3', the first of them: 1 of 3 items have no gold.*only_gold=True"):
        labels.grade(options=["entailment", "neutral", "contradiction"])
    responses = labels.grade(options=["entailment", "neutral", "contradiction"], only_gold=True)
    assert responses.item_names == ("q1", "q2")
    assert "1 item without gold was left out, the first is 'q3'" in responses.notes


def test_gold_without_items_warns_and_is_ignored() -> None:
    """Usually a slip in the names: it must be seen, and must not stop the work."""
    gold = {"q1": "entailment", "q2": "neutral", "q3": "contradiction", "q9": "neutral"}
    with pytest.warns(DataWarning, match="gold is given for 1 item without labels, the first is 'q9'"):
        labels = CrowdLabels.from_frame(wide(), gold=gold)
    assert labels.grade().item_names == ("q1", "q2", "q3")
    assert any("q9" in note for note in labels.notes)


def test_no_gold_at_all() -> None:
    """Grading without a key must say what is missing."""
    with pytest.raises(InputError, match="no item has gold"):
        CrowdLabels.from_frame(wide()).grade()


def test_a_repeated_pair_is_refused() -> None:
    """Keeping the last of two answers silently would be a choice nobody made."""
    long = pd.DataFrame({"worker": ["a", "a"], "item": ["q1", "q1"], "label": ["e", "n"]})
    with pytest.raises(InputError, match="worker 'a', item 'q1'"):
        CrowdLabels.from_frame(long)
    with pytest.raises(InputError, match="worker 'ann' has more than one row"):
        CrowdLabels.from_frame(pd.concat([wide(), wide()[:1]]))
    with pytest.raises(InputError, match="column 'q1' occurs more than once"):
        CrowdLabels.from_frame(pd.concat([wide(), wide()[["q1"]]], axis=1))


def test_nameless_workers_are_refused() -> None:
    """A missing worker must not become the last one, or one called nan."""
    long = pd.DataFrame({"worker": ["a", None], "item": ["q1", "q1"], "label": ["e", "n"]})
    with pytest.raises(InputError, match="row 1: no worker is named in 1 row"):
        CrowdLabels.from_frame(long)


def test_an_unknown_choice_is_refused() -> None:
    """A misspelt policy must not fall back to another."""
    with pytest.raises(InputError, match="unanswered: 'worng' is not known"):
        crowd().grade(unanswered="worng")  # type: ignore[arg-type]


def test_numbers_keep_their_names() -> None:
    """A column that pandas made float must not turn item 7 into 7.0, nor label 1 into 1.0."""
    long = pd.DataFrame({"worker": [1, 1, 2], "item": [7, 8, 7], "label": [1.0, np.nan, 0.0]})
    labels = CrowdLabels.from_frame(long, gold={7: 1, 8: 0})  # type: ignore[dict-item]
    assert (labels.worker_names, labels.item_names, labels.label_set) == (("1", "2"), ("7", "8"), ("", "0", "1"))
    assert labels.grade().to_frame().fillna(-1).to_numpy().tolist() == [[1, -1], [0, -1]]


def test_a_selection_keeps_what_can_be_answered() -> None:
    """Grading one class alone must not make the other classes' labels unexplained, nor change n_options."""
    responses = crowd().select(items=["q3", "q1"], workers=["bob", "ann"]).grade()
    assert responses.item_names == ("q3", "q1")
    assert responses.subject_names == ("bob", "ann")
    assert responses.to_frame().fillna(-1).to_numpy().tolist() == [[-1, 1], [1, 1]]
    assert responses.item_info["n_options"].tolist() == [3, 3]
    with pytest.raises(InputError, match="item 'q9' is unknown"):
        crowd().select(items=["q9"])


def test_a_long_tables_own_gold_is_used() -> None:
    """Files with a gold column need no second file; a contradiction in it is an error."""
    long = pd.DataFrame({"worker": list("abab"), "item": list("1122"), "label": list("xyxx"), "gold": list("xxyy")})
    assert CrowdLabels.from_frame(long).grade().to_frame().to_numpy().tolist() == [[1, 0], [0, 0]]
    long.loc[1, "gold"] = "y"
    with pytest.raises(InputError, match="item '1' has more than one gold label"):
        CrowdLabels.from_frame(long)


def test_indices_are_frozen() -> None:
    """A result that others hold must not change under them."""
    labels = crowd()
    with pytest.raises(ValueError, match="read-only"):
        labels.label_index[0] = 0
    with pytest.raises(AttributeError):
        labels.notes = ()  # type: ignore[misc]


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.sampled_from(["q1", "q2", "q3"])), st.sampled_from("xyz"), min_size=1
    )
)
def test_wide_and_long_hold_the_same(entries: dict[tuple[str, str], str]) -> None:
    """Neither layout may lose, add or move a label."""
    long = pd.DataFrame([(*pair, label) for pair, label in entries.items()], columns=["worker", "item", "label"])
    labels = CrowdLabels.from_frame(long)
    again = CrowdLabels.from_frame(labels.to_frame())
    assert {(w, i): label for w, i, label in again.to_long().itertuples(index=False)} == entries
    assert {(w, i): label for w, i, label in labels.to_long().itertuples(index=False)} == entries


def test_all_that_can_be_answered_goes_with_the_responses() -> None:
    """A scale that knows only the gold of its class reads every other answer as a refusal, and guessing as certain."""
    assert crowd().grade().label_set == ("contradiction", "entailment", "neutral")
    one_class = crowd().select(items=["q1"])
    assert one_class.grade().label_set == ("contradiction", "entailment", "neutral")
    options = ["contradiction", "entailment", "neutral", "unsure"]
    assert crowd().grade(options=options).label_set == tuple(options)
    assert crowd().grade(options=options).item_info["n_options"].tolist() == [4, 4, 4]
    mapped = {"e": "entailment", "n": "neutral", "c": "contradiction", "na": "unsure"}
    assert crowd().grade(mapped).label_set == tuple(options)


def test_a_key_of_one_label_does_not_say_what_can_be_answered() -> None:
    """One option is no choice: as a number of options it would put guessing at certainty."""
    labels = CrowdLabels.from_frame(
        pd.DataFrame({"q1": ["yes", "na"], "q2": ["na", "yes"]}), gold={"q1": "yes", "q2": "yes"}
    )
    responses = labels.grade(unanswered="wrong")
    assert responses.label_set is None
    assert "n_options" not in responses.item_info.columns


def test_a_mask_selects_labels_too() -> None:
    """Names and rows must stay together, however they are chosen."""
    chosen = crowd().select(workers=np.array([False, True, True]), items=["q2"])  # type: ignore[arg-type]
    assert chosen.to_frame().to_dict() == {"q2": {"bob": "n", "cyd": "c"}}
