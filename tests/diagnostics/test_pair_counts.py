"""Counts of 2 x 2 tables: every way of counting gives the same, blocks of rows and of items too."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.diagnostics import pair_counts as module
from psyirt.diagnostics.pair_counts import pair_counts
from tests.reference import item_pairs
from tests.small_data import simulated

CELLS = ("both", "first_only", "second_only", "neither")


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("scale", [1.0, 0.25, 0.1])
def test_equal_to_plain_loops(missing: float, scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole weights are counted by differences, others cell by cell; some blocks are complete, others are not."""
    monkeypatch.setattr(module, "_BLOCK_ROWS", 16)
    codes = simulated(70, 5, seed=81, missing=missing)
    codes[:20] = np.maximum(codes[:20], 0)
    weights = np.random.default_rng(1).integers(1, 5, 70)
    counts = pair_counts(codes, weights * scale, slice(1, 4), slice(2, 5))
    for i in range(1, 4):
        for j in range(2, 5):
            rows = [[None if r < 0 else int(r) for r in np.repeat(codes[:, k], weights)] for k in (i, j)]
            wanted = item_pairs.counts(*rows)
            found = [getattr(counts, cell)[i - 1, j - 2] for cell in CELLS]
            np.testing.assert_allclose(found, [scale * wanted[cell] for cell in ((1, 1), (1, 0), (0, 1), (0, 0))])


def test_empty_cells_are_exactly_zero() -> None:
    """A difference that is 1e-14 instead of 0 is a cell for the logarithm, and a negative one no count at all."""
    codes = np.array([[1, 1], [1, 1], [0, 0]], dtype=np.int8)
    counts = pair_counts(codes, np.array([0.1, 0.2, 0.7]))
    assert counts.first_only[0, 1] == counts.second_only[0, 1] == 0.0


def test_large_weights_stay_exact() -> None:
    """Above 2^24 single precision loses subjects."""
    codes = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=np.int8)
    weights = np.array([2.0**24 + 1.0, 3.0, 5.0, 7.0])
    counts = pair_counts(codes, weights)
    assert [getattr(counts, cell)[0, 1] for cell in CELLS] == weights.tolist()
