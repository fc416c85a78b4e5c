"""Ways in which responses go missing, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit


@dataclass(frozen=True, eq=False)
class Answers:
    """Simulated answers and the truth behind them.

    Attributes
    ----------
    codes : ndarray of int8, shape (N, J)
        1 right, 0 wrong.
    theta : ndarray, shape (N,)
        True abilities.
    difficulty : ndarray, shape (J,)
        True difficulties.
    """

    codes: NDArray[np.int8]
    theta: NDArray[np.float64]
    difficulty: NDArray[np.float64]


# (answers, a uniform random number for each) -> which of them are missing, shape (N, J)
Mechanism = Callable[[Answers, NDArray[np.float64]], NDArray[np.bool_]]


def _booklets(
    answers: Answers,  # noqa: ARG001
    uniform: NDArray[np.float64],
) -> NDArray[np.bool_]:
    subjects, items = uniform.shape
    block = np.arange(items) * 3 // items
    first = np.arange(subjects)[:, None] % 3
    return ~((block == first) | (block == (first + 1) % 3))


def _with_ability(answers: Answers, uniform: NDArray[np.float64]) -> NDArray[np.bool_]:
    return uniform < expit(-1.0 - answers.theta)[:, None]


def _too_hard(answers: Answers, uniform: NDArray[np.float64]) -> NDArray[np.bool_]:
    return uniform < 0.6 * expit(1.5 * (answers.difficulty - answers.theta[:, None]))


def _wrong(answers: Answers, uniform: NDArray[np.float64]) -> NDArray[np.bool_]:
    return uniform < np.where(answers.codes == 0, 0.3, 0.1)


MECHANISMS: dict[str, Mechanism] = {
    "complete": lambda _, uniform: uniform < 0.0,
    "by design": _booklets,
    "10 % at random": lambda _, uniform: uniform < 0.1,
    "30 % at random": lambda _, uniform: uniform < 0.3,
    "50 % at random": lambda _, uniform: uniform < 0.5,
    "with ability": _with_ability,
    "too hard": _too_hard,
    "wrong ones": _wrong,
}
IN_WORDS = {
    "by design": "three booklets, each of two thirds of the items",
    "with ability": "the less able answer less: logit P(missing) = -1 - theta",
    "too hard": "not at random: the less able skip harder items, P(missing) = .6 logistic(1.5 (b - theta))",
    "wrong ones": "not at random: 30 % of the wrong answers and 10 % of the right ones are missing",
}
