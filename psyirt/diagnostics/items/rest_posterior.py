"""Each item's answers beside what the answers to all other items predict: defined whatever is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.kernels.rest_posterior import log_joint, rest_answers
from psyirt.models.base import ResponseModel
from psyirt.models.layout import ParameterLayout

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FitAt:
    """Answers, model and population at one point: what predictions are made from.

    Attributes
    ----------
    codes : ndarray of int8, shape (R, J)
        1, 0, -1 missing.
    weights : ndarray, shape (R,)
        How many subjects a row stands for.
    model : ResponseModel
        The response function.
    layout : ParameterLayout
        Which parameters were estimated.
    values : ndarray, shape (J, S)
        Slot values.
    nodes : ndarray, shape (Q, 1)
        Abilities.
    log_weights : ndarray, shape (Q,)
        Log population weights.
    """

    codes: NDArray[np.int8]
    weights: Array
    model: ResponseModel
    layout: ParameterLayout
    values: Array
    nodes: Array
    log_weights: Array


@dataclass(frozen=True, eq=False)
class RestAnswers:
    """One item's answers, for the A patterns that answered it.

    Attributes
    ----------
    weights : ndarray, shape (A,)
        Pattern weights.
    right : ndarray, shape (A,)
        1 correct, 0 wrong.
    ability : ndarray, shape (A,)
        Posterior mean given the answers to all other items.
    chance : ndarray, shape (A,)
        Probability of a correct answer given those.
    change : ndarray, shape (A, M)
        Its derivatives in the item's own M free parameters (those shared with other items are taken as known).
    """

    weights: Array
    right: Array
    ability: Array
    chance: Array
    change: Array


class RestPosterior:
    """Ability given all answers but those to one item, item by item.

    Parameters
    ----------
    fit : FitAt
        Answers and the model at the estimates.
    """

    def __init__(self, fit: FitAt) -> None:
        self._fit = fit
        self._table = np.ascontiguousarray(fit.model.log_probabilities(fit.values, fit.nodes))
        self._joint = np.empty((len(fit.codes), len(fit.nodes)))
        log_joint(np.ascontiguousarray(fit.codes), self._table, fit.log_weights, self._joint)

    def item(self, j: int) -> RestAnswers:
        """Item `j`: its answers and their predictions."""
        fit = self._fit
        answers = np.ascontiguousarray(fit.codes[:, j])
        slopes = self._slopes(j)
        ability, chance = np.empty((2, len(answers)))
        change = np.empty((len(answers), len(slopes)))
        logs = self._table[j]
        nodes = np.ascontiguousarray(fit.nodes[:, 0])
        rest_answers(answers, self._joint, logs, np.exp(logs[1]), nodes, slopes, ability, chance, change)
        seen = answers >= 0
        right = (answers[seen] == 1).astype(float)
        return RestAnswers(fit.weights[seen], right, ability[seen], chance[seen], change[seen])

    def _slopes(self, j: int) -> Array:
        """Derivatives of the probability correct in the item's own free parameters, shape (M, Q)."""
        fit = self._fit
        scores = fit.model.scores(fit.values[j : j + 1], fit.nodes)[0, 1]
        own = fit.layout.is_free[j] & ~fit.layout.is_shared[j]
        return np.ascontiguousarray((np.exp(self._table[j, 1])[:, None] * scores[:, own]).T)
