"""The logistic formula where special cases meet."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from psyirt.models.logistic import LogisticModel

MODEL = LogisticModel()
INF = np.inf


def test_items_of_different_types_do_not_disturb_each_other() -> None:
    """A 2PL item beside a 3PL item takes the general path: its steep curve once gave 0 * inf = NaN there."""
    plain = np.array([[150.0, 3.0, -INF, INF], [-150.0, 3.0, -INF, INF]])
    others = np.array([[1.0, 0.0, -1.4, INF], [1.0, 0.0, -INF, 3.0], [1.2, 0.3, -1.0, 2.0]])
    nodes = np.linspace(-6, 6, 13)[:, None]
    counts = np.ones((5, 2, 13))
    mixed, alone = np.concatenate([plain, others]), plain
    np.testing.assert_array_equal(MODEL.log_probabilities(mixed, nodes)[:2], MODEL.log_probabilities(alone, nodes))
    np.testing.assert_allclose(MODEL.scores(mixed, nodes)[:2], MODEL.scores(alone, nodes), atol=1e-12)
    for kind in ("expected", "observed"):
        together = MODEL.derivatives(mixed, nodes, counts, kind)
        apart = MODEL.derivatives(alone, nodes, counts[:2], kind)
        np.testing.assert_allclose(together.gradient[:2], apart.gradient, rtol=1e-12)
        np.testing.assert_allclose(together.information[:2], apart.information, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("logit_c", "logit_d"), [(0.5, 0.5), (1.0, -1.0), (2.0, 1.999)])
def test_an_upper_asymptote_at_or_below_the_lower_one_is_impossible(logit_c: float, logit_d: float) -> None:
    """Outside its domain the formula gives plausible numbers; -inf makes every optimiser turn back."""
    values = np.array([[1.0, 0.0, logit_c, logit_d], [1.0, 0.0, -INF, INF]])
    logs = MODEL.log_probabilities(values, np.zeros((3, 1)))
    assert np.all(np.isneginf(logs[0]))
    assert np.all(np.isfinite(logs[1]))


def test_an_upper_asymptote_near_one_keeps_its_digits() -> None:
    """1 - d by subtraction is 0 for d = 1 - 1e-17: a careless slip of an able subject would be impossible."""
    values = np.array([[1.0, 0.0, -INF, 40.0]])
    wrong = MODEL.log_probabilities(values, np.array([[200.0]]))[0, 0, 0]
    assert wrong == pytest.approx(-40.0, abs=1e-9)


def test_ten_thousand_items_are_not_exactly_impossible() -> None:
    """A product of 10,000 probabilities underflows to 0; the sum of their logs does not."""
    values = np.tile([1.0, 0.0, -INF, INF], (10_000, 1))
    total = MODEL.log_probabilities(values, np.array([[0.0]]))[:, 1, 0].sum()
    assert total == pytest.approx(10_000 * np.log(0.5))
    assert np.exp(total) == 0.0


def test_fixed_asymptotes_reach_their_values() -> None:
    """c is what is left at very low ability, d at very high; exchanged, guessers look able."""
    values = np.array([[1.5, 0.2, logit(0.2), logit(0.9)]])
    right = np.exp(MODEL.log_probabilities(values, np.array([[-60.0], [60.0]])))[0, 1]
    np.testing.assert_allclose(right, [0.2, 0.9], atol=1e-12)


def test_several_dimensions_use_each_slope() -> None:
    """A slope multiplied with the wrong ability swaps the dimensions."""
    model = LogisticModel(2)
    assert model.slots == ("a1", "a2", "intercept", "c", "d")
    values = np.array([[1.0, 2.0, 0.5, -INF, INF]])
    logs = model.log_probabilities(values, np.array([[0.3, -0.7]]))
    z = 1.0 * 0.3 + 2.0 * -0.7 + 0.5
    assert logs[0, 1, 0] == pytest.approx(-np.log1p(np.exp(-z)))
    counts = np.array([[[2.0], [3.0]]])
    gradient = model.derivatives(values, np.array([[0.3, -0.7]]), counts, "observed").gradient[0]
    residual = 3.0 - 5.0 / (1 + np.exp(-z))
    np.testing.assert_allclose(gradient, [0.3 * residual, -0.7 * residual, residual, 0, 0], atol=1e-12)
    assert "2" in repr(model)
