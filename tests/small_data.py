"""Small response sets that many tests fit: the published LSAT sections and simulated ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.data.responses import Responses
from tests.published import lsat6, lsat7


def lsat(section: int) -> tuple[Responses, NDArray[np.int64]]:
    """Patterns of LSAT section 6 or 7 as Responses, and their frequencies."""
    patterns, frequencies = {6: lsat6, 7: lsat7}[section]()
    return Responses.from_array(patterns), frequencies


def simulated(
    subjects: int, items: int, seed: int, *, missing: float = 0.0, slopes: NDArray[np.float64] | None = None
) -> NDArray[np.int8]:
    """2PL responses (1, 0, -1 missing) of N(0, 1) subjects; every item has both answers."""
    rng = np.random.default_rng(seed)
    theta = rng.standard_normal(subjects)
    a = rng.uniform(0.6, 2.0, items) if slopes is None else slopes
    intercept = rng.uniform(-1.5, 1.5, items)
    probability = 1 / (1 + np.exp(-(theta[:, None] * a + intercept)))
    codes = (rng.random((subjects, items)) < probability).astype(np.int8)
    codes[rng.random((subjects, items)) < missing] = -1
    assert all(set(np.unique(column)) >= {0, 1} for column in codes.T)
    return codes
