"""Derivatives in ability, fused, against the model's own general form."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.kernels.ability_sums import ability_sums
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.curves import PatternCurves


class _General(PatternCurves):
    """The same curves by the model's general form, as a model without a fused kernel would have them."""

    @property
    def model(self):  # type: ignore[no-untyped-def]
        return self._model

    @model.setter
    def model(self, value) -> None:  # type: ignore[no-untyped-def]
        self._model = value
        self._model.fused_kernel = ""


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (0.2, 1.0), (0.0, 0.9), (0.2, 0.9)])
def test_equal_to_the_general_form(lower: float, upper: float, missing: float, rng: np.random.Generator) -> None:
    """An asymptote, a negative slope or a missing answer that the fast way treats in its own way moves abilities."""
    slopes = rng.lognormal(0.1, 0.5, 13) * np.where(np.arange(13) == 4, -1.0, 1.0)
    parameters = ItemParameters([f"q{k}" for k in range(13)], slopes, rng.normal(size=13), lower, upper)
    codes = rng.integers(0, 2, (20, 13)).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    theta, rows = np.linspace(-9.0, 9.0, 30), rng.integers(0, 20, 30)
    fast, slow = PatternCurves(parameters, codes), _General(parameters, codes)
    assert fast.model.fused_kernel
    assert not slow.model.fused_kernel
    for name in ("derivatives", "slope_and_information"):
        for one, other in zip(getattr(fast, name)(theta, rows), getattr(slow, name)(theta, rows), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-13)


def test_far_tails_keep_their_digits() -> None:
    """At theta = 40 a right answer still pulls upward by P (wrong), of which 1 - P (right) knows nothing."""
    out = np.empty((2, 4))
    values = np.array([[1.0, 0.0, -np.inf, np.inf]])
    ability_sums(values, np.array([[1], [0]], np.int8), np.array([40.0, 40.0]), np.array([0, 1]), out)
    assert out[0, 0] == pytest.approx(np.exp(-40.0), rel=1e-12)
    assert out[1, 0] == pytest.approx(-1.0)
    assert out[0, 2] == pytest.approx(np.exp(-40.0), rel=1e-12)
