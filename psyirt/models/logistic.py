"""The one logistic formula: P = c + (d - c) logistic(a'theta + intercept).

Rasch, 1PL, 2PL, 3PL, feasibility and 4PL differ only in which slots are free, shared or fixed
(``item_types.py``), in one dimension or several. Slots are estimated as slopes, intercept, logit c, logit d;
a fixed c = 0 is logit c = -inf, a fixed d = 1 is logit d = +inf, and the derivatives there vanish by themselves.

Sources: Birnbaum (1968, ch. 17); Barton & Lord (1981) for the upper asymptote. Logistic metric (D = 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from psyirt.models.base import Array, CurvatureKind, Derivatives, ResponseModel


@dataclass(frozen=True)
class _Pieces:
    """P, 1 - P and the ratios rho_x = (dP/dx) / (P (1 - P)), which stay finite where P reaches 0 or 1.

    Every array is (J, Q); `rho_c` and `rho_d` are None where no item has that asymptote.
    """

    log_correct: Array
    log_wrong: Array
    correct: Array
    wrong: Array
    logistic: Array
    rho_z: Array
    rho_c: Array | None
    rho_d: Array | None
    c: Array
    d: Array


def _log_logit_slope(x: Array) -> Array:
    """log(p (1 - p)) at logit x, -inf for a fixed 0 or 1: in logs, because 0 times an overflow is not 0."""
    return log_expit(x) + log_expit(-x)


def _log_raised(floor: Array, span: Array, log_share: Array) -> Array:
    """log(floor + span * exp(log_share)); floor and span (J, 1), log_share (J, Q)."""
    with np.errstate(divide="ignore"):
        # a share that underflows beside a floor is nothing; without one its logarithm is all there is
        return np.where(floor > 0.0, np.log(floor + span * np.exp(log_share)), np.log(span) + log_share)


def _share(chance: Array, floor: Array, span: Array) -> Array:
    """chance / (floor + span * chance), its limit 1 / span where both vanish."""
    return np.divide(
        chance, floor + span * chance, out=np.broadcast_to(1.0 / span, chance.shape).copy(), where=chance > 0
    )


class LogisticModel(ResponseModel):
    """P(correct | theta) = c + (d - c) / (1 + exp(-(a'theta + intercept))).

    Parameters
    ----------
    dimensions : int
        D, the number of abilities.
    """

    categories = 2

    def __init__(self, dimensions: int = 1) -> None:
        self.dimensions = dimensions
        slopes = ("a",) if dimensions == 1 else tuple(f"a{k + 1}" for k in range(dimensions))
        self.slots = (*slopes, "intercept", "c", "d")
        self.fused_kernel = "logistic" if dimensions == 1 else ""

    def __repr__(self) -> str:
        """The formula's name and dimension."""
        return f"LogisticModel(dimensions={self.dimensions})"

    def _design(self, nodes: Array) -> Array:
        """Nodes and a column of ones, (Q, D + 1): what z is linear in."""
        return np.column_stack([nodes, np.ones(len(nodes))])

    def _logs(self, values: Array, nodes: Array) -> tuple[Array, Array, Array, Array]:
        """log P, log (1 - P), log L and log (1 - L), each (J, Q); an item with d <= c gives -inf."""
        z = values[:, : self.dimensions + 1] @ self._design(nodes).T
        log_l = np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))
        log_1ml = log_l - z
        c, d = expit(values[:, -2:-1]), expit(values[:, -1:])
        # asked of the logits: expit(40) is 1.0 in floating point, but a slip is then possible all the same
        if np.all(np.isneginf(values[:, -2])) and np.all(np.isposinf(values[:, -1])):
            return log_l, log_1ml, log_l, log_1ml
        span = np.maximum(d - c, 0.0)
        log_p = _log_raised(c, span, log_l)
        # 1 - d from its own logit: 1.0 - expit(x) loses digits where d is near 1
        log_q = _log_raised(expit(-values[:, -1:]), span, log_1ml)
        outside = d[:, 0] <= c[:, 0]
        log_p[outside] = log_q[outside] = -np.inf
        return log_p, log_q, log_l, log_1ml

    def _pieces(self, values: Array, nodes: Array) -> _Pieces:
        log_p, log_q, log_l, log_1ml = self._logs(values, nodes)
        c, d = expit(values[:, -2:-1]), expit(values[:, -1:])
        has_c, has_d = bool(np.any(np.isfinite(values[:, -2]))), bool(np.any(np.isfinite(values[:, -1])))
        if has_c or has_d:
            with np.errstate(divide="ignore"):
                rho_z = np.exp(np.log(d - c) + log_l + log_1ml - log_p - log_q)
        else:
            rho_z = np.ones_like(log_p)
        return _Pieces(
            log_p,
            log_q,
            np.exp(log_p),
            np.exp(log_q),
            np.exp(log_l),
            rho_z,
            np.exp(_log_logit_slope(values[:, -2:-1]) + log_1ml - log_p - log_q) if has_c else None,
            np.exp(_log_logit_slope(values[:, -1:]) + log_l - log_p - log_q) if has_d else None,
            c,
            d,
        )

    def log_probabilities(self, values: Array, nodes: Array) -> Array:
        """See :meth:`ResponseModel.log_probabilities`."""
        log_p, log_q, _, _ = self._logs(values, nodes)
        return np.stack([log_q, log_p], axis=1)

    def linear_logits(self, values: Array) -> tuple[Array, Array] | None:
        """See :meth:`ResponseModel.linear_logits`: one ability, no lower and no upper asymptote."""
        if self.dimensions != 1 or np.any(np.isfinite(values[:, -2:])):
            return None
        return np.ascontiguousarray(values[:, 0]), np.ascontiguousarray(values[:, 1])

    def scores(self, values: Array, nodes: Array) -> Array:
        """See :meth:`ResponseModel.scores`: d log P = (1 - P) rho, d log (1 - P) = -P rho."""
        p = self._pieces(values, nodes)
        out = np.zeros((len(values), 2, len(nodes), len(self.slots)))
        either = np.stack([-p.correct, p.wrong], axis=1)
        out[..., : self.dimensions + 1] = (either * p.rho_z[:, None])[..., None] * self._design(nodes)
        if p.rho_c is not None:
            out[..., -2] = either * p.rho_c[:, None]
        if p.rho_d is not None:
            out[..., -1] = either * p.rho_d[:, None]
        return out

    def derivatives(self, values: Array, nodes: Array, counts: Array, kind: CurvatureKind) -> Derivatives:
        """See :meth:`ResponseModel.derivatives`."""
        p = self._pieces(values, nodes)
        design = self._design(nodes)
        wrong, correct = counts[:, 0], counts[:, 1]
        residual = correct * p.wrong - wrong * p.correct
        if kind == "expected":
            weight = (correct + wrong) * p.correct * p.wrong
        else:
            weight = correct * p.wrong**2 + wrong * p.correct**2
        linear = self.dimensions + 1
        gradient = np.zeros((len(values), len(self.slots)))
        information = np.zeros((len(values), len(self.slots), len(self.slots)))
        bend = weight * p.rho_z**2
        if kind == "observed":
            bend = bend - residual * p.rho_z * (1.0 - 2.0 * p.logistic)
        gradient[:, :linear] = (residual * p.rho_z) @ design
        products = (design[:, :, None] * design[:, None, :]).reshape(len(nodes), -1)
        information[:, :linear, :linear] = (bend @ products).reshape(-1, linear, linear)
        for column, rho, edge, sign in ((-2, p.rho_c, p.c, 1.0), (-1, p.rho_d, p.d, -1.0)):
            if rho is None:
                continue
            gradient[:, column] = (residual * rho).sum(1)
            cross, own = weight * p.rho_z * rho, weight * rho**2
            if kind == "observed":
                cross = cross + sign * residual * p.rho_z * edge * (1 - edge) / (p.d - p.c)
                own = own - residual * rho * (1 - 2 * edge)
            information[:, column, :linear] = information[:, :linear, column] = cross @ design
            information[:, column, column] = own.sum(1)
        if p.rho_c is not None and p.rho_d is not None:
            # the formula is bilinear in c and d with no cross term, so only the outer product remains
            information[:, -1, -2] = information[:, -2, -1] = (weight * p.rho_c * p.rho_d).sum(1)
        return Derivatives(gradient, information)

    def information(self, values: Array, nodes: Array) -> Array:
        """See :meth:`ResponseModel.information`: a^2 rho_z^2 P (1 - P) (Birnbaum 1968, eq. 20.2.2)."""
        z = values[:, : self.dimensions + 1] @ self._design(nodes).T
        t = np.exp(-np.abs(z))
        large, small = 1.0 / (1.0 + t), t / (1.0 + t)
        right, wrong = np.where(z >= 0.0, large, small), np.where(z >= 0.0, small, large)
        c, d, above = expit(values[:, -2:-1]), expit(values[:, -1:]), expit(-values[:, -1:])
        # rho_z^2 P (1 - P) = (d - c)^2 L (1 - L) [L / P] [(1 - L) / (1 - P)], with ratios that stay finite
        ratios = _share(right, c, d - c) * _share(wrong, above, d - c)
        return values[:, :1] ** 2 * (d - c) ** 2 * right * wrong * ratios

    def ability_derivatives(self, values: Array, nodes: Array) -> tuple[Array, Array]:
        """See :meth:`ResponseModel.ability_derivatives`."""
        p = self._pieces(values, nodes)
        slope = values[:, :1]
        first = slope * p.rho_z
        bend = slope**2 * p.rho_z * (1.0 - 2.0 * p.logistic)
        right = p.wrong * bend - (p.wrong * first) ** 2
        wrong = -p.correct * bend - (p.correct * first) ** 2
        return (
            np.stack([-p.correct * first, p.wrong * first], axis=1),
            np.stack([wrong, right], axis=1),
        )
