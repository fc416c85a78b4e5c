"""Texts of options: what they mean, and that a slip in them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from psyirt.cli.arguments import columns, na_words, pairs, reasons, refuse_existing, refuse_idle, refuse_same, words
from psyirt.errors import InputError


def test_pairs_join_repeated_options() -> None:
    """A label map split over two options must not lose its first half."""
    assert pairs(["e=entailment, n=neutral", "c=contradiction"], "--label-map") == {
        "e": "entailment",
        "n": "neutral",
        "c": "contradiction",
    }
    assert pairs(None, "--label-map") is None


def test_reasons_keep_commas_and_equals_signs() -> None:
    """A reason cut at its first comma would stand in the history for ever."""
    assert reasons(["q7=key was wrong, see note a=b"], "--exclude") == {"q7": "key was wrong, see note a=b"}


@pytest.mark.parametrize("text", ["e", "e=", "=entailment", "e=x,,n=y", "e=x,e=y", ""])
def test_slips_in_pairs_are_refused(text: str) -> None:
    """A half-read map grades answers wrong without a word."""
    with pytest.raises(InputError, match="--label-map"):
        pairs([text], "--label-map")


def test_words_refuse_empty_names() -> None:
    """A trailing comma must not become an item called nothing."""
    assert words(["a, b", "c"], "--options") == ["a", "b", "c"]
    with pytest.raises(InputError, match="--options"):
        words(["a,"], "--options")


def test_unknown_kinds_of_column_are_refused() -> None:
    """A misspelt kind must not be ignored."""
    assert columns(["worker=who"], ("worker", "item")) == {"worker": "who"}
    with pytest.raises(InputError, match="'wroker' is no kind of column"):
        columns(["wroker=who"], ("worker", "item"))


def test_options_without_effect_are_refused() -> None:
    """An option that is read and has no effect lets a user believe that it had."""
    refuse_idle(None, "--seed", "--holdout")
    with pytest.raises(InputError, match="--seed"):
        refuse_idle(0, "--seed", "--holdout")


def test_existing_files_need_force(tmp_path: Path) -> None:
    """A long fit must not end by overwriting yesterday's, nor fail only when it writes."""
    there = tmp_path / "items.csv"
    there.write_text("precious")
    refuse_existing(there, force=True)
    refuse_existing(tmp_path / "new.csv", force=False)
    refuse_existing(None, force=False)
    for path, force in ((there, False), (tmp_path, True), (tmp_path / "absent" / "x.csv", True)):
        with pytest.raises(InputError):
            refuse_existing(path, force)


def test_a_link_needs_the_folder_it_points_into(tmp_path: Path) -> None:
    """A link into a folder that is gone must be told before the work, not after it."""
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "gone" / "items.csv")
    with pytest.raises(InputError, match="folder does not exist"):
        refuse_existing(link, force=True)
    (tmp_path / "gone").mkdir()
    refuse_existing(link, force=False)


def test_two_results_in_one_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second would replace the first; a link or another way of writing the path changes nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(tmp_path / "x.csv")
    refuse_same({"--out": Path("x.csv"), "--abilities": Path("y.csv"), "--third": None, "--fourth": None})
    for other in ("x.csv", "./x.csv", tmp_path / "x.csv", "link.csv"):
        with pytest.raises(InputError, match=r"--abilities .*: names the same file as --out"):
            refuse_same({"--out": Path("x.csv"), "--abilities": Path(other)})


def test_the_empty_label_always_means_unanswered() -> None:
    """It cannot be written in an option, so an option must not take it away."""
    assert na_words(["dk,?"]) == ["", "dk", "?"]
    assert na_words(None) is None
