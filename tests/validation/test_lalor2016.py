"""The study of Lalor, Wu & Yu (2016): what can be tested without its data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt.errors import InputError
from validation.lalor2016 import svg
from validation.lalor2016.__main__ import main
from validation.lalor2016.comparison import Comparison, differing
from validation.lalor2016.explain import Ways, explain_differences, shortened
from validation.lalor2016.html_parts import Markup, page, paragraph, table
from validation.lalor2016.inputs import GOLD, LABELS, PUBLISHED, Study, read_study
from validation.lalor2016.outcome import plain
from validation.lalor2016.paths import Step, authors_removals, authors_step, signed_pairs, walk
from validation.lalor2016.retained import overlap
from validation.lalor2016.systems import patterns
from validation.lalor2016.theirs import distinct_workers, spread


def small_data(folder: Path) -> Path:
    """Six items, two of each class, four workers; the authors removed the second item of each class."""
    folder.mkdir()
    answers = {
        "subject": ["s1", "s2", "s3", "s4"], "e1": list("eeen"), "c1": list("ccnc"), "n1": list("nnne"),
        "e2": list("enee"), "c2": list("cncc"), "n2": ["n", "e", "na", "n"],
    }  # fmt: skip
    frame = pd.DataFrame(answers)
    frame.to_csv(folder / LABELS, index=False)
    classes = {"e": "entailment", "c": "contradiction", "n": "neutral"}
    items = [name for name in frame.columns if name != "subject"]
    pd.DataFrame({"item": items, "gold": [classes[i[0]] for i in items], "pos_in_class": [i[1] for i in items]}).to_csv(
        folder / GOLD, index=False
    )
    pd.DataFrame(
        {
            "item": items,
            "retained": [1 if i[1] == "1" else 0 for i in items],
            "reason_removed": ["" if i[1] == "1" else "communality<.15" for i in items],
        }
    ).to_csv(folder / PUBLISHED, index=False)
    return folder


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return read_study(small_data(tmp_path / "data"))


def test_absent_folder_is_one_line_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever lacks the data must learn where they come from, not read a traceback."""
    out = tmp_path / "out"
    assert main(["--data", str(tmp_path / "nowhere"), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "nowhere" in said
    assert "README.md says where the data come from" in said
    assert not out.exists()


@pytest.mark.parametrize("name", [LABELS, GOLD, PUBLISHED])
def test_absent_file_is_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message that does not say which file is absent sends people guessing."""
    folder = small_data(tmp_path / "data")
    (folder / name).unlink()
    assert main(["--data", str(folder), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert name in said
    assert not (tmp_path / "out").exists()


def test_output_that_is_a_file_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding out after the work that nothing can be written wastes it."""
    monkeypatch.setattr("validation.lalor2016.__main__.need_charts", lambda: None)
    (tmp_path / "out").write_text("kept")
    assert main(["--data", str(small_data(tmp_path / "data")), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "is a file, not a folder" in said
    assert (tmp_path / "out").read_text() == "kept"


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("item,retained\ne1,1\n", "reason_removed"),
        ("item,retained,reason_removed\ne1,1,\n", "each of the labels' items"),
        ("", "not a table"),
    ],
)
def test_unfit_table_of_kept_items_is_refused(content: str, cause: str, tmp_path: Path) -> None:
    """Items silently missing from the authors' list would count as removed by them."""
    folder = small_data(tmp_path / "data")
    (folder / PUBLISHED).write_text(content)
    with pytest.raises(InputError, match=cause):
        read_study(folder)


def test_absent_charts_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without altair the study must say what to install before it works for a minute."""

    def absent(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(svg, "import_module", absent)
    with pytest.raises(InputError, match=r"need altair.*psyirt\[report\]"):
        svg.need_charts()


def test_unanswered_is_wrong_and_names_are_short(study: Study) -> None:
    """Counting "na" as missing gives other parameters than the paper's."""
    assert study.responses.is_complete
    assert study.responses.to_frame().loc["s3", "n2"] == 0
    assert study.short["c2"] == "C2"
    assert study.kept("neutral") == ["n1"]
    assert set(study.removed()) == {"e2", "c2", "n2"}


@pytest.mark.parametrize(
    ("ours", "theirs", "tolerance", "agrees"),
    [(0.705, 0.70, 0.005, True), (2.617, 2.61, 0.005, False), (0.125, 0.120, 0.005, True), (-1.0, 1.0, 0.5, False)],
)
def test_agreement_with_a_printed_number(ours: float, theirs: float, tolerance: float, agrees: bool) -> None:
    """A difference of exactly the tolerance agrees; more is named as a difference in words."""
    each = Comparison("x", ours, theirs, tolerance)
    assert each.agrees is agrees
    assert each.verdict == "agrees" if agrees else each.verdict.startswith("DIFFERS by ")
    assert differing([each]) == ([] if agrees else [each])


def test_numbers_are_shown_with_their_own_digits() -> None:
    """Printing .61 as .610 claims a digit that the paper does not have."""
    kappa = Comparison("kappa", 0.70460, 0.63, 0.005, printed_decimals=2)
    share = Comparison("share", 0.9222, 0.967, 0.0005, percent=True)
    assert (kappa.ours_shown, kappa.theirs_shown, kappa.verdict) == ("0.705", "0.63", "DIFFERS by +0.075")
    assert (share.ours_shown, share.theirs_shown, share.verdict) == ("92.2 %", "96.7 %", "DIFFERS by -4.5 points")


def test_authors_steps_keep_the_order_of_their_scripts() -> None:
    """Replayed in another order, each step would be judged by the wrong fit."""
    reasons = {"a": "visual inspection", "b": "S-X2 item fit (Holm)", "c": "communality<.15", "d": "communality<.15"}
    assert authors_removals(reasons, ["a", "b", "c", "d", "e"]) == [["c", "d"], ["b"], ["a"]]
    with pytest.raises(ValueError, match="weather"):
        authors_step("weather")


def test_walk_refits_after_each_batch(rng: np.random.Generator) -> None:
    """Statistics of a step must come from the items that were still there."""
    theta = rng.normal(size=(300, 1))
    right = rng.random((300, 6)) < 1 / (1 + np.exp(-(1.2 * theta + np.linspace(-1, 1, 6))))
    answers = psyirt.Responses.from_array(right, item_names=list("abcdef"))
    steps = walk(answers, list("abcdef"), [["b"], ["d", "e"]])
    assert [list(step.table.index) for step in steps] == [list("abcdef"), list("acdef"), list("acf")]
    assert [step.removed for step in steps] == [("b",), ("d", "e"), ()]
    alone = psyirt.item_fit(psyirt.fit_mml(answers.select(items=list("acf")), "2PL")).frame
    assert np.allclose(steps[2].table["s_x2"], alone["statistic"], equal_nan=True)
    assert steps[0].table.loc["a", "ld"] == steps[0].pairs["ld"][["a" in pair for pair in steps[0].pairs.index]].max()


def test_pairs_less_associated_than_expected_come_last() -> None:
    """A large negative dependence is no reason to remove an item under the paper's rule."""
    index = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")], names=["item_1", "item_2"])
    frame = pd.DataFrame(
        {"statistic": [-20.0, 5.0], "standardized": [13.4, 2.8], "cramers_v": [-0.2, 0.1], "p_adjusted": [0.0, 0.1]},
        index=index,
    )
    assert signed_pairs(frame)["ld"].tolist() == [2.8, -13.4]


def step(number: int, removed: tuple[str, ...], **items: tuple[float, float, float, str]) -> Step:
    """A step in which each item has communality, Holm p, LD and partner."""
    rows = {
        item: {"communality": h, "s_x2": 30.0, "df": 20.0, "p": p / 4, "p_adjusted": p, "ld": ld, "ld_with": other}
        for item, (h, p, ld, other) in items.items()
    }
    return Step(number, removed, pd.DataFrame.from_dict(rows, orient="index"), pd.DataFrame())


def test_each_difference_is_explained_by_its_own_statistic(study: Study) -> None:
    """An item removed for flatness must be explained by its communality, one we removed by our own reason."""
    ours = [
        step(1, ("c1",), c1=(0.5, 0.01, 3.0, "c2"), c2=(0.149, 0.5, 12.0, "c1")),
        step(2, (), c2=(0.16, 0.6, 1.0, "c2")),
    ]
    theirs = [
        step(1, ("c2",), c1=(0.5, 0.01, 3.0, "c2"), c2=(0.149, 0.5, 12.0, "c1")),
        step(2, (), c1=(0.4, 0.2, 9.5, "c1")),
    ]
    history = pd.DataFrame({"item": ["c1"], "rule": ["poor fit"], "iteration": [1], "reason": ["p 0.01 with c2"]})
    ways = Ways(psyirt.rules.PRESETS["lalor2016"], ours, theirs, study.short)
    found = explain_differences(study, {"c2"}, history, ways)
    assert [(each.short, each.kept_by) for each in found] == [("C1", "authors"), ("C2", "psyirt")]
    assert found[0].reason == "poor fit, round 1: p 0.01 with C2"
    assert "3.0 with C2, 9.5 with C1" in found[0].explanation
    assert found[1].reason == "communality<.15"
    assert "0.149, 0.160; these rules remove below 0.15" in found[1].explanation


def test_short_names_replace_whole_names() -> None:
    """Item names on the page are the short ones, wherever a reason mentions them."""
    assert shortened("with 24.jpg#1r1c: X2 9", {"24.jpg#1r1c": "C3"}) == "with C3: X2 9"


def test_overlap_counts() -> None:
    """Jaccard over what either side keeps, not over all items."""
    counts = overlap(list("abcdef"), {"a", "b", "c"}, {"b", "c", "d"})
    assert (counts.given, counts.ours, counts.theirs, counts.both, counts.jaccard) == (6, 3, 3, 2, 0.5)


def test_spread_takes_the_widest_common_score() -> None:
    """One odd worker at a rare score must not stand for the crowd; reversed pairs are counted by hand."""
    right = pd.Series([1, 2, 2, 3, 3, 3])
    theta = pd.Series([-1.0, 0.0, 0.9, -0.2, 0.4, 1.0])
    found = spread(right, theta, fewest=3)
    assert (found.correct, found.n, found.low, found.high) == (3, 3, -0.2, 1.0)
    # 11 pairs differ in number correct; reversed: 2 right over 3 right in (0, -.2), (.9, -.2), (.9, .4)
    assert found.reversed_share == pytest.approx(3 / 11)


def test_equal_workers_are_one_circle() -> None:
    """Abilities that differ in the last digits only are one point with two workers."""
    table = distinct_workers(pd.Series([2, 2, 3]), pd.Series([0.5, 0.5 + 1e-13, 0.5]))
    assert table.to_dict("list") == {"correct": [2, 3], "theta": [0.5, 0.5], "n": [2, 1]}


def test_patterns_with_few_wrong() -> None:
    """Leaving a pattern out could hide a second set of answers with the printed ability."""
    found = patterns(5, 2)
    assert found.shape == (1 + 5 + 10, 5)
    assert len({tuple(row) for row in found.tolist()}) == 16
    assert found[0].all()
    assert (5 - found.sum(axis=1) <= 2).all()


def test_text_is_escaped_and_markup_is_not() -> None:
    """A reason such as communality<.15 must not open a tag."""
    assert paragraph("a < b & c", Markup("<b>d</b>")) == "<p>a &lt; b &amp; c<b>d</b></p>"
    made = table("T", ["x #", "y ~"], [[1, "communality<.15"]], stacked=True)
    assert '<td data-head="x" class="number">1</td>' in made
    assert "communality&lt;.15" in made
    assert "<script" not in page("t", [paragraph("<script>")])


def test_pictures_do_not_share_names() -> None:
    """Two pictures with one clip path's id on a page cut each other off."""
    source = '<svg width="20" height="10" viewBox="0 0 20 10"><clipPath id="clip1"/><g clip-path="url(#clip1)"/></svg>'
    made = svg.inline(source, "one", "a < b")
    assert 'id="one-clip1"' in made
    assert "url(#one-clip1)" in made
    assert '<title id="one-title">a &lt; b</title>' in made
    assert 'viewBox="0 0 20 10"' in made


def test_results_are_plain_json() -> None:
    """NaN and infinity are no JSON; numbers keep ten digits."""
    frame = pd.DataFrame({"value": [1 / 3, np.nan, np.inf]}, index=pd.Index(list("abc"), name="item"))
    found = plain({("x", "y"): frame, "flag": np.True_, "comparison": Comparison("k", 1.0, 2.0, 0.1)})
    rows = found["x / y"]
    assert rows[0] == {"item": "a", "value": 0.3333333333}
    assert [row["value"] for row in rows[1:]] == [None, None]
    assert json.loads(json.dumps(found, allow_nan=False))["flag"] is True
    with pytest.raises(TypeError, match="set"):
        plain({1, 2})
