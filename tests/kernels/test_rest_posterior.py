"""Predictions from all answers but one: the cells of item fit with missing responses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, log_expit

from psyirt.kernels.plausible_values import plausible_values
from psyirt.kernels.rest_posterior import log_joint, rest_answers
from tests.reference import item_fit as twin
from tests.small_data import simulated

NODES = np.linspace(-4.0, 4.0, 41)
WEIGHTS = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()


def _rest(codes: np.ndarray, z: np.ndarray, item: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = np.stack([log_expit(-z), log_expit(z)], axis=1)
    joint = np.empty((len(codes), len(NODES)))
    log_joint(codes, table, np.log(WEIGHTS), joint)
    ability, chance, change = np.zeros(len(codes)), np.zeros(len(codes)), np.zeros((len(codes), 1))
    right = expit(z[item])
    answers = np.ascontiguousarray(codes[:, item])
    rest_answers(answers, joint, table[item], right, NODES, (right * (1 - right))[None], ability, chance, change)
    return ability, chance, change


def test_equal_to_plain_loops() -> None:
    """The item's own answer left in would make every item fit; a missing one counted as wrong would make none fit."""
    codes = simulated(40, 6, seed=21, missing=0.25)
    z = np.linspace(0.5, 2.0, 6)[:, None] * NODES + np.linspace(-1.0, 1.0, 6)[:, None]
    for item in (0, 3):
        ability, chance, _ = _rest(codes, z, item)
        wanted = twin.rest_of(codes.tolist(), expit(z).tolist(), NODES.tolist(), WEIGHTS.tolist(), item)
        for r, pair in enumerate(wanted):
            found = (ability[r], chance[r])
            assert found == (0.0, 0.0) if pair is None else found == pytest.approx(pair, rel=1e-10)


def test_change_is_the_derivative_of_the_chance() -> None:
    """The null distribution rests on it: a wrong sign or scale makes the test liberal, and nothing else shows it."""
    codes = simulated(30, 5, seed=22, missing=0.2)
    z = 1.2 * NODES + np.linspace(-1.0, 1.0, 5)[:, None]
    step = 1e-5
    up, down = z.copy(), z.copy()
    up[2] += step
    down[2] -= step
    # the others' answers do not depend on the item: only its curve moves
    numeric = (_rest(codes, up, 2)[1] - _rest(codes, down, 2)[1]) / (2.0 * step)
    np.testing.assert_allclose(_rest(codes, z, 2)[2][:, 0], numeric, atol=1e-9)


def test_an_answer_the_model_all_but_rules_out() -> None:
    """Dividing the posterior by a vanishing probability would give 0 / 0."""
    codes = np.array([[0, 1, 1], [1, 0, 0]], dtype=np.int8)
    z = np.array([400.0, 1.0, 1.0])[:, None] * NODES + np.array([1600.0, 0.0, 0.0])[:, None]
    ability, chance, _ = _rest(codes, z, 0)
    # two right answers to the others say what they say, whatever the item's own
    others = np.array([[-1, 1, 1], [-1, 0, 0]], dtype=np.int8)
    others[:, 0] = codes[::-1, 0]
    swapped, _, _ = _rest(others, z, 0)
    np.testing.assert_allclose(ability, swapped, rtol=1e-9)
    assert ability[0] > 0.5
    assert np.isfinite(chance).all()


def test_plausible_values_have_the_posterior() -> None:
    """Draws from anything else have another distribution of the statistic: here a grid of uniform numbers."""
    weights = np.exp(-0.5 * ((NODES - 0.7) / 0.5) ** 2)
    posterior = np.stack([weights / weights.sum(), np.eye(41)[5]])
    uniform = np.tile((np.arange(2000) + 0.5) / 2000, (2, 1))
    out = np.empty((2, 2000))
    plausible_values(posterior, uniform, NODES[0], NODES[1] - NODES[0], out)
    assert out[0].mean() == pytest.approx(0.7, abs=1e-4)
    # a node's weight is spread over its cell: variance spacing^2 / 12 more
    assert out[0].var() == pytest.approx(0.25 + 0.2**2 / 12, rel=1e-3)
    assert np.all(np.diff(out[0]) > 0)
    assert np.abs(out[1] - NODES[5]).max() <= 0.1
