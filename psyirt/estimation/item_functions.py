"""The expected complete-data log-likelihood of items and its derivatives, by the fastest way a model declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.foundation.registry import Registry
from psyirt.foundation.threads import ITEMS_AT_ONCE, in_order, slices
from psyirt.kernels.linear_items import linear_derivatives, linear_objectives, maximise_linear
from psyirt.kernels.logistic_items import item_derivatives, item_objectives, maximise_items
from psyirt.likelihood import Expectation
from psyirt.models.base import Array, Derivatives, ResponseModel
from psyirt.score_likelihood import ScoreExpectation

EStep = Expectation | ScoreExpectation


@dataclass(frozen=True)
class FusedKernel:
    """What a model may name in ``fused_kernel``: sums over the nodes of one ability, in one pass.

    Attributes
    ----------
    objectives : callable
        (values, nodes, counts, out) fills `out`, shape (J,).
    derivatives : callable
        (values, nodes, counts, gradient, information) fills the last two.
    maximise : callable
        (values, free, priors, longest, nodes, counts, steps) overwrites `values` with better ones.
    """

    objectives: Callable[..., None]
    derivatives: Callable[..., None]
    maximise: Callable[..., None]


@dataclass(frozen=True)
class Steps:
    """How far an M-step goes.

    Attributes
    ----------
    most : int
        Newton steps at most.
    longest : float
        What a step of a parameter is cut to.
    shortest : float
        A step this short is an item's last where Newton's method converges quadratically.
    """

    most: int
    longest: float
    shortest: float


FUSED_KERNELS: Registry[FusedKernel] = Registry(
    "fused kernel", {"logistic": FusedKernel(item_objectives, item_derivatives, maximise_items)}
)

# items that one thread takes at a time where each has counts at every node
_FEW_ITEMS = 256


def objectives(model: ResponseModel, values: Array, nodes: Array, expected: EStep) -> Array:
    """sum_kq counts[j, k, q] log P_jk(theta_q) of each item.

    Parameters
    ----------
    model : ResponseModel
        The response function.
    values : ndarray, shape (J, S)
        Slot values on the estimation scale.
    nodes : ndarray, shape (Q, D)
        Abilities.
    expected : Expectation or ScoreExpectation
        What the E-step left.

    Returns
    -------
    ndarray, shape (J,)
        -inf for an item outside the model's domain.
    """
    out = np.empty(len(values))
    if isinstance(expected, ScoreExpectation):
        nodes_used, right, moments, node_counts = expected.sums

        def some(j: slice) -> None:
            linear_objectives(values[j], nodes_used, right[j], moments[j], node_counts, out[j])

        in_order(some, slices(len(values), ITEMS_AT_ONCE))
        return out
    if model.fused_kernel:
        fused, theta = FUSED_KERNELS[model.fused_kernel], nodes[:, 0].copy()
        counts = expected.counts
        in_order(lambda j: fused.objectives(values[j], theta, counts[j], out[j]), slices(len(values), _FEW_ITEMS))
        return out
    table = model.log_probabilities(values, nodes)
    with np.errstate(invalid="ignore"):
        return np.where(expected.counts > 0, expected.counts * table, 0.0).sum((1, 2))


def derivatives(model: ResponseModel, values: Array, nodes: Array, expected: EStep) -> Derivatives:
    """Gradient and Fisher information of :func:`objectives`; parameters as there, items inside the model's domain."""
    gradient, information = np.empty(values.shape), np.empty((*values.shape, values.shape[1]))
    if isinstance(expected, ScoreExpectation):
        nodes_used, right, moments, node_counts = expected.sums

        def some(j: slice) -> None:
            linear_derivatives(values[j], nodes_used, right[j], moments[j], node_counts, gradient[j], information[j])

        in_order(some, slices(len(values), ITEMS_AT_ONCE))
        return Derivatives(gradient, information)
    if model.fused_kernel:
        fused, theta, counts = FUSED_KERNELS[model.fused_kernel], nodes[:, 0].copy(), expected.counts

        def few(j: slice) -> None:
            fused.derivatives(values[j], theta, counts[j], gradient[j], information[j])

        in_order(few, slices(len(values), _FEW_ITEMS))
        return Derivatives(gradient, information)
    return model.derivatives(values, nodes, expected.counts, "expected")


def has_maximiser(model: ResponseModel, expected: EStep) -> bool:
    """Whether :func:`maximise` knows this model and what the E-step left."""
    return isinstance(expected, ScoreExpectation) or bool(model.fused_kernel)


def maximise(
    model: ResponseModel,
    values: Array,
    free: NDArray[np.bool_],
    priors: Array,
    steps: Steps,
    nodes: Array,
    expected: EStep,
) -> None:
    """Newton steps on the expected complete-data log-posterior of every item for itself.

    Parameters
    ----------
    model : ResponseModel
        One that :func:`has_maximiser`.
    values : ndarray, shape (J, S)
        Slot values; overwritten with values that are at least as good.
    free : ndarray of bool, shape (J, S)
        Which of them may move.
    priors : ndarray, shape (J, S, 3)
        From :func:`psyirt.estimation.compiled_priors.compiled_priors`.
    steps : Steps
        How many, and how long.
    nodes, expected
        As in :func:`objectives`.
    """
    if isinstance(expected, ScoreExpectation):
        nodes_used, right, moments, node_counts = expected.sums

        def some(j: slice) -> None:
            sums = (nodes_used, right[j], moments[j], node_counts)
            maximise_linear(values[j], free[j], priors[j], steps.longest, steps.shortest, *sums, steps.most)

        in_order(some, slices(len(values), ITEMS_AT_ONCE))
        return
    fused, theta, counts = FUSED_KERNELS[model.fused_kernel], nodes[:, 0].copy(), expected.counts

    def few(j: slice) -> None:
        fused.maximise(values[j], free[j], priors[j], steps.longest, theta, counts[j], steps.most)

    in_order(few, slices(len(values), _FEW_ITEMS))
