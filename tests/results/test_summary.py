"""A calibration as text and as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.models.slope_metric import RUNAWAY_SLOPE
from psyirt.results.summary import summary_text
from psyirt.scale.calibrate_onto import calibrate_onto
from psyirt.scale.rules import RunawaySlope
from tests.small_data import lsat, simulated


def test_a_bank_of_thousands_prints_in_a_screenful() -> None:
    """A terminal that scrolls for a minute shows nothing."""
    bank = pd.DataFrame({"a": np.ones(2000), "b": np.linspace(-2, 2, 2000)}, index=[f"q{k}" for k in range(2000)])
    assert len(str(fix(bank, "2PL")).splitlines()) < 80


def test_the_summary_holds_what_a_reader_must_know() -> None:
    """Items that were set aside, and how the fit ended, must not be found only in attributes."""
    codes = np.column_stack([simulated(100, 4, seed=61), np.ones(100)])
    with pytest.warns(UserWarning, match="set aside"):
        fit = fit_mml(Responses.from_array(codes), "2PL")
    text = summary_text(fit, with_items=False)
    for words in ("2PL calibration of 4 items", "set aside: i5 (every observed answer is right)", "converged", "BIC"):
        assert words in text
    assert "se_a" not in text
    assert "se_a" in summary_text(fit)


def test_names_are_escaped_in_a_notebook() -> None:
    """An item called <b> must not become markup."""
    bank = pd.DataFrame({"a": [1.0, 1.0, 1.0], "b": [0.0, 1.0, 2.0]}, index=["<b>x", "y", "z"])
    assert "<b>x" not in fix(bank, "2PL")._repr_html_()


def test_notes_say_which_parameter_they_are_about() -> None:
    """'dominated by its prior' without a name could be c or d."""
    responses, frequencies = lsat(6)
    notes = fit_mml(responses, "4PL", weights=frequencies).items["note"]
    assert notes["i2"].startswith("c is dominated by its prior (posterior sd / prior sd = 0.99)")
    assert "d is dominated" in notes["i2"]
    assert "d is dominated" not in notes["i1"]


def test_the_standard_error_of_a_reversed_items_difficulty_is_positive() -> None:
    """The delta method with a signed slope must not give a negative or missing error."""
    codes = simulated(400, 5, seed=62)
    codes[:, 1] = 1 - codes[:, 1]
    items = fit_mml(Responses.from_array(codes), "2PL").items
    assert items.loc["i2", "a"] < 0
    assert (items["se_b"] > 0).all()


def test_a_note_that_items_share_is_said_once_with_their_names() -> None:
    """Eight rows that all say "standard error not available" hide the one that says something else."""
    responses = Responses.from_array(simulated(200, 4, seed=3))
    misplaced = pd.DataFrame(
        {"a": [1.0, 1.2, 0.9, 0.1], "intercept": [0.0, 0.3, -0.2, 4.0]}, index=["i1", "i2", "i3", "i4"]
    )
    fit = fix(misplaced, "2PL", responses)
    lines = [line for line in str(fit).splitlines() if "standard error not available" in line]
    assert sum("i1, i2, i3" in line for line in lines) == 1
    assert len(lines) == 2  # the items that cause it, and those that suffer
    assert "note" not in str(fit).splitlines()[-6]
    for note in fit.items["note"]:
        assert note.count("standard error not available") <= 2
    assert fit.items["note"]["i1"].count("standard error not available") == 1


def test_notes_that_differ_in_a_number_are_one_note() -> None:
    """LSAT6 says nothing about any item's c; five lines of it say no more than one."""
    responses, frequencies = lsat(6)
    text = str(fit_mml(responses, "3PL", weights=frequencies))
    assert text.count("c is dominated by its prior") == 1
    assert "i1, i2, i3, i4, i5: c is dominated by its prior" in text


def test_a_slope_runs_away_beyond_20() -> None:
    """The note, the fit's status and the pruning rule must speak of the same slopes."""
    bank = pd.DataFrame({"a": [19.9, 20.1, -20.1], "b": [0.0, 0.0, 0.0]}, index=["x", "y", "z"])
    assert fix(bank, "2PL").items["note"].str.contains("runs away").tolist() == [False, True, True]
    assert RunawaySlope().max_slope == RUNAWAY_SLOPE


def test_counts_are_whole_numbers() -> None:
    """'983.0 people' makes a reader look for the fraction; 1.23457e+06 is a number nobody had."""
    codes = simulated(200, 4, seed=3)
    text = str(fit_mml(Responses.from_array(codes), "2PL"))
    assert " 200\n" in text
    assert "200.0" not in text
    many = fit_mml(Responses.from_array(codes), "2PL", weights=np.full(200, 12345.0))
    assert "subjects         2469000" in str(many)
    half = fit_mml(Responses.from_array(codes), "2PL", weights=np.full(200, 0.5025))
    assert "subjects         100.5" in str(half)
    assert half.items["n"].iloc[0] == pytest.approx(100.5)


def test_columns_that_say_nothing_are_not_printed() -> None:
    """Two columns of NaN beside a 2PL's errors look like something that failed."""
    codes = simulated(200, 4, seed=3)
    fit = fit_mml(Responses.from_array(codes), "2PL")
    assert "se_intercept" in str(fit)
    assert "se_c" not in str(fit)
    assert "NaN" not in str(fit)
    assert "se_c" in fit.items
    bare = str(fix(fit.items[["a", "b"]], "2PL"))
    assert "NaN" not in bare
    assert "se_a" not in bare


def test_absent_standard_errors_are_named_below_the_table() -> None:
    """Where every column of errors is empty and gone, the last line must not claim that there are some."""
    responses = Responses.from_array(simulated(200, 4, seed=3))
    misplaced = pd.DataFrame(
        {"a": [1.0, 1.2, 0.9, 0.1], "intercept": [0.0, 0.3, -0.2, 4.0]}, index=["i1", "i2", "i3", "i4"]
    )
    text = str(fix(misplaced, "2PL", responses))
    assert text.endswith("standard errors: not available, the notes say why")


def test_a_free_mean_and_variance_come_with_their_errors() -> None:
    """A group's mean without an error invites comparisons that it cannot bear."""
    codes = simulated(300, 6, seed=5)
    old = fit_mml(Responses.from_array(codes[:, :5]), "2PL")
    fit = calibrate_onto(old.item_parameters, Responses.from_array(codes)).calibration
    mean, variance = fit.bse["mean"].item(), fit.bse["variance"].item()
    assert f", mean estimated, SE {mean:.4g}, variance estimated, SE {variance:.4g}" in str(fit)
    assert "estimated, SE" not in str(old)
