"""Tetrachoric matrices against exact values, plain loops, and on data that have none."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import tetrachoric
from psyirt.errors import InputError
from tests.reference import item_pairs
from tests.small_data import lsat, simulated

# roots of P(both correct) = observed share to 1e-12, by an independent solver; rows of the upper triangle
LSAT6 = [
    *(0.170316397699115, 0.227521944864377, 0.10718608282203, 0.0665006134990912, 0.189091078774376),
    *(0.111147053056353, 0.172421848694228, 0.186680463049037, 0.105491622611519, 0.200924115079178),
]
LSAT7 = [
    *(0.226559335639028, 0.290611275087332, 0.296152834959447, 0.286162092069847, 0.43210499547628),
    *(0.203579741191142, 0.135649666998718, 0.275848484238241, 0.264922779758267, 0.160251711982519),
]
LSAT7_EIGENVALUES = [2.04374989952214, 0.920891152492412, 0.828865615167573, 0.666523119700389, 0.53997021311749]


@pytest.mark.parametrize(("section", "wanted"), [(6, LSAT6), (7, LSAT7)])
def test_equal_to_exact_values(section: int, wanted: list[float]) -> None:
    """Tables good to 1e-5 (as R psych's) move eigenvalue ratios; these are exact."""
    responses, frequencies = lsat(section)
    result = tetrachoric(responses, weights=frequencies)
    rho = result.correlations.to_numpy()
    np.testing.assert_allclose(rho[np.triu_indices(5, 1)], wanted, atol=1e-11)
    np.testing.assert_array_equal(rho, rho.T)
    assert result.notes == ()
    assert (result.n == 1000).all(axis=None)


def test_threshold_and_eigenvalues() -> None:
    """R psych: the first LSAT6 threshold is -1.4325; the exact LSAT7 matrix has these eigenvalues."""
    responses, frequencies = lsat(6)
    assert tetrachoric(responses, weights=frequencies).thresholds["i1"] == pytest.approx(-1.43250272082581, abs=1e-12)
    responses, frequencies = lsat(7)
    table = tetrachoric(responses, weights=frequencies).eigenvalues
    np.testing.assert_allclose(table["eigenvalue"], LSAT7_EIGENVALUES, atol=1e-10)
    np.testing.assert_allclose(table["share"], np.array(LSAT7_EIGENVALUES) / 5, atol=1e-10)
    assert table.loc[1, "ratio"] == pytest.approx(LSAT7_EIGENVALUES[0] / LSAT7_EIGENVALUES[1])
    assert np.isnan(table.loc[5, "ratio"])


def test_missing_responses_equal_to_maximising_the_likelihood() -> None:
    """With missing responses a pair's own margins differ from the items': there the root of one cell is not ML."""
    codes = simulated(200, 4, seed=18, missing=0.3)
    result = tetrachoric(Responses.from_array(codes))
    columns = [[None if r < 0 else int(r) for r in column] for column in codes.T]
    for i in range(4):
        for j in range(i):
            wanted = item_pairs.tetrachoric(columns[i], columns[j])
            assert result.correlations.iloc[i, j] == pytest.approx(wanted, abs=1e-6)
            assert result.n.iloc[i, j] == np.sum((codes[:, i] >= 0) & (codes[:, j] >= 0))


def _table(n11: int, n10: int, n01: int, n00: int) -> Responses:
    return Responses.from_array([[1, 1]] * n11 + [[1, 0]] * n10 + [[0, 1]] * n01 + [[0, 0]] * n00)


def test_empty_cell_with_and_without_correction() -> None:
    """R psych 2.2.9 gives .62585 with correct = .5 for this pair; without it the likelihood grows up to rho = 1."""
    responses = _table(96, 0, 428, 76)
    plain = tetrachoric(responses)
    assert plain.correlations.iloc[0, 1] == 1.0
    assert "1 pairs have an empty cell and the estimate -1 or +1" in plain.notes[0]
    corrected = tetrachoric(responses, correction=0.5)
    assert corrected.correlations.iloc[0, 1] == pytest.approx(0.62585, abs=1e-5)
    assert "0.5 was added" in corrected.notes[0]


def test_correction_leaves_full_tables_alone() -> None:
    """Half a subject in cells that are not empty would shrink every correlation."""
    responses = _table(30, 10, 12, 25)
    assert tetrachoric(responses, correction=0.5).correlations.equals(tetrachoric(responses).correlations)


def test_item_without_variance_is_left_out_and_named() -> None:
    """A constant item has no correlation; the others must still have eigenvalues."""
    codes = simulated(200, 5, seed=19)
    codes[:, 3] = 0
    result = tetrachoric(Responses.from_array(codes))
    assert result.correlations["i4"].isna().all()
    assert result.notes[0] == "no variance, so no correlation: i4"
    assert len(result.eigenvalues) == 4
    rest = tetrachoric(Responses.from_array(np.delete(codes, 3, axis=1)))
    np.testing.assert_allclose(result.eigenvalues["eigenvalue"], rest.eigenvalues["eigenvalue"], rtol=1e-12)


def test_pair_nobody_answered() -> None:
    """Zero would read as "unrelated"; a matrix with a gap has no eigenvalues."""
    codes = simulated(100, 4, seed=20)
    codes[:50, 0] = -1
    codes[50:, 1] = -1
    result = tetrachoric(Responses.from_array(codes), smooth=True)
    assert np.isnan(result.correlations.loc["i1", "i2"])
    assert result.notes[0] == "nobody answered both, so no correlation: i1 with i2"
    assert "not smoothed" in result.notes[1]
    assert len(result.eigenvalues) == 0
    assert "i1" in repr(result)


def test_indefinite_matrix_is_said_so_and_smoothed_on_request() -> None:
    """Pairwise estimates need not form a correlation matrix; a factor analysis of one that does not is nonsense."""
    codes = simulated(40, 12, seed=21)
    raw = tetrachoric(Responses.from_array(codes), correction=0.5)
    lowest = np.linalg.eigvalsh(raw.correlations)[0]
    assert lowest < 0
    assert any("not positive semi-definite" in note for note in raw.notes)
    assert not raw.smoothed
    smooth = tetrachoric(Responses.from_array(codes), correction=0.5, smooth=True)
    matrix = smooth.correlations.to_numpy()
    assert np.linalg.eigvalsh(matrix)[0] > 0
    np.testing.assert_array_equal(np.diag(matrix), 1.0)
    np.testing.assert_array_equal(matrix, matrix.T)
    # nearest: no farther than the projection theorem allows a mere clip of eigenvalues to be
    values, vectors = np.linalg.eigh(raw.correlations)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    scale = np.sqrt(np.diag(clipped))
    by_clipping = np.linalg.norm(clipped / np.outer(scale, scale) - raw.correlations)
    assert np.linalg.norm(matrix - raw.correlations) < by_clipping
    assert smooth.smoothed
    assert smooth.eigenvalues["eigenvalue"].min() > 0


def test_recovers_normal_correlations() -> None:
    """Cutting normal variables and estimating their correlation is a round trip."""
    rng = np.random.default_rng(22)
    wanted = np.array([[1.0, 0.8, -0.3], [0.8, 1.0, 0.1], [-0.3, 0.1, 1.0]])
    draws = rng.multivariate_normal(np.zeros(3), wanted, size=40_000)
    result = tetrachoric(Responses.from_array((draws > [0.5, -1.0, 0.0]).astype(np.int8)))
    np.testing.assert_allclose(result.correlations, wanted, atol=0.03)
    np.testing.assert_allclose(result.thresholds, [0.5, -1.0, 0.0], atol=0.03)


@pytest.mark.parametrize("correction", [-0.5, np.inf, np.nan])
def test_corrections_that_make_no_sense(correction: float) -> None:
    """A negative count has no likelihood."""
    with pytest.raises(InputError, match="correction"):
        tetrachoric(_table(3, 1, 1, 3), correction=correction)
