"""Laying out a fit in which known items are fixed and the group's moments are free."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.mml import iterate
from psyirt.estimation.mstep import maximise
from psyirt.estimation.onto import fixed_types, set_up_onto
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.setup import Setup
from psyirt.foundation.progress import silent
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.models.priors import LogNormal
from psyirt.simulation import simulate_responses
from tests.reference.marginal_likelihood import gradient

BANK = pd.DataFrame(
    {
        "a": [0.8, 1.2, 1.6, 1.0, 1.4, 0.9, 1.1],
        "b": [-1.0, 0.0, 1.0, 0.5, -0.5, 0.3, 1.2],
        "c": [0.0, 0.2, 0, 0, 0, 0, 0],
    },
    index=list("ABCDEFG"),
)
KNOWN = ItemParameters.from_frame(BANK.iloc[:4])
CHOICES = [("2PL", None), (["1PL", "1PL", "3PL"], None), ("Rasch", None), ("2PL", {"a": LogNormal(0.0, 0.3)})]


def answers(mean: float = 0.8, subjects: int = 300, missing: float = 0.1) -> Responses:
    theta = np.random.default_rng(8).normal(mean, 1.3, subjects)
    return simulate_responses(items=BANK, theta=theta, seed=8, missing=missing).responses


def set_up(model: object = "2PL", priors: object = None, options: MMLOptions | None = None, **how: float) -> Setup:
    return set_up_onto(KNOWN, answers(**how), model, priors, None, options or MMLOptions())  # type: ignore[arg-type]


@pytest.mark.parametrize(("model", "priors"), CHOICES)
def test_gradient_and_information_know_the_free_moments(model: object, priors: object) -> None:
    """Convergence is judged by them: a mean that is left out is called converged wherever it stands."""
    setup = set_up(model, priors)
    problem, x = setup.problem, setup.start + 0.05
    assert problem.layout.names[-2:] == (("mean", ""), ("variance", ""))
    numeric = gradient(lambda y: problem.objective(y, problem.expectation(y)), x, step=1e-5)
    expected = problem.expectation(x)
    np.testing.assert_allclose(problem.gradient(x, expected), numeric, rtol=1e-5, atol=1e-4)
    size = problem.layout.item_size

    def latent(y: np.ndarray) -> float:
        return float(expected.node_counts @ problem.population(np.append(x[:size], y)).log_weights(problem.grid))

    items = problem.complete_derivatives(x, expected)
    bend = np.diag(np.array([gradient(lambda y, k=k: gradient(latent, y, 1e-3)[k], x[size:], 1e-3) for k in (0, 1)]))
    np.testing.assert_allclose(problem.complete_information(x, expected, items)[size:], -bend, rtol=1e-4)


@pytest.mark.parametrize(("model", "priors"), CHOICES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_em_climbs_to_a_stationary_point(model: object, priors: object, missing: float) -> None:
    """The guard compares log-posteriors: a wrong latent step would be hidden by it, or never end."""
    setup = set_up(model, priors, missing=missing)

    def objective(y: np.ndarray) -> float:
        return setup.problem.objective(y, setup.problem.expectation(y))

    for accelerate in (True, False):
        options = MMLOptions(tolerance=1e-6, accelerate=accelerate)
        x, trace, status = iterate(setup.problem, setup.start, options, silent)
        assert status == "converged"
        assert np.diff([step.objective for step in trace]).min() > -1e-8
        np.testing.assert_allclose(gradient(objective, x, 1e-4), 0.0, atol=1e-2)


def test_one_em_step_moves_the_mean_to_the_pooled_posteriors() -> None:
    """The definition of the latent M-step; a mean that stays where it started is no estimate."""
    setup = set_up()
    problem, x = setup.problem, setup.start + 0.1
    expected = problem.expectation(x)
    new = maximise(problem, x, expected, problem.complete_derivatives(x, expected))
    share = expected.node_counts / expected.node_counts.sum()
    theta = problem.grid.nodes[:, 0]
    assert new[-2] == pytest.approx(share @ theta, abs=1e-5)
    assert new[-1] == pytest.approx(share @ (theta - share @ theta) ** 2, abs=1e-4)


def test_known_items_are_fixed_in_every_slot() -> None:
    """A linking item that moves takes the scale with it."""
    setup = set_up("3PL")
    layout = setup.problem.layout
    assert not layout.is_free[:4].any()
    assert layout.is_free[4:, :3].all()
    np.testing.assert_allclose(layout.values(setup.start)[:4], KNOWN.values, rtol=1e-14)
    assert [kind.name for kind in fixed_types(KNOWN)] == ["fixed"] * 4


def test_the_start_is_on_the_scales_metric() -> None:
    """Start values of new items as if the group were N(0, 1) lie far from the estimates in a group that is not."""
    data = answers(1.2, 4000, 0.0)
    x = set_up_onto(KNOWN, data, "2PL", None, None, MMLOptions()).start.reshape(-1, 2)
    difficulty = -x[:3, 1] / x[:3, 0]
    np.testing.assert_allclose(difficulty, BANK["b"].iloc[4:], atol=0.5)
    assert x[3, 0] == pytest.approx(1.2, abs=0.2)


def test_nodes_reach_a_group_far_away_unless_they_are_given() -> None:
    """Systems may stand five sd above the crowd of the scale, where the usual nodes end."""
    far = set_up(mean=4.5, subjects=2000, missing=0.0).problem.grid
    usual = Grid()
    assert far.high > 9.0
    assert far.low == usual.low
    assert far.spacing == pytest.approx(usual.spacing)
    assert set_up(options=MMLOptions(grid=usual)).problem.grid == usual


@pytest.mark.parametrize(
    ("value", "said"), [(1.0, "answer to the linking items is right"), (0.0, "is wrong"), (np.nan, "nobody")]
)
def test_answers_that_cannot_place_the_group_are_refused(value: float, said: str) -> None:
    """With all linking answers alike the mean is infinite, and the new items with it."""
    frame = answers().to_frame().astype(float)
    frame[list(KNOWN.item_names)] = value
    with pytest.raises(InputError, match=said):
        set_up_onto(KNOWN, Responses.from_frame(frame), "2PL", None, None, MMLOptions())


def test_a_linking_item_that_all_have_right_still_counts() -> None:
    """Set aside like a new item, it would be lost just where it tells that the group is strong."""
    frame = answers().to_frame()
    frame["A"], frame["G"] = 1, 1
    with pytest.warns(UserWarning, match="1 constant item is set aside \\(G\\)"):
        setup = set_up_onto(KNOWN, Responses.from_frame(frame), "2PL", None, None, MMLOptions())
    assert list(setup.responses.item_names) == list("ABCDEF")
