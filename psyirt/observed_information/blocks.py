"""Louis's observed information of each item alone, for fits with too many parameters for a full matrix."""

from __future__ import annotations

import numpy as np

from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.foundation.threads import one_blas_thread
from psyirt.likelihood import expectation, posteriors
from psyirt.models.base import Array
from psyirt.observed_information.point import FitPoint
from psyirt.observed_information.sparse import add_score_squares

# doubles of the scores of the items that are looked at together
_BLOCK_NUMBERS = 2_000_000


@one_blas_thread()
def information_blocks(point: FitPoint) -> Array:
    """Observed information of each item's slots alone, cross-item terms left out; shape (J, S, S).

    Standard errors from these blocks take the other items' parameters as known and are therefore too small.
    """
    model, patterns, nodes = point.model, point.patterns, point.grid.nodes
    counts = expectation(patterns, point.table, point.log_weights).counts
    items, slots = point.values.shape
    out = np.empty((items, slots, slots))
    step = max(1, _BLOCK_NUMBERS // (model.categories * slots * len(nodes)))
    chunks = [slice(start, start + step) for start in range(0, items, step)]
    for chunk in chunks:
        scores = model.scores(point.values[chunk], nodes)
        information = model.derivatives(point.values[chunk], nodes, counts[chunk], "observed").information
        out[chunk] = information - np.einsum("jkq,jkqs,jkqt->jst", counts[chunk], scores, scores, optimize=True)
    if isinstance(patterns, SparsePatterns):
        add_score_squares(patterns, point, out)
        return out
    for block in posteriors(patterns, point.table, point.log_weights):
        codes, weights = patterns.codes_of(block.rows), patterns.weights[block.rows]
        for chunk in chunks:
            scores = model.scores(point.values[chunk], nodes)
            for j, score in enumerate(scores, chunk.start):
                for k in range(model.categories):
                    chosen = codes[:, j] == k
                    mean = block.weights[chosen] @ score[k]
                    out[j] += mean.T @ (mean * weights[chosen, None])
    return out
