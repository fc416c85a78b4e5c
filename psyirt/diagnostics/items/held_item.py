"""One item's answers given all others: a likelihood in three parameters, cheap enough for many starts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import xlogy

from psyirt.data.patterns import Patterns
from psyirt.likelihood import posteriors
from psyirt.models.base import Array, ResponseModel
from psyirt.results.calibration import Calibration

# log-likelihood gained below which a climb has arrived
NO_GAIN = 1e-4
_MOST_STEPS, _LONGEST_STEP = 50, 2.0


@dataclass(frozen=True, eq=False)
class HeldItem:
    """Marginal log-likelihood of one item as a function of x = (a, intercept, logit c), the other items held.

    Attributes
    ----------
    posterior : ndarray, shape (R, Q)
        Ability of each pattern's subjects given their answers to all other items.
    answers : ndarray, shape (R,)
        1 correct, 0 wrong; expected answers lie between.
    weights : ndarray, shape (R,)
        Pattern weights.
    model : ResponseModel
        The response function.
    nodes : ndarray, shape (Q, 1)
        Ability nodes.
    upper : float
        logit d.
    """

    posterior: Array
    answers: Array
    weights: Array
    model: ResponseModel
    nodes: Array
    upper: float

    @classmethod
    def of(cls, calibration: Calibration, j: int) -> HeldItem:
        """Item j of a calibration that has responses."""
        patterns = calibration.patterns
        assert patterns is not None
        codes = patterns.codes
        others = codes.copy()
        others[:, j] = -1
        blocks = posteriors(Patterns.of(others), calibration.table, calibration.log_weights)
        seen = codes[:, j] >= 0
        return cls(
            np.concatenate([block.weights for block in blocks])[seen],
            (codes[seen, j] == 1).astype(float),
            patterns.weights[seen],
            calibration.model,
            calibration.grid.nodes,
            float(calibration.item_parameters.values[j, -1]),
        )

    def with_answers(self, answers: Array) -> HeldItem:
        """The same subjects with other (for example expected) answers, shape (R,)."""
        return replace(self, answers=answers)

    @property
    def proportion(self) -> float:
        """Weighted proportion correct."""
        return float(np.average(self.answers, weights=self.weights))

    def _curve(self, x: Array) -> tuple[Array, Array, Array]:
        """Slot values at `x`, and the probabilities of a wrong and of a correct answer at the nodes."""
        values = np.array([[x[0], x[1], x[2], self.upper]])
        wrong, right = np.exp(self.model.log_probabilities(values, self.nodes)[0])
        return values, wrong, right

    def chance(self, x: Array) -> Array:
        """Each pattern's probability of a correct answer at `x`, shape (R,)."""
        return self.posterior @ self._curve(x)[2]

    def log_likelihood(self, x: Array) -> float:
        """Weighted log-likelihood of the answers."""
        # both chances from their own logs: 1 - chance would lose all digits where chance is near 1
        _, wrong, right = self._curve(x)
        log_answers = xlogy(self.answers, self.posterior @ right) + xlogy(1.0 - self.answers, self.posterior @ wrong)
        return float(self.weights @ log_answers)

    def _step(self, x: Array) -> Array:
        """Fisher-scoring step: expected information against the gradient; 0 for c where c = 0."""
        values, wrong_at, right_at = self._curve(x)
        slope = self.posterior @ (right_at[:, None] * self.model.scores(values, self.nodes)[0, 1, :, :3])
        right, wrong = self.posterior @ right_at, self.posterior @ wrong_at
        both = right * wrong
        # a pattern that is certain of its answer says nothing about the parameters
        per_answer = np.divide(self.weights, both, out=np.zeros_like(both), where=both > 0)
        residual = self.answers * wrong - (1.0 - self.answers) * right
        information = (slope * per_answer[:, None]).T @ slope
        information[np.diag_indices(3)] *= 1.0 + 1e-6
        step = np.linalg.lstsq(information, (per_answer * residual) @ slope, rcond=None)[0]
        longest = float(np.abs(step).max(initial=1e-300))
        return np.asarray(step * min(1.0, _LONGEST_STEP / longest))

    def climb(self, x: Array) -> tuple[Array, float]:
        """A local maximum from `x`, and its log-likelihood; steps are halved until they do not descend."""
        reached = self.log_likelihood(x)
        for _ in range(_MOST_STEPS):
            step = self._step(x)
            while not (higher := self.log_likelihood(x + step)) >= reached and np.abs(step).max() > 1e-8:
                step = step / 2.0
            if not higher - reached >= NO_GAIN:
                break
            x, reached = x + step, higher
        return x, reached
