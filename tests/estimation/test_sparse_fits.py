"""Fits of responses that are kept one by one: the same estimates and abilities as from a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt.data import patterns as module
from psyirt.data.responses import Responses
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.data.sparse_responses import SparseResponses
from psyirt.errors import DataWarning, NotAvailableError
from tests.small_data import simulated

DENSE = Responses.from_array(simulated(500, 14, seed=7, missing=0.45))
SPARSE = SparseResponses.from_dense(DENSE)


@pytest.fixture
def answer_by_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work through small data as through large ones."""
    monkeypatch.setattr(module, "_FEW_ITEMS", 0)
    monkeypatch.setattr(module, "_SPARSE_SHARE", 1.0)


@pytest.mark.parametrize("model", ["2PL", "1PL", "3PL", "Rasch"])
def test_how_they_are_kept_changes_no_bit(model: str) -> None:
    """The form that data happen to be kept in must be no part of what is found."""
    ours, theirs = psyirt.fit_mml(SPARSE, model), psyirt.fit_mml(DENSE, model)
    np.testing.assert_array_equal(ours.x, theirs.x)
    assert ours.loglik == theirs.loglik
    pd.testing.assert_frame_equal(ours.items, theirs.items)
    pd.testing.assert_frame_equal(ours.abilities(), theirs.abilities())


@pytest.mark.usefixtures("answer_by_answer")
@pytest.mark.parametrize("model", ["2PL", "3PL", "Rasch"])
def test_working_answer_by_answer_finds_the_same(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another order of the same sums may move a last digit and nothing else."""
    options = psyirt.MMLOptions(grid=psyirt.Grid(), tolerance=1e-7)
    ours = psyirt.fit_mml(SPARSE, model, options=options)
    assert isinstance(ours.patterns, SparsePatterns)
    people, items = ours.abilities(), ours.items
    monkeypatch.undo()
    theirs = psyirt.fit_mml(DENSE, model, options=options)
    assert not isinstance(theirs.patterns, SparsePatterns)
    assert ours.loglik == pytest.approx(theirs.loglik, abs=1e-8)
    np.testing.assert_allclose(items[["a", "b", "se_a"]], theirs.items[["a", "b", "se_a"]], atol=1e-5)
    np.testing.assert_allclose(people, theirs.abilities(), atol=1e-6)
    np.testing.assert_array_equal(items["n"], theirs.items["n"])


@pytest.mark.usefixtures("answer_by_answer")
def test_nodes_are_as_fine_as_the_items_answered_ask_for() -> None:
    """Ten thousand items would ask for 500 nodes, of which a subject with 50 answers needs 61."""
    rng = np.random.default_rng(3)
    codes = np.where(rng.random((400, 400)) < 0.95, -1, rng.integers(0, 2, (400, 400))).astype(np.int8)
    assert psyirt.fit_mml(Responses.from_array(codes), "Rasch", latent_variance=1.0).grid.count == 61


@pytest.mark.usefixtures("answer_by_answer")
def test_items_and_subjects_that_tell_nothing_are_set_aside() -> None:
    """A constant item and a subject without answers leave, and everybody else keeps his own answers."""
    codes = DENSE.codes.copy()
    codes[:, 2], codes[5] = np.where(codes[:, 2] >= 0, 1, -1), -1
    sparse = SparseResponses.from_dense(Responses.from_array(codes))
    with pytest.warns(DataWarning) as said:
        fit = psyirt.fit_mml(sparse, "2PL")
    assert len(said) == 2
    assert list(fit.set_aside) == ["i3"]
    assert fit.responses is not None
    assert "s6" not in fit.responses.subject_names
    np.testing.assert_array_equal(
        fit.responses.select(subjects=["s7"]).to_dense().codes[0],  # type: ignore[union-attr]
        np.delete(codes[6], 2),
    )


@pytest.mark.usefixtures("answer_by_answer")
def test_a_bootstrap_draws_subjects_with_their_answers() -> None:
    """Resampled weights on the wrong rows give standard errors of other data."""
    fit = psyirt.fit_mml(SPARSE, "Rasch")
    errors = np.sqrt(fit.cov("bootstrap", replications=12, seed=1).variances)
    np.testing.assert_allclose(errors.mean(), fit.bse.mean(), rtol=0.35)


@pytest.mark.parametrize("method", ["EAP", "MAP", "ML", "WLE"])
def test_every_score_is_that_of_the_table(method: str) -> None:
    """New subjects are scored however their answers are kept, and in any order of the items."""
    fit = psyirt.fit_mml(DENSE, "2PL")
    items = list(DENSE.item_names)[::-1][:9]
    ours = psyirt.score(fit, SPARSE.select(items=items), method)
    pd.testing.assert_frame_equal(ours, psyirt.score(fit, DENSE.select(items=items), method))


@pytest.mark.usefixtures("answer_by_answer")
def test_statistics_that_need_a_table_make_one_or_say_how_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statistic of a table must not take the memory that the data were kept from taking."""
    fit = psyirt.fit_mml(SPARSE, "2PL")
    assert len(psyirt.local_dependence(fit)) == 91
    monkeypatch.setattr("psyirt.data.pattern_source.LARGEST_TABLE", 6999)
    with pytest.raises(NotAvailableError, match="500 x 14"):
        psyirt.local_dependence(fit)


def test_a_scale_is_built_and_scored_from_either() -> None:
    """What needs a table makes one of data that are small enough."""
    fit = psyirt.fit_mml(DENSE, "2PL")
    scale = psyirt.Scale.from_calibration(fit, name="test")
    pd.testing.assert_frame_equal(scale.score(SPARSE), scale.score(DENSE))
