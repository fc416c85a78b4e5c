"""Products of answers times what they add to scores, against a sum written out."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.kernels.pair_products import add_pair_products


@pytest.mark.parametrize("kinds", [1, 2])
def test_products_are_those_of_the_definition(rng: np.random.Generator, kinds: int) -> None:
    """An item's slope times another's intercept is not the reverse: mixed up, standard errors are wrong by a little."""
    pairs, own = rng.random((kinds * 4, kinds * 4)), rng.normal(size=(kinds, 3, 4))
    products = np.ones((3, 4, 3, 4))
    add_pair_products(pairs, own, products)
    for s in range(3):
        for t in range(3):
            for i in range(4):
                for j in range(4):
                    found = sum(
                        pairs[4 * k + i, 4 * m + j] * own[k, s, i] * own[m, t, j]
                        for k in range(kinds)
                        for m in range(kinds)
                    )
                    expected = 1.0 + found if s <= t else 1.0
                    assert products[s, i, t, j] == pytest.approx(expected, rel=1e-12)
