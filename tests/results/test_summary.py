"""A calibration as text and as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.results.summary import summary_text
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
