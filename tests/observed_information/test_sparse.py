"""Information of answers kept one by one against that of the same answers in a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.data.sparse_responses import SparseResponses
from psyirt.observed_information.blocks import information_blocks
from psyirt.observed_information.few_subjects import inverse_blocks
from psyirt.observed_information.louis import louis_information
from psyirt.observed_information.oakes import oakes_information
from psyirt.observed_information.point import FitPoint
from psyirt.observed_information.scores import score_crossprod
from tests.observed_information.made import MODELS, point


def both(types: tuple[str, ...], moments: tuple[str, ...] | None = None) -> tuple[FitPoint, FitPoint]:
    at = point(types, missing=0.3, moments=moments)
    kept = SparseResponses.from_dense(Responses.from_array(at.patterns.codes))
    sparse = SparsePatterns(kept.starts, kept.entries, len(types), at.patterns.weights)
    return replace(at, patterns=sparse), at


@pytest.mark.parametrize("types", MODELS, ids="+".join)
@pytest.mark.parametrize("of", [louis_information, score_crossprod, information_blocks, oakes_information])
def test_it_is_that_of_the_table(types: tuple[str, ...], of: object) -> None:
    """Shared slopes occur twice among a subject's parameters, and a subject without answers has moments alone."""
    sparse, dense = both(types)
    np.testing.assert_allclose(of(sparse), of(dense), rtol=1e-8, atol=1e-9)  # type: ignore[operator]


@pytest.mark.parametrize("of", [louis_information, score_crossprod])
def test_free_moments_are_in_it(of: object) -> None:
    """Two latent moments stand behind the items' parameters, in this order."""
    sparse, dense = both(("Rasch",) * 4, ("mean", "variance"))
    np.testing.assert_allclose(of(sparse), of(dense), rtol=1e-9, atol=1e-10)  # type: ignore[operator]


def test_the_way_without_a_matrix_reads_the_same_answers() -> None:
    """Few subjects and a great many items are the shape that is kept one by one."""
    sparse, dense = both(("2PL",) * 60)
    ours, theirs = (inverse_blocks(at, np.ones(at.layout.size, bool)) for at in (sparse, dense))
    assert ours is not None
    assert theirs is not None
    np.testing.assert_allclose(ours.items, theirs.items, rtol=1e-9)
