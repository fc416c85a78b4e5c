"""The kernels' own exp."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from psyirt.kernels import _math
from psyirt.kernels._math import HOPELESS, exp_row, largest, log1p_row, log_row, posterior_row

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


@pytest.mark.parametrize("compiled", [True, False])
def test_log_is_accurate_near_1_and_far_away(compiled: bool) -> None:
    """Near 1 the logarithm vanishes: an absolute error is a relative one of any size there."""
    function = log_row if compiled else getattr(log_row, "py_func", log_row)
    near = np.concatenate([1.0 - 10.0 ** -np.arange(1.0, 17.0), 1.0 + 10.0 ** -np.arange(1.0, 16.0)])
    x = np.concatenate(
        [near, 10.0 ** np.arange(-300, 300, 7.0), np.random.default_rng(1).random(2000), [1.0, 0.5, 2.0]]
    )
    np.testing.assert_allclose(run(function, x), np.log(x), rtol=8e-16, atol=0)


@pytest.mark.parametrize("size", [1, 3, 4, 61, 64])
def test_the_largest_is_found_wherever_it_stands(size: int) -> None:
    """Four chains of comparisons: one that misses its last number lets an exponential overflow."""
    for at in range(size):
        row = np.full(size, -5.0)
        row[at] = 2.0
        assert largest(row) == 2.0
    assert largest(np.full(size, -np.inf)) == -np.inf


@pytest.mark.parametrize("size", [5, 61, 64])
def test_a_posterior_row_is_a_softmax_where_there_is_any(size: int) -> None:
    """A node cut off that still carried something is a subject short."""
    nodes = np.linspace(-6, 6, size)
    for centre in (-6.0, 0.3, 5.9):
        logs = -0.5 * ((nodes - centre) / 0.4) ** 2 - 700.0
        row, below, bits = logs.copy(), np.empty(size), np.empty(size, np.int64)
        found, first, last = posterior_row(row, 2.5, below, bits, bits.view(np.float64))
        expected = np.exp(logs - logs.max())
        assert found == pytest.approx(logs.max() + np.log(expected.sum()), rel=1e-14)
        np.testing.assert_allclose(row[first:last], 2.5 * (expected / expected.sum())[first:last], rtol=1e-12)
        outside = np.delete(logs, np.s_[first:last])
        assert (outside < logs.max() - HOPELESS).all()


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
