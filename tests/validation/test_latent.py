"""The study of ability densities: wrong truths would make any estimate look good or bad."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.latent.population import NormalPopulation
from validation.latent.__main__ import as_markdown
from validation.latent.study import SHAPES, _density_error, _share_error, run


@pytest.mark.parametrize("name", SHAPES)
def test_true_shapes_are_standardised_and_drawn_as_they_are(name: str) -> None:
    """A truth with another mean or variance shifts every item."""
    shape, points = SHAPES[name], np.linspace(-8.0, 8.0, 8001)
    mass, middle = np.diff(shape.below(points)), 0.5 * (points[1:] + points[:-1])
    assert mass @ middle == pytest.approx(0.0, abs=1e-3)
    assert mass @ middle**2 == pytest.approx(1.0, abs=5e-3)
    theta = shape.draw(20_000, np.random.default_rng(1))
    for point in (-1.0, 0.2, 1.5):
        assert np.mean(theta < point) == pytest.approx(float(shape.below(np.array(point))), abs=0.015)


def test_errors_are_0_at_the_truth_only() -> None:
    """An error that is always small says nothing."""
    normal = NormalPopulation()
    assert _density_error(normal, SHAPES["normal"]) < 1e-12
    assert _share_error(normal, SHAPES["normal"]) < 1e-12
    assert _density_error(normal, SHAPES["two groups"]) > 0.01
    assert _share_error(normal, SHAPES["skewed"]) > 0.01


def test_every_shape_and_density_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is left out is a result nobody reads."""
    monkeypatch.setattr("validation.latent.study.DENSITIES", ("normal", "histogram"))
    rows = run("skewed", 300, 8, range(1, 3))
    assert len(rows) == 4
    assert (rows["gain"] >= 0.0).all()
    page = as_markdown(rows)
    assert page.count("| skewed |") == 3
