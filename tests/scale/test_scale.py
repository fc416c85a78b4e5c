"""What a scale holds when it is made."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.scale.build import build_scale
from psyirt.scale.files import load_scale
from psyirt.scale.options import BuildOptions
from psyirt.scale.scale import Scale
from tests.scale.made import ITEMS, KEY, answers, calibration, crowd, scale


def test_parameters_are_the_calibrations() -> None:
    """A scale that reorders or rounds parameters scores systems on other items than were calibrated."""
    expected = calibration().items
    pd.testing.assert_frame_equal(
        scale().items[["a", "b", "c", "d", "intercept", "se_a", "se_b"]],
        expected[["a", "b", "c", "d", "intercept", "se_a", "se_b"]],
        check_index_type=False,
        check_column_type=False,
    )
    assert scale().item_parameters is calibration().item_parameters
    np.testing.assert_allclose(scale().covariance, calibration().cov_params("louis"), rtol=1e-9)
    assert list(scale().covariance.index) == list(calibration().layout.names)


def test_what_is_known_of_the_items_is_kept() -> None:
    """A key or text moved by one row grades every later prediction against the wrong gold label."""
    made = Scale.from_calibration(calibration(), name="x", key=dict(reversed(KEY.items())), item_text={"q3": "three"})
    assert made.key == KEY
    assert made.items.loc["q3", "text"] == "three"
    assert made.items["text"].isna().sum() == len(ITEMS) - 1
    assert made.n_options == {}


@pytest.mark.parametrize(("given", "expected"), [(None, 3), (4, 4), (dict.fromkeys(ITEMS, 2), 2)])
def test_option_counts(given: object, expected: int) -> None:
    """The random baseline of a three-way task is not that of a two-way one."""
    made = Scale.from_calibration(
        calibration(), name="x", label_set=("yes", "no", "maybe"), n_options=given, key=KEY
    )  # fmt: skip
    assert set(made.n_options.values()) == {expected}
    assert len(made.n_options) == len(ITEMS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key": {"q99": "yes"}}, "q99"),
        ({"key": KEY, "label_set": ("yes", "no")}, "'maybe' is not in the label set"),
        ({"n_options": 1}, "1 options"),
        ({"n_options": {"q1": 2.5}}, "2.5 options"),
        ({"statistics": pd.DataFrame({"x": [1.0]}, index=["q99"])}, "q99"),
        ({"statistics": pd.DataFrame({"a": 1.0}, index=list(ITEMS))}, "'a' occurs more than once"),
        ({"options": {"fit": object()}}, "options.fit"),
    ],
)
def test_what_cannot_be_kept_is_refused(arguments: dict[str, object], message: str) -> None:
    """Details dropped in silence are missed only when the scale is used, by somebody else."""
    with pytest.raises(InputError, match=message) as caught:
        Scale.from_calibration(calibration(), name="x", **arguments)
    assert "\n" not in str(caught.value)


def test_frozen() -> None:
    """A scale edited through a table it handed out would score differently from its own file."""
    made = Scale.from_calibration(calibration(), name="x")
    handed_out = made.items
    handed_out.loc["q1", "a"] = 99.0
    assert made.items.loc["q1", "a"] != 99.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "y"  # type: ignore[misc]


def test_provenance_has_no_clock_and_names_the_data() -> None:
    """The same build must give the same file; another crowd must not."""
    first = Scale.from_calibration(calibration(), name="x", options=MMLOptions())
    second = Scale.from_calibration(fit_mml(crowd()), name="x", options=MMLOptions())
    assert first.provenance == second.provenance
    assert first.provenance["data_digest"] == f"sha256:{crowd().digest}"
    assert first.provenance["options"]["tolerance"] == 1e-5
    assert first.provenance["model"] == "2PL"


def test_summary_begins_with_quality() -> None:
    """The reach and ceiling of a scale come before anything a reader might take for a score."""
    lines = scale().summary().splitlines()
    assert lines[1 : 1 + len(scale().quality.lines())] == scale().quality.lines()
    text = repr(scale())
    assert "students, unpaid" in text
    assert "2 items left on the way" in text
    assert "caution" not in text
    assert "&lt;" not in scale()._repr_html_().split("<table", 1)[1]


def test_one_class_scale_says_that_its_label_is_perfect() -> None:
    """On a scale of one class a system that always answers it looks like a genius."""
    made = Scale.from_calibration(calibration(), name="x", key=dict.fromkeys(ITEMS, "yes"), label_set=("yes", "no"))
    assert "always answering 'yes' is right on every item" in made.summary()


def test_scale_from_fixed_parameters_has_no_crowd() -> None:
    """Published parameters make a scale, but percentiles of a crowd that is not there must not be invented."""
    items = pd.DataFrame({"a": [1.0, 1.5, 0.7], "b": [-1.0, 0.0, 1.0]}, index=["x", "y", "z"])
    made = Scale.from_calibration(fix(items), name="published")
    assert made.crowd is made.histogram is made.normality is made.covariance is None
    table = made.score(Responses.from_array([[1, 0, 1]], item_names=["x", "y", "z"]))
    assert np.isnan(table["crowd_percentile"]).all()
    assert np.isfinite(table["percentile"]).all()
    assert "no crowd" in made.summary()


def test_several_abilities_are_refused() -> None:
    """One theta cannot stand for two abilities."""
    two = fix(pd.DataFrame({"a1": [1.0, 0.5, 1.0], "a2": [0.5, 1.0, 0.2], "intercept": 0.0}, index=["x", "y", "z"]))
    with pytest.raises(InputError, match="2 abilities"):
        Scale.from_calibration(two, name="x")


def test_scale_is_a_measure() -> None:
    """psyirt.score and a scale's own score must agree on theta."""
    from psyirt.scoring.abilities import score

    given = answers("11110000", "10101010")
    pd.testing.assert_frame_equal(score(scale(), given), scale().score(given)[["theta", "se"]], rtol=1e-12)


def test_statistics_handed_over_reach_the_scale_item_by_item(tmp_path: Path) -> None:
    """A table in another order, or left out, puts one item's misfit beside another's name."""
    given = pd.DataFrame({"s_x2": np.linspace(1.0, 8.0, 8), "flag": [True] + [False] * 7}, index=list(ITEMS))
    made = Scale.from_calibration(calibration(), name="x", statistics=given.iloc[[3, 1, 7, 0, 2, 6, 5]])
    made.save(tmp_path / "x.json")
    for one in (made, load_scale(tmp_path / "x.json")):
        items = one.items
        assert items["s_x2"].drop("q5").to_dict() == given["s_x2"].drop("q5").to_dict()
        assert np.isnan(items.loc["q5", "s_x2"])
        assert bool(items.loc["q1", "flag"]) is True
        assert bool(items.loc["q2", "flag"]) is False


def test_a_build_hands_its_evidence_to_the_scale() -> None:
    """What an item was kept for must be found beside it: communality, S-X2 and its p."""
    group = build_scale(crowd(), options=BuildOptions(test_guessing=False)).groups["all"]
    assert group.scale is not None
    assert group.evidence is not None
    expected = group.evidence.statistics
    assert {"s_x2", "df", "p", "p_adjusted", "rmsea", "communality"} <= set(expected.columns)
    pd.testing.assert_frame_equal(
        group.scale.items[list(expected.columns)].astype(float), expected.astype(float), check_index_type=False,
        check_column_type=False,
    )  # fmt: skip


def test_only_a_calibration_makes_a_scale() -> None:
    with pytest.raises(InputError, match="calibration is a Responses"):
        Scale.from_calibration(crowd(), name="x")  # type: ignore[arg-type]
