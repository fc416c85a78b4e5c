"""Classical statistics against R psych, against plain loops, and with missing responses."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.patterns import collapse
from psyirt.data.responses import Responses
from psyirt.diagnostics import classical
from psyirt.estimation.item_rest import item_rest_correlations
from tests.reference import classical as twin
from tests.small_data import lsat, simulated


def test_equal_to_r() -> None:
    """R mirt 1.47 itemstats, LSAT6: proportions, item-total, item-rest, alpha, alpha if dropped."""
    responses, frequencies = lsat(6)
    result = classical(responses, weights=frequencies)
    np.testing.assert_allclose(result["difficulty"], [0.924, 0.709, 0.553, 0.763, 0.87], rtol=1e-12)
    total = [0.362010437161764, 0.566772095384459, 0.618439753567376, 0.534418326243924, 0.435366427887606]
    rest = [0.112832688922342, 0.15317812011653, 0.17277894329109, 0.144428095247094, 0.121596402547096]
    dropped = [0.275356210798234, 0.237583904646682, 0.216799462943282, 0.245932710433571, 0.266294411208251]
    np.testing.assert_allclose(result["item_total"], total, rtol=1e-12)
    np.testing.assert_allclose(result["item_rest"], rest, rtol=1e-12)
    np.testing.assert_allclose(result["alpha_if_dropped"], dropped, rtol=1e-12)
    assert result.alpha == pytest.approx(0.294997192215944, rel=1e-12)
    assert result.subjects == 1000
    assert result.notes == ()


def test_complete_responses_equal_to_plain_loops() -> None:
    """Subjects instead of weighted patterns."""
    codes = simulated(60, 6, seed=23)
    result = classical(Responses.from_array(codes))
    rows = codes.tolist()
    assert result.alpha == pytest.approx(twin.alpha(rows), rel=1e-10)
    for j in range(6):
        assert result["item_rest"].iloc[j] == pytest.approx(twin.item_total(rows, j, without_item=True), rel=1e-10)
        assert result["alpha_if_dropped"].iloc[j] == pytest.approx(twin.alpha(rows, dropped=j), rel=1e-10)


def test_missing_responses_use_what_was_answered_and_say_so() -> None:
    """A sum over unequal numbers of items would reward those who answered more."""
    codes = simulated(80, 6, seed=24, missing=0.3)
    result = classical(Responses.from_array(codes))
    rows = [[None if r < 0 else r for r in row] for row in codes.tolist()]
    for j in range(6):
        assert result["item_total"].iloc[j] == pytest.approx(twin.item_total(rows, j, without_item=False), rel=1e-10)
        assert result["item_rest"].iloc[j] == pytest.approx(twin.item_total(rows, j, without_item=True), rel=1e-10)
    assert result["n"].tolist() == (codes >= 0).sum(axis=0).tolist()
    assert np.isnan(result.alpha)
    assert result["alpha_if_dropped"].isna().all()
    assert "alpha_if_dropped are not given" in result.notes[0]
    assert "not available" in repr(result)


def test_gaps_have_notes() -> None:
    """A constant item, an unanswered one, and subjects who answered nothing else."""
    codes = simulated(50, 5, seed=25)
    codes[:, 1] = 1
    codes[:, 2] = -1
    result = classical(Responses.from_array(codes))
    assert result.loc["i2", "note"] == "no variance: all responses are alike"
    assert result.loc["i3", "note"] == "no responses"
    assert np.isnan(result.loc["i3", "difficulty"])
    assert np.isfinite(result.loc[["i1", "i4", "i5"], "item_rest"]).all()
    alone = classical(Responses.from_array(codes[:, :1]))
    assert "does not vary" in alone.loc["i1", "note"]
    assert alone.notes == ("alpha needs two items and scores that vary",)
    pair = classical(Responses.from_array(codes[:, [0, 3]]))
    assert pair["note"].str.contains("fewer than two items").all()
    assert np.isfinite(pair.alpha)


def test_a_subject_who_answered_one_item_alone_has_no_rest_score() -> None:
    """Counted, such subjects divide by zero, or pull the correlation towards nothing."""
    codes = simulated(200, 6, seed=3)
    lone = np.full((50, 6), -1)
    lone[:, 0] = np.arange(50) % 2
    patterns = collapse(Responses.from_array(np.vstack([codes, lone])))
    alone = collapse(Responses.from_array(codes))
    np.testing.assert_allclose(item_rest_correlations(patterns), item_rest_correlations(alone), rtol=1e-12)
