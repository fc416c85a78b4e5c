"""What every registered item type must satisfy: a new one is tested by being registered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from psyirt.models.item_types import ItemType
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.models.parameters import ItemParameters
from psyirt.models.registry import ITEM_TYPES
from tests.reference.marginal_likelihood import log_probability

MODEL = LogisticModel()
NODES = np.linspace(-4, 4, 17)[:, None]
ITEMS = ("i1", "i2", "i3")
every_type = pytest.mark.parametrize("kind", ITEM_TYPES.values(), ids=list(ITEM_TYPES))


def example(kind: ItemType, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The slot values of three items of a type, and expected counts at the nodes."""
    rng = np.random.default_rng(seed)
    free = np.column_stack(
        [rng.uniform(-1.5, 2.5, 3), rng.uniform(-2, 2, 3), rng.uniform(-2.5, -0.5, 3), rng.uniform(1.0, 3.0, 3)]
    )
    layout = make_layout(ITEMS, [kind] * 3, MODEL.slots)
    return layout.values(np.append(layout.free(free), 1.0)), rng.uniform(0.5, 5.0, (3, 2, len(NODES)))


def expected_log_likelihood(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """sum_kq counts log P for each item."""
    return (counts * MODEL.log_probabilities(values, NODES)).sum((1, 2))


def numeric_gradient(kind: ItemType, values: np.ndarray, counts: np.ndarray, slot: int, h: float = 1e-5) -> np.ndarray:
    """Central difference in one slot of all items, 0 where the slot is fixed at infinity."""
    if not np.all(np.isfinite(values[:, slot])):
        return np.zeros(len(values))
    move = np.zeros_like(values)
    move[:, slot] = h
    return (expected_log_likelihood(values + move, counts) - expected_log_likelihood(values - move, counts)) / (2 * h)


@every_type
@given(
    slope=st.floats(-20, 20),
    intercept=st.floats(-30, 30),
    asymptotes=st.tuples(st.floats(-12, 12), st.floats(1e-3, 12)),
    theta=st.floats(-40, 40),
)
def test_probabilities_sum_to_one(
    kind: ItemType, slope: float, intercept: float, asymptotes: tuple[float, float], theta: float
) -> None:
    """A response function that loses or gains probability biases every estimate made with it."""
    layout = make_layout(ITEMS[:1], [kind], MODEL.slots)
    logit_c = asymptotes[0]
    free = np.array([[slope, intercept, logit_c, logit_c + asymptotes[1]]])
    values = layout.values(np.append(layout.free(free), 1.0))
    logs = MODEL.log_probabilities(values, np.array([[theta]]))
    assert np.all(np.isfinite(logs))
    assert np.all(logs <= 1e-15)
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)


@every_type
def test_probabilities_are_the_formula(kind: ItemType) -> None:
    """Categories swapped, or c and d exchanged, would still sum to 1."""
    values, _ = example(kind)
    logs = MODEL.log_probabilities(values, NODES)
    for j, (a, intercept, c, d) in enumerate(np.column_stack([values[:, :2], expit(values[:, 2:])])):
        for q, theta in enumerate(NODES[:, 0]):
            for k in (0, 1):
                assert logs[j, k, q] == pytest.approx(log_probability(k, theta, (a, intercept, c, d)), abs=1e-12)


@every_type
@pytest.mark.parametrize("curvature", ["expected", "observed"])
def test_gradient_is_the_derivative(kind: ItemType, curvature: str) -> None:
    """A wrong gradient stops EM at a point that is no maximum."""
    values, counts = example(kind)
    gradient = MODEL.derivatives(values, NODES, counts, curvature).gradient  # type: ignore[arg-type]
    for slot in range(4):
        np.testing.assert_allclose(
            gradient[:, slot], numeric_gradient(kind, values, counts, slot), rtol=1e-6, atol=1e-6
        )


@every_type
def test_observed_information_is_minus_the_second_derivative(kind: ItemType) -> None:
    """A wrong second derivative shows in no estimate and in every standard error."""
    values, counts = example(kind)
    information = MODEL.derivatives(values, NODES, counts, "observed").information
    h = 1e-4
    for slot in range(4):
        if not np.all(np.isfinite(values[:, slot])):
            np.testing.assert_array_equal(information[:, slot], 0.0)
            continue
        move = np.zeros_like(values)
        move[:, slot] = h
        above = MODEL.derivatives(values + move, NODES, counts, "observed").gradient
        below = MODEL.derivatives(values - move, NODES, counts, "observed").gradient
        np.testing.assert_allclose(information[:, slot], -(above - below) / (2 * h), rtol=1e-5, atol=1e-5)


@every_type
def test_expected_information_is_observed_information_at_expected_counts(kind: ItemType) -> None:
    """Fisher scoring with a matrix that is not the expectation may go downhill."""
    values, counts = example(kind)
    fair = counts.sum(1, keepdims=True) * np.exp(MODEL.log_probabilities(values, NODES))
    expected = MODEL.derivatives(values, NODES, counts, "expected").information
    np.testing.assert_allclose(expected, MODEL.derivatives(values, NODES, fair, "observed").information, atol=1e-10)
    assert np.all(np.linalg.eigvalsh(expected) > -1e-10)


@every_type
def test_scores_are_the_derivatives_of_the_log_probabilities(kind: ItemType) -> None:
    """Louis's information is built from the scores alone."""
    values, _ = example(kind)
    scores = MODEL.scores(values, NODES)
    assert scores.shape == (3, 2, len(NODES), 4)
    h = 1e-6
    for slot in range(4):
        if not np.all(np.isfinite(values[:, slot])):
            np.testing.assert_array_equal(scores[..., slot], 0.0)
            continue
        move = np.zeros_like(values)
        move[:, slot] = h
        numeric = (MODEL.log_probabilities(values + move, NODES) - MODEL.log_probabilities(values - move, NODES)) / (
            2 * h
        )
        np.testing.assert_allclose(scores[..., slot], numeric, rtol=1e-6, atol=1e-8)


@every_type
def test_ability_derivatives_are_derivatives_in_theta(kind: ItemType) -> None:
    """MAP, ML and WLE abilities, and their standard errors, are roots of these."""
    values, _ = example(kind)
    h = 1e-4
    below, at, above = (MODEL.log_probabilities(values, NODES + k * h) for k in (-1, 0, 1))
    first, second = MODEL.ability_derivatives(values, NODES)
    np.testing.assert_allclose(first, (above - below) / (2 * h), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(second, (above - 2 * at + below) / h**2, rtol=1e-4, atol=1e-6)


@every_type
def test_information_is_the_expected_square_of_the_ability_score(kind: ItemType) -> None:
    """Test information and adaptive selection rest on it."""
    values, _ = example(kind)
    first, _ = MODEL.ability_derivatives(values, NODES)
    expected = (np.exp(MODEL.log_probabilities(values, NODES)) * first**2).sum(1)
    np.testing.assert_allclose(MODEL.information(values, NODES), expected, rtol=1e-10)


@every_type
@given(seed=st.integers(0, 2**32 - 1))
def test_free_and_natural_values_round_trip(kind: ItemType, seed: int) -> None:
    """A parameter that changes between the free vector and the item table is saved as another than was fitted."""
    layout = make_layout(ITEMS, [kind] * 3, MODEL.slots)
    x = np.random.default_rng(seed).uniform(-3, 3, layout.size)
    x[layout.positions("d")] += 7.0
    values = layout.values(x)
    np.testing.assert_allclose(layout.free(values), x[: layout.item_size], atol=1e-13)
    again = ItemParameters.from_values(ITEMS, values).values
    np.testing.assert_allclose(layout.free(again), x[: layout.item_size], rtol=1e-9, atol=1e-9)
    fixed = ~layout.is_free
    np.testing.assert_allclose(again[fixed], values[fixed])


@every_type
@pytest.mark.parametrize("theta", [-700.0, -40.0, 0.0, 40.0, 700.0])
def test_extreme_abilities_stay_finite(kind: ItemType, theta: float) -> None:
    """log(sigmoid(z)) is -inf from z = -745 on: one such subject turns the whole log-likelihood into -inf."""
    values, _ = example(kind)
    values[:, 0] = np.where(values[:, 0] < 0, -8.0, 8.0)
    nodes = np.array([[theta]])
    logs = MODEL.log_probabilities(values, nodes)
    assert np.all(np.isfinite(logs))
    assert np.all(np.isfinite(MODEL.scores(values, nodes)))
    derivatives = MODEL.derivatives(values, nodes, np.ones((3, 2, 1)), "observed")
    assert np.all(np.isfinite(derivatives.gradient))
    assert np.all(np.isfinite(derivatives.information))
    assert all(np.all(np.isfinite(part)) for part in MODEL.ability_derivatives(values, nodes))
