"""The expected complete-data log-likelihood of items and its derivatives, by the fastest way a model declares."""

from __future__ import annotations

import numpy as np

from psyirt.kernels.logistic_items import item_derivatives, item_objectives
from psyirt.models.base import Array, Derivatives, ResponseModel


def objectives(model: ResponseModel, values: Array, nodes: Array, counts: Array) -> Array:
    """sum_kq counts[j, k, q] log P_jk(theta_q) of each item.

    Parameters
    ----------
    model : ResponseModel
        The response function.
    values : ndarray, shape (J, S)
        Slot values on the estimation scale.
    nodes : ndarray, shape (Q, D)
        Abilities.
    counts : ndarray, shape (J, C, Q)
        Expected counts.

    Returns
    -------
    ndarray, shape (J,)
        -inf for an item outside the model's domain.
    """
    if model.fused_kernel == "logistic":
        out = np.empty(len(values))
        item_objectives(values, nodes[:, 0].copy(), counts, out)
        return out
    table = model.log_probabilities(values, nodes)
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, counts * table, 0.0).sum((1, 2))


def derivatives(model: ResponseModel, values: Array, nodes: Array, counts: Array) -> Derivatives:
    """Gradient and Fisher information of :func:`objectives`; parameters as there, items inside the model's domain."""
    if model.fused_kernel == "logistic":
        gradient, information = np.empty(values.shape), np.empty((*values.shape, values.shape[1]))
        item_derivatives(values, nodes[:, 0].copy(), counts, gradient, information)
        return Derivatives(gradient, information)
    return model.derivatives(values, nodes, counts, "expected")
