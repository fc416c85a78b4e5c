"""The study of the number of dimensions, on few data sets."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from validation.diagnostics import dimensions


def test_what_is_right() -> None:
    """An answer that counts no further than one is right of one ability only if it says one."""
    one, more, none = ({"factors": f, "answer": a} for f, a in ((1, "one"), (pd.NA, "more"), (pd.NA, "no answer")))
    assert [dimensions._right(pd.Series(row), 1) for row in (one, more, none)] == [True, False, False]
    assert [dimensions._right(pd.Series(row), 2) for row in (one, more, none)] == [False, True, False]


def test_page_and_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page must hold what was counted."""
    monkeypatch.setattr(dimensions, "CASES", ((300, 8, 1, 0.0, 2), (300, 8, 2, 0.0, 2)))
    monkeypatch.setattr(dimensions, "_DRAWS", 5)
    assert dimensions.main(["--out", str(tmp_path / "made")]) == 0
    rows = json.loads((tmp_path / "made" / "dimensions.json").read_text("utf-8"))["simulated"]
    assert [row["data"] for row in rows] == ["300 x 8, 1", "300 x 8, 2 (r 0)"]
    assert rows[0]["parallel analysis (95th percentile)"] == 1.0
    assert "| 300 x 8, 1 | 2 |" in (tmp_path / "made" / "dimensions.md").read_text("utf-8")


def test_absent_data_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says which file it looked for."""
    monkeypatch.setattr(dimensions, "CASES", ())
    assert dimensions.main(["--out", str(tmp_path), "--data", str(tmp_path)]) == 2
    assert "lalor_snli_5gs.csv.gz" in capsys.readouterr().err
