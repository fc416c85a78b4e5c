"""The kernels' own exp."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from psyirt.kernels import _math
from psyirt.kernels._math import exp_row, log1p_row

FOLDER = Path(_math.__file__).parent


def run(function: Callable[..., None], x: np.ndarray) -> np.ndarray:
    out, bits = np.empty_like(x), np.empty(x.size, np.int64)
    function(x, out, bits, bits.view(np.float64))
    return out


@pytest.mark.parametrize("compiled", [True, False])
def test_exp_is_accurate_over_its_whole_range(compiled: bool) -> None:
    """A polynomial that is off by 1e-9 somewhere moves a log-likelihood of thousands of subjects by 1e-6."""
    function = exp_row if compiled else getattr(exp_row, "py_func", exp_row)
    x = np.concatenate([-np.random.default_rng(1).random(20_000) * 600, [0.0, -600.0, -1e-300, -0.5 * np.log(2)]])
    x = x if compiled else x[-2000:]
    np.testing.assert_allclose(run(function, x), np.exp(x), rtol=2e-15, atol=0)


def test_exp_of_very_small_numbers_is_the_floor() -> None:
    """Below -600 the power of two would run out of its bits and give a huge number."""
    x = np.array([-701.0, -1e6, -np.inf])
    np.testing.assert_allclose(run(exp_row, x), np.exp(-600.0), rtol=2e-15)


@pytest.mark.parametrize("compiled", [True, False])
def test_log1p_is_accurate_from_0_to_1(compiled: bool) -> None:
    """A series one term short is right near 0 and wrong near 1, where an item's probability is one half."""
    function = log1p_row if compiled else getattr(log1p_row, "py_func", log1p_row)
    t = np.concatenate([np.linspace(0, 1, 2001), 10.0 ** -np.arange(1, 300, 7)])
    out = np.empty_like(t)
    function(t, out)
    np.testing.assert_allclose(out, np.log1p(t), rtol=6e-16, atol=0)


def test_callers_know_the_version_of_the_math_they_were_compiled_with() -> None:
    """Numba's cache does not notice an edit of _math.py: a caller would go on with yesterday's exp."""
    digest = hashlib.sha256((FOLDER / "_math.py").read_bytes()).hexdigest()
    callers = [path for path in sorted(FOLDER.glob("*.py")) if "kernels._math import" in path.read_text("utf-8")]
    assert FOLDER / "expectation.py" in callers
    for path in callers:
        found = re.search(r'^_MATH_SOURCE = "([0-9a-f]+)"', path.read_text("utf-8"), re.MULTILINE)
        assert found, f"{path.name} has no _MATH_SOURCE"
        assert len(found[1]) >= 12
        assert digest.startswith(found[1]), f'{path.name}: set _MATH_SOURCE = "{digest[:12]}"'
