"""Wrong keys and wrong label maps are told of: without a word they look like a hard test."""

from __future__ import annotations

import pandas as pd
import pytest

from psyirt.data.labels import CrowdLabels
from psyirt.errors import DataWarning, InputError

KEY = {"q1": "entailment", "q2": "neutral", "q3": "contradiction", "q4": "neutral", "q5": "neutral"}
RIGHT = {"entailment": "e", "neutral": "n", "contradiction": "c"}
MAP = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def crowd(gold: dict[str, str], workers: int = 30) -> CrowdLabels:
    """Workers who answer every item of KEY rightly, but for each tenth."""
    answers = {item: [RIGHT[label]] * workers for item, label in KEY.items()}
    answers["q1"] = ["e" if k % 10 else "c" for k in range(workers)]
    return CrowdLabels.from_frame(pd.DataFrame(answers, index=[f"w{k}" for k in range(workers)]), gold=gold)


def test_a_swapped_label_map_is_told_of() -> None:
    """Two classes swapped in the map grade the crowd worse than chance: nothing else would show it."""
    swapped = {"e": "neutral", "n": "entailment", "c": "contradiction"}
    with pytest.warns(DataWarning, match=r"'entailment' \(0\.0% of 30 answers, chance 33\.3%\), 'neutral'.*label map"):
        responses = crowd(KEY).grade(swapped)
    assert any("less often than by chance" in note and "'contradiction'" not in note for note in responses.notes)


def test_a_right_key_and_a_few_unlucky_answers_are_no_reason() -> None:
    """A warning on sound data, or on three answers, would be learnt to be ignored."""
    assert not any("chance" in note for note in crowd(KEY).grade(MAP).notes)
    few = CrowdLabels.from_frame(
        pd.DataFrame({"q1": ["e", "c", "c"], "q2": ["n", "c", "n"]}), gold={k: KEY[k] for k in ("q1", "q2")}
    )
    assert not any("chance" in note for note in few.grade(MAP).notes)


def test_a_gold_label_that_nobody_answers_is_named_with_its_neighbour() -> None:
    """A typo in the key makes every answer to its items wrong."""
    with pytest.warns(DataWarning, match=r"'netural' was never answered \(did you mean 'neutral'\?\)"):
        responses = crowd(KEY | {"q4": "netural"}).grade(MAP)
    assert sum("netural" in note for note in responses.notes) == 1


def test_a_misspelt_gold_label_is_blamed_and_not_a_worker() -> None:
    """ "n" begins both "neutral" and "netural": the error must lead to the key, where the slip is."""
    with pytest.raises(InputError, match=r"^item 'q4': gold label 'netural' looks like a misspelling of 'neutral'"):
        crowd(KEY | {"q4": "netural"}).grade()


def test_a_gold_label_misspelt_throughout_is_blamed_too() -> None:
    """Workers who answer whole words meet a key that never has theirs."""
    words = crowd(KEY).to_frame().replace(MAP)
    with pytest.raises(InputError, match=r"item 'q2', the first of 3: gold label 'netural' .* 'neutral'"):
        CrowdLabels.from_frame(words, gold=pd.Series(KEY).replace({"neutral": "netural"})).grade()


def test_two_real_labels_that_a_code_begins_are_no_misspelling() -> None:
    """ "n" for neutral or negative is the label map's matter: the key is right."""
    labels = CrowdLabels.from_frame(pd.DataFrame({"q1": ["n", "n"], "q2": ["n", "n"], "q3": ["n", "n"]}))
    with pytest.raises(InputError, match="label 'n' stands for no option"):
        labels.with_gold({"q1": "neutral", "q2": "negative", "q3": "neutral"}).grade()
