"""Wrong kinds of arguments end in one line that names the function and the remedy."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt.errors import InputError
from psyirt.foundation.arguments import require, require_word
from tests.published import lsat6

FRAME = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})


@pytest.fixture(scope="module")
def responses():
    return psyirt.Responses.from_frame(FRAME)


@pytest.mark.parametrize(
    "call",
    [
        lambda r: psyirt.fit_mml(FRAME),
        lambda r: psyirt.fit_mml(r, options={}),
        lambda r: psyirt.fit_mml(r, priors=[1]),
        lambda r: psyirt.fit_mml(r, weights=["x"] * 4),
        lambda r: psyirt.fit_mml(r, weights=[0.1] * 4),
        lambda r: psyirt.fit_mml(r, latent_variance="1"),
        lambda r: psyirt.score("x", r),
        lambda r: psyirt.score(psyirt.fix(pd.DataFrame({"a": 1.0, "b": 0.0}, index=list("abc"))), FRAME),
        lambda r: psyirt.tetrachoric("x"),
        lambda r: psyirt.MMLOptions(max_iterations=2.5),
        lambda r: psyirt.MMLOptions(tolerance="x"),
        lambda r: psyirt.MMLOptions(tolerance=1e9),
        lambda r: psyirt.MMLOptions(grid=61),
        lambda r: psyirt.Grid(3.5),
        lambda r: psyirt.build_scale(r, rules=None),
        lambda r: psyirt.build_scale(r, options={}),
        lambda r: psyirt.build_scale(r, holdout="x"),
        lambda r: psyirt.build_scale(r, holdout=float("nan")),
        lambda r: psyirt.build_scale(r, seed=1.5),
        lambda r: psyirt.build_scale(r, seed=-1),
        lambda r: psyirt.build_scale(r, exclude=["a"]),
        lambda r: psyirt.rules.TooFlat(min_communality=2.0),
        lambda r: psyirt.rules.TooFlat(min_communality=float("nan")),
        lambda r: psyirt.rules.PoorFit(alpha=float("nan")),
    ],
)
def test_a_wrong_argument_is_one_line(call, responses):
    with pytest.raises(InputError) as caught:
        call(responses)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count(". ") >= 1, "cause and remedy"


def test_the_published_patterns_are_still_accepted():
    """Checks must not refuse what is right: weights that are counts of patterns."""
    patterns, frequencies = lsat6()
    fit = psyirt.fit_mml(psyirt.Responses.from_array(patterns), "2PL", weights=frequencies)
    assert fit.loglik == pytest.approx(-2466.653, abs=1e-3)


def test_a_word_is_one_of_those_known():
    """A misspelt policy that falls back to another decides the result."""
    choices = Literal["wrong", "missing"]
    require_word("wrong", choices, "--non-answer")
    with pytest.raises(InputError, match=r"--non-answer: 'worng' is not known. Give one of: wrong, missing."):
        require_word("worng", choices, "--non-answer")


def test_numpys_booleans_and_integers_are_as_good_as_pythons() -> None:
    """A seed from an array, or a comparison's result, is what users pass."""
    require(np.True_, bool, "x", "f", "")
    require(np.int64(3), int, "x", "f", "")
    with pytest.raises(InputError):
        require(np.True_, int, "x", "f", "")
    with pytest.raises(InputError):
        require(np.float64(3.0), int, "x", "f", "")
