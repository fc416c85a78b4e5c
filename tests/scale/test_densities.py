"""Scales whose ability is not normal: made, saved, loaded, scored with."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.latent.davidian import DavidianCurve
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import Grid
from psyirt.scale.artefact import content_digest
from psyirt.scale.files import load_scale
from psyirt.scale.scale import Scale
from tests.scale.made import answers, crowd, scale

SYSTEMS = answers("11110000", "11111111", "1101.111")


@functools.cache
def made(latent: str) -> Scale:
    """A scale of the crowd's items under a density."""
    order = 1 if latent == "davidian" else None
    options = MMLOptions(grid=Grid(31, -5.0, 5.0))
    fit = fit_mml(crowd(), "2PL", latent=latent, latent_order=order, options=options)  # type: ignore[arg-type]
    return Scale.from_calibration(fit, name=latent)


def written(latent: str, path: Path) -> dict[str, Any]:
    made(latent).save(path)
    return dict(json.loads(path.read_text("utf-8")))


@pytest.mark.parametrize(("latent", "kind"), [("davidian", DavidianCurve), ("histogram", HistogramPopulation)])
def test_a_file_carries_the_density(latent: str, kind: type, tmp_path: Path) -> None:
    """A density that is lost in the file changes every percentile."""
    path = tmp_path / "scale.json"
    assert written(latent, path)["version"] == 2
    back = load_scale(path)
    assert isinstance(back.population, kind)
    np.testing.assert_array_equal(
        back.population.log_weights(back.grid), made(latent).population.log_weights(back.grid)
    )
    first, second = (each.score(SYSTEMS, non_answer="missing") for each in (made(latent), back))
    pd.testing.assert_frame_equal(first, second, check_exact=True)
    assert back.summary() == made(latent).summary()
    assert back.population.text in back.summary()


def test_a_normal_scale_is_written_as_ever(tmp_path: Path) -> None:
    """Readers from before other densities must go on reading what they can."""
    path = tmp_path / "scale.json"
    scale().save(path)
    content = json.loads(path.read_text("utf-8"))
    assert content["version"] == 1
    assert "density" not in content["scales"][0]["population"]


def test_percentiles_are_those_of_the_density() -> None:
    """Phi of theta would be another crowd's percentile."""
    curved = made("davidian")
    table = curved.score(SYSTEMS, "WLE", non_answer="missing")
    np.testing.assert_allclose(table["percentile"], 100.0 * curved.population.share_below(table["theta"]), rtol=1e-12)
    histogram = curved.score(SYSTEMS, population="histogram", non_answer="missing")
    assert histogram["percentile"].between(0, 100).all()
    assert curved.normality is not None
    assert "another density than the normal" in curved.normality.note


def _version_1(content: dict[str, Any]) -> None:
    content["version"] = 1


def _seven_angles(content: dict[str, Any]) -> None:
    content["scales"][0]["population"]["density"]["angles"] = [0.1] * 7


def _unknown(content: dict[str, Any]) -> None:
    content["scales"][0]["population"]["density"]["kind"] = "gamma"


def _fewer(content: dict[str, Any]) -> None:
    content["scales"][0]["population"]["density"]["weights"].pop()


@pytest.mark.parametrize(
    ("latent", "change", "said"),
    [
        ("davidian", _version_1, "version 1 does not go with"),
        ("davidian", _seven_angles, "at most 6"),
        ("davidian", _unknown, "density"),
        ("histogram", _fewer, "31 weights"),
    ],
)
def test_what_is_not_understood_is_refused(latent: str, change: Any, said: str, tmp_path: Path) -> None:
    """A density read wrongly is worse than one not read."""
    path = tmp_path / "scale.json"
    content = written(latent, path)
    change(content)
    content["digest"] = content_digest(content)
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=said) as caught:
        load_scale(path)
    assert "\n" not in str(caught.value)
