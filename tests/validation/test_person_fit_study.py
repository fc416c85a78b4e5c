"""The study of person fit: it counts what it says, and writes what it counts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from validation.diagnostics import persons


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """One short design and a small crowd."""
    monkeypatch.setattr(persons, "SUBJECTS", 400)
    monkeypatch.setattr(persons, "DESIGNS", (persons.Design(40, "2PL", missing=0.1, easiness=0.5),))


@pytest.mark.usefixtures("small")
def test_it_writes_what_it_counts(tmp_path: Path) -> None:
    """Rates of the wrong crowd, or a page beside other numbers."""
    table = persons.study(tmp_path, quick=True)
    assert json.loads((tmp_path / "persons.json").read_text())[0]["statistic"] == table.loc[0, "statistic"]
    assert len(table) == len(persons.METHODS)
    assert table["below 0.05"].between(0.0, 0.1).all()
    assert (table["guessers below 0.05"] > 3 * table["below 0.05"]).all()
    assert (table["others flagged"] < table["guessers found"]).all()
    page = (tmp_path / "persons.md").read_text()
    assert page.count("| 40 | 2PL | 10% | 0.5 |") == len(table)


@pytest.mark.usefixtures("small")
def test_who_guesses() -> None:
    """Five percent of the crowd, a third right, and nobody where none are planted."""
    responses, guesses = persons.simulate(persons.DESIGNS[0], 1, 0.05)
    assert guesses.sum() == 20
    answered = responses.codes[guesses][responses.codes[guesses] >= 0]
    assert np.mean(answered) == pytest.approx(1 / 3, abs=0.08)
    assert not persons.simulate(persons.DESIGNS[0], 1, 0.0)[1].any()
