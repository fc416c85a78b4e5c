"""Tails of skewed sums against scipy and against simulated sums."""

from __future__ import annotations

import numpy as np
from scipy.stats import gamma, norm

from psyirt.diagnostics.persons.tails import upper_tail


def test_is_pearsons_type_three() -> None:
    """A gamma distribution with skewness 2 / sqrt(shape), standardised."""
    z, skewness = np.array([-1.0, 0.5, 2.0, 4.0]), np.array([0.3, 0.6, 1.0, 0.05])
    shape = 4.0 / skewness**2
    np.testing.assert_allclose(upper_tail(z, skewness), gamma.sf(shape + z * np.sqrt(shape), shape), rtol=1e-9)


def test_never_below_the_normal_where_the_tail_is_short() -> None:
    """A short upper tail ends somewhere: a p-value of 0 beyond it would flag on the approximation alone."""
    z = np.array([0.5, 3.0, np.nan])
    np.testing.assert_allclose(upper_tail(z, np.array([-1.0, 0.0, 1.0])), norm.sf(z), rtol=1e-12)


def test_sums_of_answers_have_such_tails(rng: np.random.Generator) -> None:
    """At 1 in 1,000 the normal distribution is off by a factor for a sum of 20 answers of probability .1."""
    sums = rng.binomial(20, 0.1, 400_000)
    z, skewness = (sums - 2.0) / np.sqrt(1.8), np.full(len(sums), 0.8 / np.sqrt(1.8))
    assert np.mean(norm.sf(z) < 0.001) > 0.002
    assert np.mean(upper_tail(z, skewness) < 0.001) < 0.0015
