"""Option analysis against plain counting, and on a key that is wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from psyirt.data.labels import CrowdLabels
from psyirt.diagnostics import option_analysis
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters

OPTIONS = ("a", "b", "c")


def _crowd(workers: int = 300, items: int = 8, wrong_key: bool = False) -> tuple[CrowdLabels, pd.DataFrame, pd.Series]:
    """Workers who know the answer, or guess; the last worker answered nothing but item 1, some skip item 2."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, items)
    knows = rng.random((workers, items)) < 1 / (1 + np.exp(-1.5 * rng.normal(size=(workers, 1))))
    answer = np.where(knows, truth, rng.integers(0, 3, (workers, items)))
    frame = pd.DataFrame(np.array(OPTIONS, dtype=object)[answer], columns=[f"i{k + 1}" for k in range(items)])
    frame.index = pd.Index([f"w{k}" for k in range(workers)])
    frame.iloc[::7, 1] = None
    frame.iloc[-1, 1:] = None
    gold = pd.Series(np.array(OPTIONS, dtype=object)[truth], index=frame.columns)
    if wrong_key:
        gold.iloc[0] = OPTIONS[(truth[0] + 1) % 3]
    return CrowdLabels.from_frame(frame, gold=gold.to_dict()), frame, gold


def test_numbers_are_those_of_plain_counting() -> None:
    """Rest scores that count the item itself, proportions of all workers instead of those who answered."""
    labels, frame, gold = _crowd()
    table = option_analysis(labels, options=OPTIONS)
    right = frame.eq(gold).where(frame.notna())
    for item, option in table.index:
        others = right.drop(columns=item).mean(axis=1)
        answered, chose = frame[item].notna(), frame[item] == option
        row = table.loc[(item, option)]
        assert row["n"] == chose.sum()
        assert row["proportion"] == pytest.approx(chose.sum() / answered.sum())
        assert row["rest_score"] == pytest.approx(others[chose].mean())
        known = answered & others.notna()
        expected = np.corrcoef(chose[known].astype(float), others[known].astype(float))[0, 1]
        assert row["point_biserial"] == pytest.approx(expected)
        if option == gold[item]:
            assert np.isnan(row["t"])
            assert row["note"].startswith("the key")
        else:
            key = others[(frame[item] == gold[item]) & known].astype(float)
            test = ttest_ind(others[chose & known].astype(float), key, equal_var=False, alternative="greater")
            assert (row["t"], row["p"]) == pytest.approx((test.statistic, test.pvalue))


def test_a_wrong_key_is_flagged() -> None:
    """The purpose: the able choose the true answer, which the key calls a distractor."""
    labels, _, gold = _crowd(wrong_key=True)
    table = option_analysis(labels, options=OPTIONS)
    flagged = table[table["flag"]]
    assert set(flagged.index.get_level_values("item")) == {"i1"}
    assert table.loc[("i1", gold["i1"]), "note"] == "the key; the less able choose it"
    clean = option_analysis(_crowd()[0], options=OPTIONS)
    assert not clean["flag"].any()


def test_mean_abilities_of_those_who_choose() -> None:
    """Abilities matched by position instead of by name."""
    labels, frame, gold = _crowd()
    responses = labels.grade(options=OPTIONS)
    shuffled = responses.select(subjects=list(responses.subject_names[::-1]))
    bank = ItemParameters(responses.item_names, np.full(8, 1.2), np.zeros(8))
    calibration = fix(bank, "2PL", shuffled)
    theta = calibration.abilities("EAP")["theta"]
    table = option_analysis(labels, options=OPTIONS, calibration=calibration)
    chose = frame.index[frame["i3"] == gold["i3"]]
    assert table.loc[("i3", gold["i3"]), "theta"] == pytest.approx(theta[chose].mean())


def test_options_nobody_chose_and_nearly_nobody() -> None:
    """Rows stay, with notes; a t of one person would be infinitely sure."""
    frame = pd.DataFrame({"q1": list("aaab"), "q2": list("aabb"), "q3": list("abab")}, index=list("wxyz"))
    table = option_analysis(CrowdLabels.from_frame(frame, gold={"q1": "a", "q2": "a", "q3": "a"}), options=OPTIONS)
    assert table.loc[("q1", "c"), "note"] == "nobody chose it"
    assert "too few people" in table.loc[("q1", "b"), "note"]
    assert not table["flag"].any()


def test_bad_input_is_refused() -> None:
    """Responses hold no options; labels without a key have no distractors."""
    with pytest.raises(InputError, match="labels is a DataFrame"):
        option_analysis(pd.DataFrame())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gold"):
        option_analysis(CrowdLabels.from_frame(pd.DataFrame({"q1": ["a"]}, index=["w"])))
    with pytest.raises(InputError):
        option_analysis(_crowd()[0], options=OPTIONS, adjust="hom")
