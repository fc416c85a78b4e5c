"""How many dimensions: each criterion against its twin, and on data whose dimensions are known."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import dimensionality, tetrachoric
from psyirt.diagnostics.dimensions.average_partial import average_partials
from psyirt.diagnostics.dimensions.criteria import acceleration, average_partial, ratio
from psyirt.diagnostics.dimensions.empirical_kaiser import kaiser_references, leading, phi_correlations
from psyirt.diagnostics.dimensions.parallel_analysis import parallel_eigenvalues
from psyirt.diagnostics.pair_counts import pair_counts
from psyirt.errors import InputError
from tests.reference import dimensions as twin
from tests.small_data import simulated

PARALLEL = "parallel analysis (95th percentile)"


def of_abilities(subjects: int, items: int, abilities: int, seed: int) -> Responses:
    """Items that measure one ability each, in turn; the abilities are unrelated."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(subjects, abilities))[:, np.arange(items) % abilities]
    easy = rng.normal(0, 0.7, items)
    return Responses.from_array((rng.random((subjects, items)) < 1 / (1 + np.exp(-1.8 * theta - easy))).astype(int))


@pytest.mark.parametrize("power", [2, 4])
def test_average_partials_are_those_of_residuals(power: int) -> None:
    """Components taken in the wrong order, or a diagonal that is counted, would move the minimum."""
    square = tetrachoric(of_abilities(800, 6, 2, seed=1)).correlations.to_numpy()
    np.testing.assert_allclose(average_partials(square, power), twin.average_partials(square, power), rtol=1e-8)


def test_kaiser_references_by_hand() -> None:
    """Eigenvalues already counted must be taken off what noise is left to share."""
    roots = [3.0, 1.4, 0.9, 0.4, 0.3]
    np.testing.assert_allclose(kaiser_references(np.array(roots), 200), twin.kaiser_references(roots, 200), rtol=1e-13)
    assert kaiser_references(np.array(roots), 200)[0] == pytest.approx((1 + np.sqrt(5 / 200)) ** 2)


def test_phi_correlations_are_pearsons() -> None:
    """Each pair over those who answered both; a product of whole-sample margins would be another coefficient."""
    codes = simulated(120, 5, seed=8, missing=0.2)
    found = phi_correlations(pair_counts(codes, np.ones(120)))
    for i in range(5):
        for j in range(i):
            both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
            assert found[i, j] == pytest.approx(np.corrcoef(codes[both, i], codes[both, j])[0, 1])


def test_counting_stops_at_the_first_that_is_not_above() -> None:
    """A later eigenvalue that happens to lie above is no dimension."""
    assert leading(np.array([True, False, True])) == 1
    assert leading(np.array([False, True])) == 0
    assert leading(np.array([True, True])) == 2


def test_shuffling_keeps_margins_and_gaps() -> None:
    """Proportions correct decide how noisy tetrachoric correlations are: other margins are no yardstick."""
    codes = simulated(300, 6, seed=2, missing=0.2)
    codes[:, 4] = 1
    found = parallel_eigenvalues(Responses.from_array(codes), 8, seed=3)
    assert found.shape == (8, 5)
    assert (np.diff(found, axis=1) <= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 5.0)
    # unrelated items: the largest is what noise makes, far below that of the data
    assert found[:, 0].max() < tetrachoric(Responses.from_array(codes)).eigenvalues["eigenvalue"].max()
    np.testing.assert_array_equal(found[:3], parallel_eigenvalues(Responses.from_array(codes), 3, seed=3))


@pytest.mark.parametrize("abilities", [1, 3])
def test_known_number_of_abilities_is_found(abilities: int) -> None:
    """What the function is for."""
    found = dimensionality(of_abilities(1500, 12, abilities, seed=abilities), draws=20, seed=1)
    for name in (PARALLEL, "parallel analysis (mean)", "MAP", "empirical Kaiser criterion"):
        assert found.criteria.loc[name, "factors"] == abilities
    modified = found.criteria.loc["modified parallel analysis", "answer"]
    assert modified.startswith("one is enough" if abilities == 1 else "more than one")
    assert f"{abilities} by parallel analysis (mean)" in found.verdict
    assert found.eigenvalues["random_95"].notna().all()
    assert found.verdict in repr(found)


def test_unrelated_items_measure_nothing() -> None:
    """The first eigenvalue is the largest even of noise; a count of 1 here would call noise a scale."""
    rng = np.random.default_rng(5)
    found = dimensionality(Responses.from_array(rng.integers(0, 2, (600, 10))), draws=20)
    assert found.criteria.loc[PARALLEL, "factors"] == 0
    assert found.criteria.loc["MAP", "factors"] == 0


def test_same_seed_same_answer_and_weights_are_subjects() -> None:
    """A weight of 2 is two subjects; a criterion that counts rows would see half the sample."""
    codes = simulated(200, 6, seed=9)
    one = dimensionality(Responses.from_array(codes), draws=5, seed=4, weights=np.full(200, 2.0))
    again = dimensionality(Responses.from_array(codes), draws=5, seed=4, weights=np.full(200, 2.0))
    assert one.eigenvalues.equals(again.eigenvalues)
    twice = dimensionality(Responses.from_array(np.vstack([codes, codes])), draws=5, seed=4)
    np.testing.assert_allclose(one.eigenvalues["eigenvalue"], twice.eigenvalues["eigenvalue"], rtol=1e-9)
    np.testing.assert_allclose(one.eigenvalues["empirical_kaiser"], twice.eigenvalues["empirical_kaiser"], rtol=1e-12)


def test_indefinite_matrix_is_said_to_be_smoothed_for_map() -> None:
    """Partial correlations of a matrix that is no correlation matrix are not correlations."""
    square = tetrachoric(Responses.from_array(simulated(40, 12, seed=21)), correction=0.5).correlations.to_numpy()
    criterion, curve = average_partial(square, 2)
    assert "nearest correlation matrix" in criterion.note
    assert np.isfinite(curve[0])


def test_few_eigenvalues() -> None:
    """Two eigenvalues have no bend, one has no ratio."""
    assert acceleration(np.array([1.5, 0.5])).factors is None
    assert acceleration(np.array([4.0, 1.0, 0.9, 0.8])).factors == 1
    assert ratio(np.array([1.0])).factors is None
    assert ratio(np.array([4.0, 1.0])).factors == 1
    assert ratio(np.array([3.9, 1.0])).factors is None


def test_no_2pl_is_an_answer_missing_and_not_a_crash() -> None:
    """Three items, of which the fit may set some aside: the other criteria stand."""
    codes = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1]])
    found = dimensionality(Responses.from_array(codes), draws=3)
    assert np.isfinite(found.eigenvalues["eigenvalue"]).all()
    assert len(found.criteria) == 8


def test_refusals() -> None:
    """One line that says what is wrong."""
    codes = simulated(60, 4, seed=3)
    codes[:, :2] = 1
    with pytest.raises(InputError, match="2 items vary"):
        dimensionality(Responses.from_array(codes), draws=2)
    gap = simulated(60, 4, seed=3)
    gap[:30, 0], gap[30:, 1] = -1, -1
    with pytest.raises(InputError, match="nobody answered both"):
        dimensionality(Responses.from_array(gap), draws=2)
    with pytest.raises(InputError, match="draws"):
        dimensionality(Responses.from_array(simulated(60, 4, seed=3)), draws=0)
    with pytest.raises(InputError, match="responses"):
        dimensionality(simulated(60, 4, seed=3))  # type: ignore[arg-type]
