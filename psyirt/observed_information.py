"""Observed information of the marginal likelihood, from likelihood and models alone.

Louis (1982): the complete-data information expected under the posterior, minus what is missing, the posterior
covariance of the complete-data score. The same pass gives the cross-product of the subjects' scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psyirt.data.patterns import Patterns
from psyirt.foundation.threads import one_blas_thread
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.likelihood import expectation, posteriors
from psyirt.models.base import Array, ResponseModel
from psyirt.models.layout import ParameterLayout

# patterns x nodes x parameters held at once
_BLOCK_NUMBERS = 8_000_000


@dataclass(frozen=True, eq=False)
class InformationMatrices:
    """Information of the log-likelihood, priors not included, on the estimation scale.

    Attributes
    ----------
    observed : ndarray, shape (size, size)
        Minus the second derivative of the marginal log-likelihood.
    crossprod : ndarray, shape (size, size)
        Weighted sum over subjects of score score'.
    """

    observed: Array
    crossprod: Array


@one_blas_thread()
def information_matrices(
    patterns: Patterns,
    model: ResponseModel,
    layout: ParameterLayout,
    values: Array,
    population: NormalPopulation,
    grid: Grid,
) -> InformationMatrices:
    """Louis's observed information and the cross-product matrix.

    Parameters
    ----------
    patterns : Patterns
        The responses.
    model, layout
        Response function and its free parameters.
    values : ndarray, shape (J, S)
        Slot values on the estimation scale.
    population, grid
        Ability density and nodes.

    Returns
    -------
    InformationMatrices
    """
    table = model.log_probabilities(values, grid.nodes)
    log_weights = population.log_weights(grid)
    expected = expectation(patterns, table, log_weights)
    complete = np.zeros((layout.size, layout.size))
    items = model.derivatives(values, grid.nodes, expected.counts, "observed")
    complete[: layout.item_size, : layout.item_size] = layout.fold_matrix(items.information)
    latent = np.zeros(len(grid.nodes))
    if layout.frees_variance:
        latent, second = population.variance_scores(grid)
        complete[-1, -1] = -float(expected.node_counts @ second)
    within, crossprod = _score_moments(patterns, model.scores(values, grid.nodes), latent, layout, table, log_weights)
    observed = complete - (within - crossprod)
    return InformationMatrices(0.5 * (observed + observed.T), crossprod)


def _score_moments(
    patterns: Patterns, scores: Array, latent: Array, layout: ParameterLayout, table: Array, log_weights: Array
) -> tuple[Array, Array]:
    """Sum over subjects of E[s s'] and of E[s] E[s]', s the complete-data score under the posterior."""
    size, nodes = layout.size, len(log_weights)
    second, outer = np.zeros((size, size)), np.zeros((size, size))
    step = max(1, _BLOCK_NUMBERS // (nodes * max(size, 1)))
    for start in range(0, len(patterns.codes), step):
        codes = patterns.codes[start : start + step]
        weights = patterns.weights[start : start + step]
        posterior = np.concatenate([block.weights for block in posteriors(codes, table, log_weights)])
        score = _pattern_scores(codes, scores, latent, layout)
        mean = np.einsum("prq,rq->pr", score, posterior) * np.sqrt(weights)
        outer += mean @ mean.T
        # weighted in place by the root, so that one matrix times its own transpose is the sum
        # (below 1e-100 a node adds nothing, but denormal products would make the multiplication ten times slower)
        score *= np.sqrt(np.where(posterior > 1e-100, posterior, 0.0) * weights[:, None])
        flat = score.reshape(size, -1)
        second += flat @ flat.T
    return second, outer


def _pattern_scores(codes: NDArray[np.int8], scores: Array, latent: Array, layout: ParameterLayout) -> Array:
    """Complete-data score of each pattern at each node, shape (size, R, Q)."""
    out = np.zeros((layout.size, len(codes), scores.shape[2]))
    # a last category of zeros: what a missing response (-1) adds
    padded = np.concatenate([scores, np.zeros_like(scores[:, :1])], axis=1)
    for j, at in enumerate(layout.index):
        for s in np.flatnonzero(at >= 0):
            out[at[s]] += padded[j, :, :, s][codes[:, j]]
    if layout.frees_variance:
        out[-1] = latent
    return out


@one_blas_thread()
def information_blocks(
    patterns: Patterns,
    model: ResponseModel,
    values: Array,
    population: NormalPopulation,
    grid: Grid,
) -> Array:
    """Louis's observed information of each item's slots alone, cross-item terms left out; shape (J, S, S).

    For fits with too many parameters for a full matrix. Standard errors from these blocks take the other items'
    parameters as known and are therefore too small.
    """
    table = model.log_probabilities(values, grid.nodes)
    log_weights = population.log_weights(grid)
    expected = expectation(patterns, table, log_weights)
    scores = model.scores(values, grid.nodes)
    complete = model.derivatives(values, grid.nodes, expected.counts, "observed").information
    within = np.einsum("jkq,jkqs,jkqt->jst", expected.counts, scores, scores, optimize=True)
    between = np.zeros_like(within)
    for block in posteriors(patterns.codes, table, log_weights):
        codes, weights = patterns.codes[block.rows], patterns.weights[block.rows]
        for j in range(len(values)):
            for k in range(model.categories):
                chosen = codes[:, j] == k
                mean = block.weights[chosen] @ scores[j, k]
                between[j] += mean.T @ (mean * weights[chosen, None])
    return complete - (within - between)
