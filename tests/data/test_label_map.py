"""What a label is taken to mean, and what is refused."""

from __future__ import annotations

import pytest

from psyirt.data.label_map import NA_LABELS, explain_labels
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


def test_no_map_is_suggested_where_the_gold_lacks_a_class() -> None:
    """ "c=entailment" would be typed as it stands, and grade every contradiction as an entailment."""
    remedy = explain_labels(["e", "n", "c"], ["entailment", "neutral"]).remedy
    assert "does not mention an answer for 'c' (options: entailment, neutral)" in remedy
    assert "options=" in remedy
    assert "c=" not in remedy


def test_a_map_is_suggested_where_only_one_is_possible() -> None:
    """The suggestion is to be copied: it must explain all labels, those of the given map included."""
    found = explain_labels(["e", "n", "c"], NLI, {"e": "entailment", "c": "contradiction"})
    assert "label_map= as in e=entailment,c=contradiction,n=neutral," in found.remedy
    partly = explain_labels(["e", "n"], NLI, {"e": "entailment"})  # contradiction is out of reach: something is amiss
    assert "=neutral" not in partly.remedy


@pytest.mark.parametrize(
    ("labels", "gold", "said"),
    [
        (["n", "positive"], ["neutral", "negative", "positive"], "'n' begins negative, neutral: say which"),
        (["0", "1"], ["no", "yes"], "Say what the labels mean with label_map= (options: no, yes)"),
        (["na"], ["yes"], "Say what the labels mean with label_map= (options: yes)"),
    ],
)
def test_other_labels_are_asked_for(labels: list[str], gold: list[str], said: str) -> None:
    """Where nothing is known of a label, a made-up meaning is worse than a question."""
    assert said in explain_labels(labels, gold).remedy


@pytest.mark.parametrize("label_map", [{"yes": "yess"}, {"yes": "yess", "no": "no"}])
def test_a_misspelt_option_for_a_label_that_is_one_itself_is_refused(label_map: dict[str, str]) -> None:
    """ "yes=yess" takes the only way to "yes" away: every such answer would be wrong, and nobody would hear of it."""
    with pytest.raises(InputError, match=r"sends 'yes' to 'yess', which is no option. Did you mean 'yes'\?"):
        explain_labels(["yes", "no"], ["yes", "no"], label_map)


@pytest.mark.parametrize(
    ("found", "gold", "label_map", "options"),
    [
        (["yes", "no", "dk"], ["no", "yes"], {"dk": "unsure"}, ("no", "unsure", "yes")),
        (["y", "n"], ["yes"], {"y": "yes", "n": "no"}, ("no", "yes")),
        (["y", "m"], ["no", "yes"], {"y": "yes", "n": "no", "m": "maybe"}, ("maybe", "no", "yes")),
        (["yes", "no"], ["no", "yes"], {"yes": "no", "no": "yes"}, ("no", "yes")),
    ],
    ids=["beside the options", "one class", "nobody gave a right answer", "swapped"],
)
def test_maps_that_leave_every_gold_label_within_reach(
    found: list[str], gold: list[str], label_map: dict[str, str], options: tuple[str, ...]
) -> None:
    """Options that are never gold are no slips."""
    meanings = explain_labels(found, gold, label_map)
    assert meanings.options == options
    assert meanings.unexplained == ()


@pytest.mark.parametrize(
    ("label_map", "na_labels", "said"),
    [
        (None, ["yes"], "label 'yes' is in na_labels= as no answer, and it is what can be answered"),
        (None, ["YES"], "label 'yes' is in"),
        (None, [*NA_LABELS, "yes"], "label 'yes' is in"),
        ({"dk": "no"}, ["dk"], "the label map reads it as 'no'. Leave it out of na_labels="),
        (None, ["none"], "label 'none' is in"),
    ],
)
def test_a_label_is_an_answer_or_none(label_map: dict[str, str] | None, na_labels: list[str], said: str) -> None:
    """An option in na_labels was graded as an answer all the same: what the caller asked for was not done."""
    with pytest.raises(InputError, match=said):
        explain_labels(["yes", "no", "none", "dk"], ["yes", "no", "none"], label_map, na_labels=na_labels)


def test_the_usual_unanswered_codes_yield_to_the_key_beside_ones_own() -> None:
    """Adding a code to the default ones must not make an option called none an error."""
    found = explain_labels(["none", "some", "dk"], ["none", "some"], na_labels=[*NA_LABELS, "dk"])
    assert found.entries["none"] == "none"
    assert found.unanswered == ("dk",)
