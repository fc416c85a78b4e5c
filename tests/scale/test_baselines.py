"""What answering without looking scores."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import DataWarning, InputError
from psyirt.scale.scale import Scale
from psyirt.scale.scoring import COLUMNS
from tests.scale.made import ITEMS, KEY, calibration, scale


def test_constant_labels_are_graded_with_the_key() -> None:
    """A baseline graded by the wrong key would flatter or shame every system beside it."""
    table = scale().baselines()
    assert list(table.index) == ["always yes", "always no", "always maybe", "random"]
    assert list(table.columns) == [*COLUMNS, "note"]
    for label in ("yes", "no", "maybe"):
        graded = [[float(KEY[item] == label) for item in ITEMS]]
        expected = scale().score(Responses.from_array(graded, item_names=ITEMS)).iloc[0]
        pd.testing.assert_series_equal(
            table.loc[f"always {label}", list(COLUMNS)], expected, check_names=False, check_dtype=False
        )


def test_one_class_makes_its_label_perfect_and_says_so() -> None:
    """Without the note a reader would credit the constant baseline with understanding."""
    made = Scale.from_calibration(calibration(), name="x", key=dict.fromkeys(ITEMS, "yes"), label_set=("yes", "no"))
    table = made.baselines()
    assert table.loc["always yes", "at_ceiling"] == ">="
    assert table.loc["always no", "at_ceiling"] == "<="
    assert "this class only" in table.loc["always yes", "note"]
    assert table.loc["always no", "note"] == ""


def test_random_baseline_matches_exact_expectation() -> None:
    """Simulated chance must be chance at 1 / options on every item, not at one half."""
    three = [f"q{k}" for k in range(1, 4)]
    from psyirt.estimation.fixed import fix

    made = Scale.from_calibration(
        fix(pd.DataFrame({"a": [1.0, 1.5, 0.7], "b": [-1.0, 0.0, 1.0]}, index=three)),
        name="x",
        n_options={"q1": 2, "q2": 4, "q3": 5},
    )
    patterns = list(itertools.product((0, 1), repeat=3))
    chance = [np.prod([p if r else 1 - p for r, p in zip(row, (1 / 2, 1 / 4, 1 / 5), strict=True)]) for row in patterns]
    theta = made.score(Responses.from_array(patterns, item_names=three))["theta"].to_numpy()
    row = made.baselines(draws=4000).loc["random"]
    mean = float(np.dot(chance, theta))
    sd = float(np.sqrt(np.dot(chance, (theta - mean) ** 2)))
    assert row["theta"] == pytest.approx(mean, abs=5 * sd / np.sqrt(4000))
    assert row["se"] == pytest.approx(sd, rel=0.06)
    assert row["accuracy"] == pytest.approx((1 / 2 + 1 / 4 + 1 / 5) / 3, abs=0.03)
    assert row["lower"] == pytest.approx(theta.min())
    assert row["lower"] < row["theta"] < row["upper"]


def test_random_baseline_is_seeded() -> None:
    """A baseline that moves between two prints of one report cannot be cited."""
    pd.testing.assert_frame_equal(scale().baselines(), scale().baselines())
    assert scale().baselines(seed=1).loc["random", "theta"] != scale().baselines(seed=2).loc["random", "theta"]


def test_what_cannot_be_known_is_left_out() -> None:
    """A baseline guessed from an incomplete key would be a made-up number."""
    nothing = Scale.from_calibration(calibration(), name="x")
    assert len(nothing.baselines()) == 0
    assert list(nothing.baselines().columns) == [*COLUMNS, "note"]
    assert "no constant-label baselines" in nothing.summary()
    assert "no random baseline" in nothing.summary()
    part = {item: label for item, label in KEY.items() if item != "q1"}
    assert list(Scale.from_calibration(calibration(), name="x", key=part, n_options=3).baselines().index) == ["random"]
    key_only = Scale.from_calibration(calibration(), name="x", key=KEY).baselines()
    assert list(key_only.index) == ["always maybe", "always no", "always yes"]


def test_too_few_draws() -> None:
    """One draw has no range."""
    with pytest.raises(InputError, match="1 draw"):
        scale().baselines(draws=1)


@pytest.mark.parametrize(("method", "population"), [("WLE", "normal"), ("MAP", "histogram"), ("ML", "normal")])
def test_baselines_are_estimated_like_the_systems(method: str, population: str) -> None:
    """A table of WLEs beside baselines that are EAPs makes a difference of method look like one of ability."""
    table = scale().baselines(method=method, population=population)
    for label in ("yes", "no", "maybe"):
        graded = Responses.from_array([[float(KEY[item] == label) for item in ITEMS]], item_names=ITEMS)
        expected = scale().score(graded, method, population=population).iloc[0]
        row = table.loc[f"always {label}", list(COLUMNS)]
        pd.testing.assert_series_equal(row, expected, check_names=False, check_dtype=False)


def test_baselines_of_a_partial_form_answer_that_form() -> None:
    """A system on five items beside a baseline on eight is compared with another test."""
    items = ["q7", "q1", "q4", "q2", "q3"]
    table = scale().baselines(items=items)  # what was asked for is not warned of
    assert (table["answered"] == 5).all()
    form = ["q1", "q2", "q3", "q4", "q7"]
    graded = Responses.from_array([[float(KEY[item] == "yes") for item in form]], item_names=form)
    with pytest.warns(DataWarning, match="3 of 8 items were not given"):
        expected = scale().score(graded)
    assert table.loc["always yes", "theta"] == expected["theta"].item()
    one = scale().baselines(items=["q1", "q4", "q7"])  # all three have the key "yes"
    assert one.loc["always yes", "note"] == "right on every item: the items presented have this class only"
    with pytest.raises(InputError, match="item 'q99' is unknown"):
        scale().baselines(items=["q1", "q99"])
    with pytest.raises(InputError, match="no items are named"):
        scale().baselines(items=[])


def test_a_key_of_the_items_presented_is_enough() -> None:
    """Baselines must not vanish because of items that nobody was asked."""
    part = {item: label for item, label in KEY.items() if item != "q1"}
    made = Scale.from_calibration(calibration(), name="x", key=part)
    assert list(made.baselines().index) == []
    assert "always yes" in made.baselines(items=list(part)).index


def test_random_answerers_without_a_finite_mean() -> None:
    """The mean of thetas some of which are infinite is no number; one over the finite ones would flatter chance."""
    made = Scale.from_calibration(calibration(), name="x", key=KEY, n_options=3)
    row = made.baselines(method="ML").loc["random"]
    assert np.isnan(row["theta"])
    assert np.isnan(row["se"])
    assert "no finite theta by ML" in row["note"]
    assert row["lower"] == -np.inf
    assert np.isfinite(row[["upper", "percentile", "accuracy"]].to_numpy(dtype=float)).all()


@pytest.mark.parametrize("option", [{"method": "EPA"}, {"population": "people"}])
def test_misspelt_options_are_refused(option: dict[str, str]) -> None:
    """An option that is ignored in silence is worse than none."""
    with pytest.raises(InputError, match=next(iter(option.values()))):
        scale().baselines(**option)  # type: ignore[arg-type]
