"""What a label is taken to mean, and what is refused."""

from __future__ import annotations

import pytest

from psyirt.data.label_map import explain_labels
from psyirt.errors import InputError

NLI = ("contradiction", "entailment", "neutral")


def test_identical_words_are_themselves() -> None:
    """The plainest case, with an unanswered code beside it."""
    found = explain_labels(["neutral", "entailment", "NA"], NLI)
    assert found.origin == "identity"
    assert found.entries == {"neutral": "neutral", "entailment": "entailment"}
    assert found.unanswered == ("NA",)


def test_the_case_does_not_matter_to_a_prefix() -> None:
    """Crowds type E, ent and Entailment."""
    found = explain_labels(["E", "ent", "Neutral", "c"], NLI)
    assert found.entries == {"E": "entailment", "ent": "entailment", "Neutral": "neutral", "c": "contradiction"}
    assert found.origin == "prefix"


def test_an_ambiguous_prefix_is_not_guessed() -> None:
    """ "n" begins both neutral and negative: either guess grades half the crowd wrongly."""
    assert explain_labels(["n", "p"], ["neutral", "negative", "positive"]).unexplained == ("n",)


def test_the_whole_word_beats_a_longer_option() -> None:
    """ "no" is the option "no", though it also begins "none of these"."""
    assert explain_labels(["no"], ["no", "none of these"]).entries == {"no": "no"}


@pytest.mark.parametrize("label", ["1", "1.0", "-1"])
def test_a_number_is_no_prefix(label: str) -> None:
    """Option 10 is not option 1 cut short."""
    assert explain_labels([label, "20"], ["10", "20", "-10"]).unexplained == (label,)


def test_a_real_option_called_none_is_an_answer() -> None:
    """A default list of unanswered codes must not swallow an option of the key."""
    found = explain_labels(["none", "some"], ["none", "some"])
    assert found.unanswered == ()
    assert found.entries["none"] == "none"


def test_an_unanswered_code_that_begins_an_option_is_not_guessed() -> None:
    """ "na" could be "narrow" or nothing: the caller decides."""
    assert explain_labels(["na", "wide"], ["narrow", "wide"]).unexplained == ("na",)
    assert explain_labels(["na", "wide"], ["narrow", "wide"], {"na": "narrow"}).unexplained == ()


def test_own_unanswered_codes() -> None:
    """SAT12's 8 means omitted; only the caller can know."""
    assert explain_labels(["1", "8"], ["1", "2"]).unexplained == ("8",)
    assert explain_labels(["1", "8"], ["1", "2"], na_labels=["8"]).unanswered == ("8",)


def test_a_misspelt_option_in_the_map_is_refused() -> None:
    """It would mark every such answer wrong."""
    with pytest.raises(InputError, match=r"sends 'e' to 'entailement'.*Did you mean 'entailment'\?"):
        explain_labels(["e", "n", "c"], NLI, {"e": "entailement", "n": "neutral", "c": "contradiction"})


def test_a_map_may_lead_to_options_that_are_never_gold() -> None:
    """The key of one class's items holds one label; what else can be answered comes from the map."""
    found = explain_labels(["e", "n"], ["neutral"], {"e": "entailment", "n": "neutral"})
    assert found.options == ("entailment", "neutral")


def test_a_map_without_a_label_does_not_fall_back_to_prefixes() -> None:
    """Who gives a map has said all there is to say; the rest must be options or is unexplained."""
    found = explain_labels(["e", "n", "neutral"], NLI, {"e": "entailment"})
    assert found.unexplained == ("n",)
    assert found.entries == {"e": "entailment", "neutral": "neutral"}


def test_an_unused_entry_of_the_map_is_told() -> None:
    """A misspelt label in the map should at least be seen."""
    found = explain_labels(["e"], ["entailment"], {"e": "entailment", "ee": "entailment"})
    assert found.unused == ("ee",)
    assert "ee" in found.sentence


def test_gold_outside_the_options_is_refused() -> None:
    """Options that leave out a right answer make its items unanswerable."""
    with pytest.raises(InputError, match="gold label 'neutral' is not among the options"):
        explain_labels(["a"], ["neutral"], options=["a", "b"])
