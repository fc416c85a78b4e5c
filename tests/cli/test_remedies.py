"""Messages name the flags of the command at hand, and nothing else changes in them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import psyirt
from psyirt.cli import build, demo, fit, remedies, score
from psyirt.cli.remedies import Vocabulary, vocabulary_of
from psyirt.data.labels import CrowdLabels
from psyirt.errors import ConvergenceWarning, InputError, PsyirtError, PsyirtWarning
from tests.cli.conftest import Run, one_line_error

BUILD = vocabulary_of(build.build_command, build.COLUMNS)
SCORE = vocabulary_of(score.score_command, score.COLUMNS)
FIT = vocabulary_of(fit.fit_command, fit.COLUMNS)


@pytest.mark.parametrize(
    ("words", "text", "said"),
    [
        (BUILD, "Give gold= (a table)", "Give --gold (a table)"),
        (BUILD, "leave them out with only_gold=True", "leave them out with --only-gold"),
        (BUILD, "or name its encoding, e.g. encoding='latin-1'", "or name its encoding, e.g. --encoding latin-1"),
        (BUILD, "encoding= does not apply", "--encoding does not apply"),
        (BUILD, "min_correct=7 for 5 attention items", "--attention-correct 7 for 5 attention items"),
        (BUILD, "min_share=1.5 is no share", "--attention-share 1.5 is no share"),
        (BUILD, "name the right column with worker=", "name the right column with --columns worker=COLUMN"),
        (SCORE, "name the right column with worker=", "name the right column with --columns system=COLUMN"),
        (FIT, "give subject='n1'; list", "give --columns subject=n1; list"),
        (SCORE, "use population='normal'", "use --population normal"),
        (SCORE, "give force=True (--force on the command line) if", "give --force if"),
        (FIT, "Raise MMLOptions(max_iterations=), or", "Raise --max-iterations, or"),
        (FIT, "in missing=, leave columns out with ignore=, or", "in --missing, leave columns out with --ignore, or"),
        (FIT, "or read labels with read_labels and grade", "or grade labels with psyirt build"),
        (FIT, "name one with label=", "name one with label= in Python"),
        (SCORE, "the right delimiter=", "the right delimiter= in Python"),
        (Vocabulary(), "Give gold=", "Give gold= in Python"),
    ],
)  # fmt: skip
def test_keywords_become_flags(words: Vocabulary, text: str, said: str) -> None:
    """Somebody who typed a command cannot type gold=, and must not be told of a flag that is not there."""
    assert words.said(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "'gold=' is not of the form NAME=VALUE",
        "Write for example e=entailment",
        "Give one such as item=entailment,label=neutral",
        "priors={'a': psyirt.priors.LogNormal(0, 0.5)}",
        "give --columns worker=COLUMN",
        "label 'x' stands for no option",
        "p_missing='x'",
    ],
)
def test_other_texts_stay(text: str) -> None:
    """What a user typed, and labels that look like keywords, must be quoted as they are."""
    assert BUILD.said(text) == text


@pytest.mark.parametrize("words", [FIT, BUILD], ids=["fit", "build"])
def test_remedies_name_a_prior_that_the_command_can_give(words: Vocabulary) -> None:
    """psyirt fit has no priors=, and psyirt build no way to give one at all: it is told as Python's."""
    pattern = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1], [1, 1, 1, 1, 0]] * 20
    with pytest.warns(ConvergenceWarning, match="runs away") as caught:
        psyirt.fit_mml(psyirt.Responses.from_array(pattern))
    said = words.said(str(caught[0].message))
    assert ("--slope-prior 0,0.5" in said) == (words is FIT)
    assert ("in Python" in said) == (words is BUILD)
    limit = "Raise MMLOptions(max_iterations=), or give priors."
    assert FIT.said(limit) == "Raise --max-iterations, or give --slope-prior."


def test_the_place_stays() -> None:
    """A file may be called as it likes."""
    assert FIT.line(InputError("is bad", "gold= 1.csv", "Use missing=")) == "gold= 1.csv: is bad. Use --missing."


def test_flags_are_those_of_the_command() -> None:
    """A list of flags kept by hand would soon name one that is gone."""
    assert {"--gold", "--only-gold", "--na-labels", "--attention-share", "--encoding", "--out", "-o"} <= set(
        BUILD.flags
    )
    assert {"--graded", "--labels", "--non-answer"} <= set(SCORE.flags)
    assert "--gold" not in SCORE.flags
    assert {"--missing", "--ignore", "--format"} <= set(FIT.flags)
    assert "--workers" in vocabulary_of(demo.demo_command).flags


def _labels(key: dict[str, str] | None = None) -> CrowdLabels:
    return CrowdLabels.from_frame(pd.DataFrame({"q1": ["y", "n"], "q2": ["y", "dunno"]}), gold=key)


def _read(name: str, content: str, read: Callable[..., object] = psyirt.read_responses, **options: object) -> object:
    """Read a file made for the occasion in the folder of the test."""
    Path(name).write_text(content, encoding="latin-1")
    return read(name, **options)


def _parquet(**options: object) -> object:
    pd.DataFrame({"subject": ["a"], "q1": [1], "q2": [0]}).to_parquet("x.parquet")
    return psyirt.read_responses("x.parquet", **options)  # type: ignore[arg-type]


def _fit() -> psyirt.Calibration:
    data = psyirt.simulate_responses(subjects=200, items=4, seed=1).responses
    return psyirt.fit_mml(data, options=psyirt.MMLOptions(max_iterations=1))


def _score_without_crowd() -> object:
    items = pd.DataFrame({"a": 1.0, "b": 0.0}, index=list("abc"))
    scale = psyirt.Scale.from_calibration(psyirt.fix(items, "2PL"), name="x")
    return scale.score(psyirt.Responses.from_array([[1, 0, 1]], item_names=list("abc")), population="histogram")


def _unjudged() -> object:
    frame = pd.DataFrame({"q1": ["yes", None], "q2": ["no", "no"]})
    return CrowdLabels.from_frame(frame, gold={"q1": "yes", "q2": "no"}).screen(psyirt.AttentionRule(["q1"], 1))


WIDE, LONG, KEY = "subject,q1,q2\na,1,x\n", "subject,item,response\na,q1,x\n", {"q1": "yes", "q2": "no"}
EDITED = '{"schema": "psyirt.scale", "version": 1, "digest": "", "scales": []}'
SAID: dict[str, Callable[[], object]] = {
    "adjust": lambda: psyirt.BuildOptions(adjust="bonferroni"),
    "delimiter": lambda: _parquet(delimiter=";"),
    "encoding": lambda: _read("x.csv", "subject,é,q2\na,1,0\n"),
    "force": lambda: _read("scale.json", EDITED, psyirt.load_scale),
    "format": lambda: _parquet(format="py-irt"),
    "gold": lambda: _labels().grade(),
    "ignore": lambda: _read("x.csv", WIDE),
    "label_map": lambda: _labels({"q1": "wahr", "q2": "falsch"}).grade(),
    "max_iterations": lambda: psyirt.MMLOptions(max_iterations=0),
    "memory": lambda: psyirt.fit_mml(psyirt.simulate_responses(subjects=60, items=4, seed=1).responses, memory=1),
    "missing": lambda: _read("x.csv", WIDE),
    "na_labels": lambda: _labels(KEY).grade(),
    "only_gold": lambda: _labels({"q1": "yes"}).grade({"y": "yes", "n": "no", "dunno": "no"}),
    "options": lambda: _labels(KEY).grade(),
    "population": _score_without_crowd,
    "seed": lambda: psyirt.simulate_crowd_study(seed=-1),
    "tolerance": lambda: psyirt.MMLOptions(tolerance=-1),
    "workers": lambda: psyirt.simulate_crowd_study(workers=0, seed=1),
    "min_correct": lambda: psyirt.AttentionRule(["q1"], min_correct=2),
    "min_share": lambda: psyirt.AttentionRule(["q1"], min_share=2),
    "subject": lambda: _read("x.csv", "who,q1\na,1\n"),
    "worker": lambda: _read("x.csv", "who,q1\na,y\n", psyirt.read_labels),
    "item": lambda: _read("x.csv", "subject,q,response\na,b,1\n", format="long"),
    "label": lambda: _read("x.csv", "worker,item,x\na,b,y\n", psyirt.read_labels, format="long"),
    "response": lambda: _read("x.csv", "subject,item,x\na,b,1\n", format="long"),
    "force=True (--force on the command line)": lambda: _read("scale.json", EDITED, psyirt.load_scale),
    "MMLOptions(max_iterations=)": _fit,
    "read labels with read_labels and grade": lambda: _read("x.csv", LONG),
    "read it with read_labels and grade it": lambda: _read("x.csv", "worker,item,label\na,q1,e\n"),
    "Graded responses: use read_responses": lambda: _read("x.json", "{}", psyirt.read_labels),
    "; remove them with select() if they should not": _unjudged,
}
EVERY_WORD = Vocabulary(frozenset(remedies.FLAGS.values()), remedies.COLUMNS)


def test_every_translation_has_a_message() -> None:
    """A translation of words that are no longer said keeps no promise: each needs an action that makes them be said."""
    assert set(SAID) == {*remedies.FLAGS, *remedies.COLUMNS, *remedies.PHRASES}


@pytest.mark.parametrize("said", SAID)
def test_every_translation_is_of_what_the_library_says(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's wording may change; its messages would then reach the command line in Python's words."""
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PsyirtWarning)
        with pytest.raises((PsyirtError, PsyirtWarning)) as caught:
            SAID[said]()
    if said in remedies.PHRASES:
        assert said in str(caught.value)
        return
    error = caught.value
    line = EVERY_WORD.line(error) if isinstance(error, PsyirtError) else EVERY_WORD.said(str(error))
    column = "subject" if said == "worker" else said  # what names the rows goes by the command's own word
    words = f"--columns {column}=" if said in remedies.COLUMNS else remedies.FLAGS[said]
    assert words in line
    assert f"{said}=" not in line.replace(words, "")


@pytest.mark.parametrize(
    ("labels", "gold", "arguments"),
    [
        ("worker,q1,q2\nw,y,n\n", None, ()),
        ("worker,q1,q2\nw,y,maybe\n", "item,gold\nq1,yes\nq2,no\n", ()),
        ("worker,q1,q2\nw,y,y\n", "item,gold\nq1,yes\n", ()),
        ("who,q1,q2\nw,y,y\n", "item,gold\nq1,yes\n", ()),
        ("who,q1,q2\nw,y,y\n", "item,gold\nq1,yes\n", ("--columns", "item=q1")),
        ("worker,q1,q2\nw,y,y\n", "item,answer_is\nq1,yes\n", ()),
        ("worker,q1,q2\nw,y,é\n", "item,gold\nq1,yes\n", ()),
        ("worker,q1,q2\nw,y,y\n", "item,gold\nq1,yes\nq2,yes\n", ("--attention", "q1", "--attention-share", "2")),
    ],
)
def test_errors_of_a_build_name_its_flags(run: Run, labels: str, gold: str | None, arguments: tuple[str, ...]) -> None:
    """The errors a newcomer meets first: none of them may send them to Python."""
    Path("labels.csv").write_text(labels, encoding="latin-1")
    key: tuple[str, ...] = ()
    if gold is not None:
        Path("gold.csv").write_text(gold)
        key = ("--gold", "gold.csv")
    line = one_line_error(run("build", "labels.csv", *key, "--out", "scales", *arguments))
    assert "in Python" not in line
    flags = {flag.rstrip(".,") for flag in re.findall(r"--[a-z-]+", line)}
    assert flags <= set(BUILD.flags)
    assert "=" not in line.replace("=COLUMN", "")
