"""One measure for all engines: the marginal log-likelihood on a fine grid, and the distance to truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validation.speed.workloads import Array, Truth, Workload

Answers = NDArray[np.int8]
_ITEMS = 1_000
_CELLS = 4_000_000


@dataclass(frozen=True)
class Quality:
    """How good estimates are.

    Attributes
    ----------
    loglik : float or None
        Marginal log-likelihood of the items that vary; None where an estimate cannot be used.
    objective : float or None
        The same plus the log density of the workload's priors: what a fit with these priors maximises; None where an
        estimate lies outside a prior's support.
    rmse_a, rmse_intercept : float or None
        Root mean squared distance to the true parameters, over the same items.
    without : int
        Items that vary and have no usable estimate: none at all, not finite, or c outside [0, 1).
    """

    loglik: float | None
    objective: float | None
    rmse_a: float | None
    rmse_intercept: float | None
    without: int


def quality(answers: Answers, found: dict[str, Array], truth: Truth, workload: Workload) -> Quality:
    """Judge estimates.

    Parameters
    ----------
    answers : ndarray of int8, shape (N, J)
        1, 0, -1 = missing.
    found : dict
        ``a``, ``intercept`` and, for the 3PL, ``c``, each of shape (J,).
    truth : Truth
        What the answers were drawn from.
    workload : Workload
        Nodes and priors.
    """
    varies = varying(answers)
    c = found.get("c", np.zeros_like(truth.c))
    if any(values.shape != truth.a.shape for values in (found["a"], found["intercept"], c)):
        return Quality(None, None, None, None, int(varies.sum()))
    usable = np.isfinite(found["a"]) & np.isfinite(found["intercept"]) & (c >= 0.0) & (c < 1.0)
    without = int((varies & ~usable).sum())
    if without:
        return Quality(None, None, None, None, without)
    kept = Truth(found["a"][varies], found["intercept"][varies], c[varies])
    columns = None if varies.all() else np.flatnonzero(varies)
    loglik = log_likelihood(answers, kept, workload.nodes, columns)
    objective = loglik + log_prior(kept, workload)
    return Quality(
        loglik,
        objective if math.isfinite(objective) else None,
        math.sqrt(float(np.mean((kept.a - truth.a[varies]) ** 2))),
        math.sqrt(float(np.mean((kept.intercept - truth.intercept[varies]) ** 2))),
        0,
    )


def varying(answers: Answers) -> NDArray[np.bool_]:
    """Which items have both answers; the others have no finite estimate under maximum likelihood."""
    rows = max(1, _CELLS // answers.shape[1])
    right = np.zeros(answers.shape[1], bool)
    wrong = right.copy()
    for first in range(0, len(answers), rows):
        block = answers[first : first + rows]
        right |= (block == 1).any(axis=0)
        wrong |= (block == 0).any(axis=0)
    return right & wrong


def log_likelihood(answers: Answers, items: Truth, nodes: int, columns: NDArray[np.intp] | None = None) -> float:
    """Marginal log-likelihood under theta ~ N(0, 1): `nodes` equally spaced nodes on [-6, 6], weights renormalised.

    Parameters
    ----------
    answers : ndarray of int8, shape (N, J)
        1, 0, -1 = missing.
    items : Truth
        Parameters of K items.
    nodes : int
        Number of nodes.
    columns : ndarray of int, shape (K,), optional
        The items' columns, all J by default.
    """
    theta = np.linspace(-6.0, 6.0, nodes)
    log_weights = -0.5 * theta**2
    log_weights -= np.log(np.exp(log_weights).sum())
    step = min(_ITEMS, len(items.a))
    rows = max(1, _CELLS // max(nodes, step))
    total = 0.0
    for first in range(0, len(answers), rows):
        block = answers[first : first + rows]
        block = block if columns is None else block[:, columns]
        at_nodes = np.tile(log_weights, (len(block), 1))
        for low in range(0, len(items.a), step):
            part = slice(low, low + step)
            right, wrong = log_probabilities(items.a[part], items.intercept[part], items.c[part], theta)
            at_nodes += (block[:, part] == 1).astype(float) @ right + (block[:, part] == 0).astype(float) @ wrong
        highest = at_nodes.max(axis=1)
        total += float((highest + np.log(np.exp(at_nodes - highest[:, None]).sum(axis=1))).sum())
    return total


def log_probabilities(a: Array, intercept: Array, c: Array, theta: Array) -> tuple[Array, Array]:
    """Log probability of a right and of a wrong answer, each of shape (items, nodes)."""
    z = np.outer(a, theta) + intercept[:, None]
    log_wrong = np.log1p(-c)[:, None] - np.logaddexp(0.0, z)
    if not c.any():
        return -np.logaddexp(0.0, -z), log_wrong
    return np.log(c[:, None] + (1.0 - c[:, None]) * np.exp(-np.logaddexp(0.0, -z))), log_wrong


def log_prior(items: Truth, workload: Workload) -> float:
    """Log density of the workload's priors at the estimates; minus infinity outside their support."""
    total = 0.0
    for slot, (kind, first, second) in workload.priors.items():
        x = items.c if slot == "c" else items.a
        with np.errstate(divide="ignore", invalid="ignore"):
            if kind == "beta":
                constant = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
                density = (first - 1.0) * np.log(x) + (second - 1.0) * np.log1p(-x) + constant
            else:
                density = -0.5 * ((np.log(x) - first) / second) ** 2 - np.log(x * second * math.sqrt(2.0 * math.pi))
        total += float(np.where(np.isnan(density), -np.inf, density).sum())
    return total
