"""Attention checks: who goes, why, and what stays."""

from __future__ import annotations

import pandas as pd
import pytest

from psyirt.data.attention import AttentionRule
from psyirt.data.labels import CrowdLabels
from psyirt.errors import DataWarning, InputError

GOLD = {"q1": "yes", "q2": "no", "check1": "yes", "check2": "no", "check3": "yes"}


def crowd() -> CrowdLabels:
    answers = {
        "ann": ["y", "n", "y", "n", "y"],
        "bob": ["y", "n", "y", "y", "n"],
        "cyd": ["n", "n", "y", "na", "y"],
        "dee": ["n", "y", "y", None, None],
    }
    return CrowdLabels.from_frame(pd.DataFrame.from_dict(answers, orient="index", columns=list(GOLD)), gold=GOLD)


def test_failing_workers_leave_with_a_reason() -> None:
    """Whoever is removed must be named with what they did, and nobody else may go."""
    result = crowd().screen(AttentionRule(["check1", "check2", "check3"], min_correct=2))
    assert result.removed.index.tolist() == ["bob", "dee"]
    assert result.removed.loc["bob"].tolist() == ["1 of 3 attention items right", 1.0, 2.0]
    assert result.removed.loc["dee", "reason"] == "1 of 1 attention items right"
    assert result.kept.worker_names == ("ann", "cyd")
    assert result.kept.item_names == ("q1", "q2")
    assert "2 of 4 workers fail the attention checks and are removed" in result.kept.grade().notes


def test_a_share_counts_what_was_presented() -> None:
    """A worker shown one check and right on it passes a share; an unanswered check is not right."""
    result = crowd().screen(AttentionRule(["check1", "check2", "check3"], min_share=0.7))
    assert result.removed.index.tolist() == ["bob", "cyd"]
    assert result.removed["value"].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_options_survive_the_loss_of_the_attention_items() -> None:
    """A label whose only gold was an attention item must still be an answer."""
    gold = {"q1": "yes", "check": "no"}
    labels = CrowdLabels.from_frame(pd.DataFrame({"q1": ["y", "n"], "check": ["n", "n"]}, index=["a", "b"]), gold=gold)
    kept = labels.screen(AttentionRule(["check"], min_correct=1)).kept
    assert kept.grade().to_frame()["q1"].tolist() == [1, 0]
    assert kept.grade().item_info["n_options"].tolist() == [2]


def test_a_worker_without_any_check_stays_and_is_told() -> None:
    """Nothing is known of their attention: that is a warning, not a failure."""
    answers = crowd().to_frame()
    answers.loc["dee", "check1"] = None
    labels = CrowdLabels.from_frame(answers, gold=GOLD)
    with pytest.warns(DataWarning, match="1 worker was shown no attention item, the first is 'dee'"):
        result = labels.screen(AttentionRule(["check1", "check2", "check3"], min_correct=1))
    assert "dee" in result.kept.worker_names


def test_nobody_removed_gives_an_empty_table() -> None:
    """The columns are there for whoever prints the table."""
    removed = crowd().screen(AttentionRule("check1", min_share=1)).removed
    assert list(removed.columns) == ["reason", "value", "threshold"]
    assert removed.index.name == "worker"
    assert len(removed) == 0


def test_impossible_screens_are_refused() -> None:
    """Unknown checks, checks without gold, and a crowd of which nobody passes stop the work."""
    with pytest.raises(InputError, match="attention item 'check9' is not among the items"):
        crowd().screen(AttentionRule(["check9"], min_correct=1))
    with pytest.raises(InputError, match="every item is an attention item"):
        crowd().screen(AttentionRule(list(GOLD), min_correct=1))
    keyless = CrowdLabels.from_frame(crowd().to_frame(), gold={"q1": "yes", "q2": "no"})
    with pytest.raises(InputError, match="attention item 'check1' has no gold"):
        keyless.screen(AttentionRule(["check1"], min_correct=1))
    wrong = crowd().with_gold({**GOLD, "check1": "no"})
    with pytest.raises(InputError, match="no worker passes"):
        wrong.screen(AttentionRule(["check1"], min_correct=1))


@pytest.mark.parametrize(
    "arguments",
    [
        {"items": [], "min_correct": 1},
        {"items": ["a", "a"], "min_correct": 1},
        {"items": ["a"]},
        {"items": ["a"], "min_correct": 1, "min_share": 0.5},
        {"items": ["a"], "min_correct": 2},
        {"items": ["a"], "min_correct": 0},
        {"items": ["a"], "min_share": 70.0},
    ],
)
def test_rules_that_mean_nothing_are_refused(arguments: dict[str, object]) -> None:
    """A rule nobody can fail, or nobody can pass, is a slip."""
    with pytest.raises(InputError):
        AttentionRule(**arguments)  # type: ignore[arg-type]
