"""The contract of a response model: what estimation, scoring and diagnostics ask of it.

A model turns numbers (one row of *slots* per item, on the scale they are estimated on) and ability nodes into
log-probabilities and their derivatives. It knows neither data nor estimation; the kernels that meet the data
know no model. To add a response function: implement :class:`ResponseModel`, add item types that use it to
``models/registry.py``, and the tests that every registered model must pass pick it up.

Shapes used throughout: J items, C categories, Q nodes, D dimensions of ability, S slots per item.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
CurvatureKind = Literal["expected", "observed"]


@dataclass(frozen=True)
class Derivatives:
    """First and second derivatives of the expected complete-data log-likelihood, item by item.

    Attributes
    ----------
    gradient : ndarray, shape (J, S)
        d sum_kq counts[j, k, q] log P_jk(theta_q) / d slot.
    information : ndarray, shape (J, S, S)
        Minus the second derivatives: as they are ("observed"), or with each node's correct count
        replaced by its expectation ("expected", positive semi-definite: Fisher scoring).
    """

    gradient: Array
    information: Array


class ResponseModel(ABC):
    """A response function for items that share a set of slots.

    Attributes
    ----------
    dimensions : int
        D, the number of abilities.
    slots : tuple of str
        Names of an item's numbers, in the order of the columns of `values`.
    categories : int
        C, the number of response categories (0 .. C-1).
    fused_kernel : str
        Name of a kernel that computes an item's objective and derivatives in one pass (an entry of
        ``psyirt.estimation.item_functions.FUSED_KERNELS``), "" where there is none; a declaration that estimation
        uses, the methods below staying the general path and the reference.
    """

    dimensions: int
    slots: tuple[str, ...]
    categories: int
    fused_kernel: str = ""

    @abstractmethod
    def log_probabilities(self, values: Array, nodes: Array) -> Array:
        """Log-probability of each category.

        Parameters
        ----------
        values : ndarray, shape (J, S)
            Slot values on the estimation scale.
        nodes : ndarray, shape (Q, D)
            Abilities.

        Returns
        -------
        ndarray, shape (J, C, Q)
            exp() of it sums to 1 over C. A row of values outside the model's domain gives -inf.
        """

    def linear_logits(self, values: Array) -> tuple[Array, Array] | None:  # noqa: ARG002
        """Slopes and intercepts, each of shape (J,), where log P(1)/P(0) = slope * theta + intercept for all items.

        A declaration that estimation may use: with complete answers a weighted sum score is then sufficient. None, as
        here, says nothing of the sort.
        """
        return None

    @abstractmethod
    def scores(self, values: Array, nodes: Array) -> Array:
        """Derivative of each log-probability in each slot.

        Returns
        -------
        ndarray, shape (J, C, Q, S)
        """

    @abstractmethod
    def derivatives(self, values: Array, nodes: Array, counts: Array, kind: CurvatureKind) -> Derivatives:
        """Derivatives of sum_kq counts[j, k, q] log P_jk(theta_q).

        Parameters
        ----------
        values : ndarray, shape (J, S)
            Slot values on the estimation scale.
        nodes : ndarray, shape (Q, D)
            Abilities.
        counts : ndarray, shape (J, C, Q)
            Expected number of subjects at a node answering in a category.
        kind : {"expected", "observed"}
            Which information; see :class:`Derivatives`.
        """

    @abstractmethod
    def information(self, values: Array, nodes: Array) -> Array:
        """Fisher information about theta, sum_k P_k (d log P_k / d theta)^2, for one ability.

        Returns
        -------
        ndarray, shape (J, Q)
        """

    @abstractmethod
    def ability_derivatives(self, values: Array, nodes: Array) -> tuple[Array, Array]:
        """First and second derivative of each log-probability in theta, for one ability.

        Returns
        -------
        tuple of two ndarrays, each of shape (J, C, Q)
        """
