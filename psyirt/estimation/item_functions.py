"""The expected complete-data log-likelihood of items and its derivatives, by the fastest way a model declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from psyirt.foundation.registry import Registry
from psyirt.foundation.threads import ITEMS_AT_ONCE, in_order, slices
from psyirt.kernels.linear_items import linear_derivatives, linear_objectives
from psyirt.kernels.logistic_items import item_derivatives, item_objectives
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
    """

    objectives: Callable[..., None]
    derivatives: Callable[..., None]


FUSED_KERNELS: Registry[FusedKernel] = Registry(
    "fused kernel", {"logistic": FusedKernel(item_objectives, item_derivatives)}
)


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
        FUSED_KERNELS[model.fused_kernel].objectives(values, nodes[:, 0].copy(), expected.counts, out)
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
        fused = FUSED_KERNELS[model.fused_kernel]
        fused.derivatives(values, nodes[:, 0].copy(), expected.counts, gradient, information)
        return Derivatives(gradient, information)
    return model.derivatives(values, nodes, expected.counts, "expected")
