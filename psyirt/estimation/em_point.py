"""A point of the iteration and what one E-step and one M-step tell about it."""

from __future__ import annotations

from dataclasses import dataclass

from psyirt.estimation.item_functions import EStep
from psyirt.estimation.mstep import maximise
from psyirt.estimation.problem import Problem
from psyirt.models.base import Array, Derivatives


@dataclass(frozen=True, eq=False)
class EMPoint:
    """A point that was accepted.

    Attributes
    ----------
    x : ndarray, shape (size,)
        The free vector.
    expected : Expectation or ScoreExpectation
        The E-step there.
    items : Derivatives
        Of the expected complete-data log-likelihood, item by item.
    gradient : ndarray, shape (size,)
        Of the log-posterior (Fisher's identity: free after an E-step).
    information : ndarray, shape (size,)
        Diagonal of the complete-data information; positive.
    mapped : ndarray, shape (size,)
        The image under the EM map, whose log-posterior is no lower.
    """

    x: Array
    expected: EStep
    items: Derivatives
    gradient: Array
    information: Array
    mapped: Array


def em_point(problem: Problem, x: Array, expected: EStep) -> EMPoint:
    """What there is to know at `x`, where the E-step left `expected`."""
    items = problem.complete_derivatives(x, expected)
    return EMPoint(
        x,
        expected,
        items,
        problem.gradient(x, expected, items),
        problem.complete_information(x, expected, items),
        maximise(problem, x, expected, items),
    )
