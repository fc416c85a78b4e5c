"""Information of single items against the full matrix."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.observed_information import blocks as module
from psyirt.observed_information.blocks import information_blocks
from psyirt.observed_information.louis import louis_information
from tests.observed_information.made import point


def test_they_are_the_diagonal_blocks_of_the_full_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """For items that share nothing the two computations describe the same second derivatives."""
    at = point(("3PL",) * 3)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 2 * 4 * at.grid.count)
    full, blocks = louis_information(at), information_blocks(at)
    for j, places in enumerate(at.layout.index):
        free = places >= 0
        np.testing.assert_allclose(
            blocks[j][np.ix_(free, free)], full[np.ix_(places[free], places[free])], rtol=1e-8, atol=1e-8
        )
