"""dif: matching, groups, purification and flags together; what is refused, and what is not valid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import dif
from psyirt.diagnostics.groups.dif import DIF, NOT_VALID
from psyirt.errors import InputError
from psyirt.results.table import StatisticTable
from tests.reference import dif as twin

EVERY = pytest.mark.parametrize("method", DIF)


def study(subjects: int = 800, items: int = 10, shift: float = 1.5, turn: float = 0.0) -> tuple[Responses, list[str]]:
    """2PL answers of two groups; item i4 is harder for the focal one, or i6 tells its subjects apart less well.

    The focal group is half a sd less able, but for a slope that differs: then both are equal.
    """
    rng = np.random.default_rng(71)
    focal = np.arange(subjects) % 5 < 2
    theta = rng.standard_normal(subjects) - 0.5 * focal * (turn == 0.0)
    logit = 1.3 * (theta[:, None] - np.linspace(-1.2, 1.2, items))
    logit[:, 3] -= shift * focal
    logit[:, 5] = logit[:, 5] * np.where(focal, 1.0 - turn, 1.0)
    codes = (rng.random((subjects, items)) < 1.0 / (1.0 + np.exp(-logit))).astype(np.int8)
    return Responses.from_array(codes), np.where(focal, "new", "old").tolist()


@EVERY
def test_finds_the_item_alone(method: str) -> None:
    """A group that is less able must not make items look unfair; the item that is must be found, with its sign."""
    responses, groups = study()
    table = dif(responses, groups, method)
    assert table.flagged.index.tolist() == ["i4"]
    assert table.loc["i4", "delta"] < 0.0
    assert table.frame.index[~table["anchor"]].tolist() == ["i4"]
    assert "reference 'old': 480 subjects; focal 'new': 320 subjects" in table.notes
    assert table.tests.startswith("H0: ")


def test_nonuniform_dif_is_for_regression() -> None:
    """A difference that turns round along the score is not seen by Mantel-Haenszel, and is by the product."""
    responses, groups = study(2000, shift=0.0, turn=0.9)
    table = dif(responses, groups, "logistic", test="nonuniform")
    assert table["statistic"].idxmax() == "i6"
    assert table.loc["i6", "p_adjusted"] < 0.001
    assert (dif(responses, groups, "logistic", test="uniform")["df"] == 1.0).all()
    both = dif(responses, groups, "logistic", purify=False)
    np.testing.assert_allclose(both["statistic"], both["uniform"] + both["nonuniform"])
    assert dif(responses, groups, "MH").loc["i6", "p_adjusted"] > 0.001


@pytest.mark.parametrize(("matching", "purify"), [("total", False), ("rest", False), ("total", True), ("rest", True)])
def test_matching_scores(matching: str, purify: bool) -> None:
    """Whose answers are summed: all, all but the item's own, or those of the anchors (and of the item, in a total)."""
    responses, groups = study(300)
    table = dif(responses, groups, matching=matching, purify=purify)
    codes = responses.codes.astype(int)
    anchors = table["anchor"].to_numpy()
    assert anchors.all() or purify
    focal = [int(group == "new") for group in groups]
    for j in range(10):
        counted = anchors.copy()
        counted[j] = matching == "total"
        strata = twin.tables(codes[:, j].tolist(), focal, codes[:, counted].sum(axis=1).tolist())
        chi_square, ratio, error = twin.mantel_haenszel(strata)
        row = table.loc[f"i{j + 1}"]
        assert row["statistic"] == pytest.approx(chi_square)
        assert row["odds_ratio"] == pytest.approx(ratio)
        assert row["se"] == pytest.approx(2.35 * error)


@EVERY
def test_missing_answers_make_sums_invalid(method: str) -> None:
    """Five right of six is not five right of ten: no number at all, and the remedy; a given score is one."""
    responses, groups = study(400)
    codes = responses.codes.copy()
    codes[::7, 2] = -1
    gaps = Responses.from_array(codes)
    table = dif(gaps, groups, method)
    assert table.frame[["statistic", "p", "p_adjusted"]].isna().to_numpy().all()
    assert (table["note"] == NOT_VALID).all()
    assert not table["flag"].any()
    score = pd.Series(responses.codes.sum(axis=1), index=list(responses.subject_names)).sample(frac=1.0, random_state=1)
    given = dif(gaps, groups, method, matching=score)
    complete = dif(responses, groups, method, purify=False)
    np.testing.assert_allclose(given["statistic"].drop("i3"), complete["statistic"].drop("i3"), rtol=1e-9)
    assert given.loc["i3", "n_reference"] + given.loc["i3", "n_focal"] == np.sum(codes[:, 2] >= 0)


def test_strata() -> None:
    """A score with fractions is cut into groups of about equal size; equal scores stay together."""
    responses, groups = study(600)
    noise = np.random.default_rng(1).random(600)
    total = responses.codes.sum(axis=1)
    cut = dif(responses, groups, matching=total + 0.01 * noise, strata=6)
    strata = np.searchsorted(np.quantile(total + 0.01 * noise, np.arange(1, 6) / 6), total + 0.01 * noise)
    same = dif(responses, groups, matching=strata)
    np.testing.assert_allclose(cut["statistic"], same["statistic"])
    assert dif(responses, groups, strata=2)["p"].notna().all()


@EVERY
def test_order_and_weights(method: str) -> None:
    """Who comes first, which item comes first, and subjects counted twice with half the weight change nothing."""
    responses, groups = study(300)
    plain = dif(responses, groups, method)
    order = np.random.default_rng(2).permutation(300)
    names = [responses.subject_names[k] for k in order]
    items = list(reversed(responses.item_names))
    turned = dif(
        responses.select(subjects=names, items=items), dict(zip(responses.subject_names, groups, strict=True)), method
    )
    numbers = plain.frame.select_dtypes("number").columns
    pd.testing.assert_frame_equal(plain.frame[numbers], turned.frame[numbers].loc[plain.frame.index], rtol=1e-8)
    doubled = Responses.from_array(np.vstack([responses.codes, responses.codes]))
    halved = dif(doubled, groups + groups, method, weights=np.full(600, 0.5))
    pd.testing.assert_frame_equal(plain.frame[numbers], halved.frame[numbers], rtol=1e-8)


@EVERY
def test_items_that_tell_nothing(method: str) -> None:
    """An item that everybody got right, and a single item: notes, no crash."""
    responses, groups = study(200)
    codes = responses.codes.copy()
    codes[:, 0] = 1
    table = dif(Responses.from_array(codes), groups, method)
    assert np.isnan(table.loc["i1", "p"])
    assert table.loc["i1", "note"]
    assert table["p"].drop("i1").notna().all()
    alone: StatisticTable = dif(responses.select(items=["i2"]), groups, method)
    assert alone["p"].isna().all()
    assert (alone["note"] != "").all()


def test_subjects_of_neither_group() -> None:
    """Left out, and counted in a note; the focal group is the smaller one, or the one that is named."""
    responses, groups = study(300)
    partly: list[Any] = [None if k < 50 else group for k, group in enumerate(groups)]
    table = dif(responses, partly)
    assert "50 subjects are in neither group and left out" in table.notes
    assert table.loc["i1", "n_reference"] + table.loc["i1", "n_focal"] == 250
    there, back = dif(responses, groups), dif(responses, groups, focal="old")
    np.testing.assert_allclose(there["delta"], -back["delta"])
    assert any(note.startswith("few subjects") for note in there.notes)


@pytest.mark.parametrize(
    ("groups", "options", "match"),
    [
        (["a"] * 100, {}, "1 group "),
        (["a", "b", "c", "d"] * 25, {}, "4 groups"),
        (["a", "b"], {}, "2 values for 100 subjects"),
        ({"s1": "a"}, {}, "99 subjects have no entry"),
        ("ab" * 50, {}, "groups is a str"),
        (["a", "b"] * 50, {"focal": "c"}, "no group is called 'c'"),
        (["a", "b"] * 50, {"matching": "sum"}, "'sum' is not known"),
        (["a", "b"] * 50, {"matching": [0.5] * 100}, "fractions"),
        (["a", "b"] * 50, {"matching": [np.nan] * 100}, "no finite number"),
        (["a", "b"] * 50, {"matching": ["x"] * 100}, "a score is no number"),
        (["a", "b"] * 50, {"matching": [1] * 100, "purify": True}, "purify=True"),
        (["a", "b"] * 50, {"strata": 1}, "strata is 1"),
        (["a", "b"] * 50, {"method": "logistic", "strata": 5}, "strata with method"),
        (["a", "b"] * 50, {"method": "logistic", "test": "all"}, "'all' is not known"),
        (["a", "b"] * 50, {"method": "mh2"}, "no DIF statistic"),
        (["a", "b"] * 50, {"adjust": "hom"}, "no p-value adjustment"),
        (["a", "b"] * 50, {"alpha": 0.0}, "alpha is 0.0"),
        (["a", "b"] * 50, {"purify": "yes"}, "purify is a str"),
        (["a", "b"] * 50, {"weights": [1.0]}, "1 weight for 100 subjects"),
    ],
)
def test_refused(groups: Any, options: dict[str, Any], match: str) -> None:
    """What cannot be meant, or would be ignored."""
    responses, _ = study(100)
    with pytest.raises(InputError, match=match):
        dif(responses, groups, **options)


def test_unknown_options() -> None:
    """Another statistic's option is no option of this one."""
    responses, groups = study(100)
    with pytest.raises(TypeError, match="test"):
        dif(responses, groups, "MH", test="both")
    with pytest.raises(InputError, match="responses is a ndarray"):
        dif(responses.codes, groups)
