"""Agreement measures against published examples and against pairs counted one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from psyirt.data.agreement import (
    SUPERMAJORITY,
    fleiss_kappa_by_category,
    fleiss_kappa_overall,
    gold_share,
    krippendorff_alpha,
    majority_share,
)
from psyirt.data.labels import CrowdLabels
from tests.reference import agreement as slow

# Fleiss (1971), Table 1: 30 patients, 6 psychiatrists; columns depression, personality disorder, schizophrenia,
# neurosis, other. Kappa .430; by category .245, .245, .520, .471, .566.
FLEISS_1971 = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501 30012 51000 02040
10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# The example with 10 subjects, 14 raters, 5 categories that textbooks and statsmodels repeat; kappa .210.
FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Krippendorff (2011), section C: 4 observers (rows), 12 units, gaps; alpha .743.
KRIPPENDORFF_2011 = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def table(items: list[list[str]], labels: str) -> np.ndarray:
    return np.array([[item.count(label) for label in labels] for item in items])


crowds = st.lists(st.lists(st.sampled_from("abc"), min_size=4, max_size=4), min_size=2, max_size=8)
ragged_crowds = st.lists(st.lists(st.sampled_from("abc"), min_size=0, max_size=5), min_size=2, max_size=8)


def test_fleiss_1971_worked_example() -> None:
    """A wrong formula for the category-wise kappas would pass every test of the overall one."""
    counts = np.array([[int(digit) for digit in row] for row in FLEISS_1971.split()])
    assert fleiss_kappa_overall(counts) == pytest.approx(0.430, abs=5e-4)
    assert fleiss_kappa_by_category(counts) == pytest.approx([0.245, 0.245, 0.520, 0.471, 0.566], abs=5e-4)


def test_fleiss_fourteen_raters() -> None:
    """A second published value: kappa .210."""
    assert fleiss_kappa_overall(FOURTEEN_RATERS) == pytest.approx(0.210, abs=5e-4)


def test_krippendorff_2011_worked_example() -> None:
    """Gaps and a unit with a single answer must be treated as Krippendorff treats them."""
    units = [[row[k] for row in KRIPPENDORFF_2011 if row[k] != "."] for k in range(12)]
    assert krippendorff_alpha(table(units, "12345")) == pytest.approx(0.743, abs=5e-4)


@given(crowds)
def test_kappas_equal_pairs_counted_one_by_one(items: list[list[str]]) -> None:
    """A slip in the closed forms shows on some small crowd."""
    present = sorted({label for item in items for label in item})
    assume(len(present) > 1)
    counts = table(items, "abc")
    assert fleiss_kappa_overall(counts) == pytest.approx(slow.fleiss_kappa(items), abs=1e-12)
    by_category = dict(zip("abc", fleiss_kappa_by_category(counts), strict=True))
    for label in "abc":
        expected = slow.fleiss_kappa_of(label, items) if label in present else float("nan")
        assert by_category[label] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(ragged_crowds)
def test_alpha_equals_the_coincidence_matrix(items: list[list[str]]) -> None:
    """Items with none, one or many answers must all be weighted as the coincidence matrix weights them."""
    paired = [item for item in items if len(item) > 1]
    assume(len({label for item in paired for label in item}) > 1)
    assert krippendorff_alpha(table(items, "abc")) == pytest.approx(slow.krippendorff_alpha(paired), abs=1e-12)


@given(crowds, st.permutations("abc"))
def test_relabelling_changes_nothing(items: list[list[str]], names: list[str]) -> None:
    """Nominal measures must not depend on what the labels are called."""
    counts, renamed = table(items, "abc"), table(items, "".join(names))
    assert fleiss_kappa_overall(renamed) == pytest.approx(fleiss_kappa_overall(counts), abs=1e-12, nan_ok=True)
    assert krippendorff_alpha(renamed) == pytest.approx(krippendorff_alpha(counts), abs=1e-12, nan_ok=True)


def test_shares_are_of_strictly_more() -> None:
    """Exactly half is no majority and exactly two thirds no supermajority, whatever floating point says."""
    counts = [[3, 3, 0], [4, 2, 0], [5, 1, 0], [0, 0, 0]]
    assert majority_share(counts) == pytest.approx(2 / 3)
    assert majority_share(counts, SUPERMAJORITY) == pytest.approx(1 / 3)
    assert gold_share(counts, [0, 1, 0, 0]) == pytest.approx(1 / 3)
    assert gold_share(counts, [0, 0, -1, 0]) == pytest.approx(1 / 2)


def test_nothing_to_share_is_not_zero() -> None:
    """A crowd without answers, or without gold, has no share: 0 would be a claim."""
    assert np.isnan(majority_share(np.zeros((3, 2), dtype=int)))
    assert np.isnan(gold_share([[1, 2]], [-1]))


@pytest.mark.parametrize("counts", [[[2, 1], [1, 1]], [[3, 0], [3, 0]], [[1, 0], [0, 1]]])
def test_fleiss_is_not_available_where_it_is_not_defined(counts: list[list[int]]) -> None:
    """Unequal numbers of answers, a single label and single answers give NaN, not a number."""
    assert np.isnan(fleiss_kappa_overall(counts))
    assert np.isnan(fleiss_kappa_by_category(counts)).all()


def crowd() -> CrowdLabels:
    answers = pd.DataFrame(
        {"q1": ["y", "y", "y", "n"], "q2": ["n", "n", "y", "y"], "q3": ["n", "n", "n", "n"]}, index=list("abcd")
    )
    return CrowdLabels.from_frame(answers, gold={"q1": "yes", "q2": "yes", "q3": "no"})


def test_table_of_a_crowd() -> None:
    """The table's rows must be the measures of the mapped labels, the gold ones against the gold."""
    found = crowd().agreement()
    assert found.index.names == ["measure", "scope"]
    assert found["value"].loc[("majority", "any label")] == pytest.approx(2 / 3)
    assert found["value"].loc[("majority", "gold label")] == pytest.approx(2 / 3)
    assert found["value"].loc[("supermajority", "gold label")] == pytest.approx(2 / 3)
    items = [["y", "y", "y", "n"], ["n", "n", "y", "y"], ["n"] * 4]
    assert found["value"].loc[("fleiss_kappa", "overall")] == pytest.approx(slow.fleiss_kappa(items))
    assert found["value"].loc[("fleiss_kappa", "yes")] == pytest.approx(slow.fleiss_kappa_of("y", items))
    assert found["value"].loc[("krippendorff_alpha", "overall")] == pytest.approx(slow.krippendorff_alpha(items))
    assert (found["n_items"] == 3).all()
    assert (found["n_labels"] == 12).all()
    assert (found["note"] == "").all()


def test_unequal_answers_leave_alpha_and_say_why_not_kappa() -> None:
    """With a gap Fleiss' kappa must not be computed as if the crowd were complete."""
    answers = crowd().to_frame()
    answers.loc["a", "q3"] = None
    found = CrowdLabels.from_frame(answers, gold={"q1": "yes", "q2": "yes", "q3": "no"}).agreement()
    assert found.loc["fleiss_kappa", "value"].isna().all()
    assert found.loc[("fleiss_kappa", "overall"), "note"].startswith("items have 3 to 4 answers")
    assert np.isfinite(found["value"].loc[("krippendorff_alpha", "overall")])


def test_unanswered_is_a_category_of_kappa_only() -> None:
    """Three "na" among thousands must neither cost the kappa nor count as answers elsewhere."""
    answers = crowd().to_frame()
    answers.loc["a", "q3"] = "na"
    found = CrowdLabels.from_frame(answers, gold={"q1": "yes", "q2": "yes", "q3": "no"}).agreement()
    items = [["y", "y", "y", "n"], ["n", "n", "y", "y"], ["na", "n", "n", "n"]]
    assert found["value"].loc[("fleiss_kappa", "overall")] == pytest.approx(slow.fleiss_kappa(items))
    assert found["note"].loc[("fleiss_kappa", "overall")] == "1 unanswered entry is a category of its own"
    answered = [*items[:2], items[2][1:]]
    assert found["value"].loc[("krippendorff_alpha", "overall")] == pytest.approx(slow.krippendorff_alpha(answered))
    assert found["n_labels"].loc[("majority", "any label")] == 11


def test_without_gold_the_raw_labels_are_the_categories() -> None:
    """Agreement needs no key: only the gold rows are unavailable, and say so."""
    found = CrowdLabels.from_frame(crowd().to_frame()).agreement()
    assert np.isnan(found["value"].loc[("majority", "gold label")])
    assert found["note"].loc[("majority", "gold label")] == "3 items without gold or answers left out"
    assert {"n", "y"} <= set(found.loc["fleiss_kappa"].index)


@given(st.permutations("abcd"))
def test_worker_order_changes_nothing(order: list[str]) -> None:
    """The table is about a set of workers."""
    pd.testing.assert_frame_equal(crowd().select(workers=order).agreement(), crowd().agreement())
