"""Where systems stand on a scale and in its crowd."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from psyirt.data.responses import Responses
from psyirt.errors import DataWarning, InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.scale.scale import Scale
from psyirt.scale.scoring import COLUMNS
from psyirt.scoring.abilities import score
from tests.published import lsat6
from tests.scale.made import ITEMS, answers, calibration, crowd, scale


def test_the_crowd_scores_as_it_was_calibrated() -> None:
    """A scale on which its own crowd gets other abilities than in the calibration is another scale."""
    table = scale().score(crowd())
    pd.testing.assert_frame_equal(table[["theta", "se"]], calibration().abilities(), rtol=1e-12)
    assert tuple(table.columns) == COLUMNS
    assert table.index.name == "subject"


def test_crowd_percentiles_are_mid_ranks() -> None:
    """Mid-ranks of the crowd itself average 50, and every one can be counted by hand."""
    table = scale().score(crowd())
    assert table["crowd_percentile"].mean() == pytest.approx(50.0, abs=1e-9)
    theta = np.round(table["theta"].to_numpy(), 8)
    for subject in table.index[:25]:
        below, same = (
            (theta < theta[table.index.get_loc(subject)]).mean(),
            (theta == theta[table.index.get_loc(subject)]).mean(),
        )
        assert table.loc[subject, "crowd_percentile"] == pytest.approx(100 * (below + same / 2), abs=1e-9)
        assert table.loc[subject, "crowd_tied"] == pytest.approx(same, abs=1e-12)


def test_median_of_the_population_is_its_50th_percentile() -> None:
    """A precisely measured subject at the population's median must not come out elsewhere."""
    names = [f"p{k}" for k in range(400)]
    bank = Scale.from_calibration(fix(pd.DataFrame({"a": 3.0, "b": np.linspace(-3, 3, 400)}, index=names)), name="x")
    table = bank.score(Responses.from_array([[1] * 200 + [0] * 200], item_names=names))
    assert table["percentile"].iloc[0] == pytest.approx(50.0, abs=0.5)
    assert table["percentile_low"].iloc[0] < 50.0 < table["percentile_high"].iloc[0]
    medians = scale().score(crowd())[["percentile", "crowd_percentile"]].median()
    assert medians["crowd_percentile"] == pytest.approx(50.0, abs=2.0)
    assert medians["percentile"] == pytest.approx(50.0, abs=5.0)


def test_the_ends_of_the_scale_are_marked() -> None:
    """At the ceiling a percentile is a lower bound, and a reader who is not told takes it for an estimate."""
    table = scale().score(answers("11111111", "00000000", "11110000"))
    assert list(table["at_ceiling"]) == [">=", "<=", ""]
    quality = scale().quality
    assert table["theta"].iloc[0] == pytest.approx(quality.theta_high, rel=1e-12)
    assert table["theta"].iloc[1] == pytest.approx(quality.theta_low, rel=1e-12)
    assert table["crowd_tied"].iloc[0] == pytest.approx(quality.at_ceiling)
    assert table["crowd_percentile"].iloc[0] == pytest.approx(100 - 50 * quality.at_ceiling)


def test_a_refusal_is_wrong_unless_asked_otherwise() -> None:
    """A system that abstains on the harder half must not score above one that tries."""
    given = answers("1111....", "11110000")
    wrong = scale().score(given)
    assert wrong["theta"].iloc[0] == wrong["theta"].iloc[1]
    assert list(wrong["non_answers"]) == [4, 0]
    assert list(wrong["answered"]) == [4, 8]
    assert list(wrong["accuracy"]) == [0.5, 0.5]
    missing = scale().score(given, non_answer="missing")
    assert missing["theta"].iloc[0] > wrong["theta"].iloc[0]
    assert missing["accuracy"].iloc[0] == 1.0
    assert missing["at_ceiling"].iloc[0] == ">="
    assert missing["non_answers"].iloc[0] == 4


def test_items_are_matched_by_name() -> None:
    """Columns in another order scored by position would give every system a random ability."""
    given = answers("11010010", "10110001")
    turned = Responses.from_frame(given.to_frame().iloc[:, ::-1])
    pd.testing.assert_frame_equal(scale().score(turned), scale().score(given))


def test_partial_form_is_scored_and_said() -> None:
    """Items that were never given are not wrong, and the range of a part is not that of the whole."""
    part = answers("11111111", "00011111").select(items=ITEMS[:5])
    with pytest.warns(DataWarning, match="3 of 8 items were not given"):
        table = scale().score(part)
    assert list(table["answered"]) == [5, 5]
    assert list(table["non_answers"]) == [0, 0]
    assert table["theta"].iloc[0] < scale().quality.theta_high
    assert table["accuracy"].iloc[1] == pytest.approx(2 / 5)


def test_unknown_items_are_named() -> None:
    """Predictions for another data set must not be scored on the few names that happen to agree."""
    frame = answers("11010010").to_frame()
    frame["q77"] = 1.0
    with pytest.raises(InputError, match="q77"):
        scale().score(Responses.from_frame(frame))
    kept = scale().score(Responses.from_frame(frame), unknown="ignore")
    pd.testing.assert_frame_equal(kept, scale().score(answers("11010010")))
    with pytest.raises(InputError, match="none of the items"):
        scale().score(Responses.from_array([[1]], item_names=["q77"]), unknown="ignore")


def test_nothing_to_score() -> None:
    """No systems give an empty table with the same columns, not an error half-way through a script."""
    table = scale().score(Responses(np.empty((0, 8), np.int8), (), ITEMS))
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 0


@pytest.mark.parametrize(("non_answer", "theta"), [("wrong", "floor"), ("missing", "mean")])
def test_a_system_without_answers_is_said(non_answer: str, theta: str) -> None:
    """An empty file scored as all wrong, or as average, is a fault to be seen at once."""
    with pytest.warns(DataWarning, match="1 subject answered nothing"):
        table = scale().score(answers("........", "11111111"), non_answer=non_answer)
    expected = {"floor": scale().quality.theta_low, "mean": 0.0}[theta]
    assert table["theta"].iloc[0] == pytest.approx(expected, abs=1e-12)
    if non_answer == "missing":
        assert np.isnan(table["accuracy"].iloc[0])
        assert table["at_ceiling"].iloc[0] == ""
        assert table["percentile"].iloc[0] == pytest.approx(50.0, abs=1e-6)


def test_accuracy_interval_is_wilsons() -> None:
    """The interval printed beside the percentile must be the one that is named (Wilson 1927, z = 1.96)."""
    row = scale().score(answers("11111000")).iloc[0]
    p, n, z = 5 / 8, 8, norm.ppf(0.975)
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    assert row["accuracy"] == p
    assert row["accuracy_low"] == pytest.approx(centre - half, abs=1e-12)
    assert row["accuracy_high"] == pytest.approx(centre + half, abs=1e-12)


@pytest.mark.parametrize("method", ["ML", "WLE"])
def test_wald_intervals(method: str) -> None:
    """Methods without a posterior must not borrow one's interval or percentile."""
    table = scale().score(answers("11010010", "10110001"), method)
    half = norm.ppf(0.975) * table["se"]
    np.testing.assert_allclose(table["lower"], table["theta"] - half, rtol=1e-12)
    np.testing.assert_allclose(table["upper"], table["theta"] + half, rtol=1e-12)
    np.testing.assert_allclose(table["percentile"], 100 * norm.cdf(table["theta"]), rtol=1e-12)
    np.testing.assert_allclose(table["percentile_high"], 100 * norm.cdf(table["upper"]), rtol=1e-12)
    eap = scale().score(answers("11010010", "10110001"))
    pd.testing.assert_series_equal(table["crowd_percentile"], eap["crowd_percentile"])


def test_infinite_estimates_stay_infinite() -> None:
    """A maximum-likelihood ability of a perfect system has no finite value and no finite interval."""
    table = scale().score(answers("11111111", "00000000"), "ML")
    assert list(table["theta"]) == [np.inf, -np.inf]
    assert table["upper"].iloc[0] == np.inf
    assert table["lower"].iloc[1] == -np.inf
    assert np.isnan([table["lower"].iloc[0], table["upper"].iloc[1], *table["se"]]).all()
    assert list(table["percentile"]) == [100.0, 0.0]


def test_map_has_the_posteriors_interval() -> None:
    """MAP and EAP are two summaries of one posterior: its quantiles do not depend on which."""
    given = answers("11010010", "11111111")
    modes, means = scale().score(given, "map"), scale().score(given)
    assert (modes["theta"] != means["theta"]).all()
    pd.testing.assert_frame_equal(modes[["lower", "upper", "percentile"]], means[["lower", "upper", "percentile"]])


@pytest.mark.parametrize(
    "option", [{"method": "EPA"}, {"non_answer": "skip"}, {"population": "normall"}, {"unknown": "drop"}]
)
def test_misspelt_options_are_refused(option: dict[str, str]) -> None:
    """An option that is ignored in silence is worse than none."""
    with pytest.raises(InputError, match=next(iter(option.values()))):
        scale().score(answers("11111111"), **option)


def test_histogram_percentiles_average_50() -> None:
    """Percentiles in a population, averaged over the people who are that population, must be 50."""
    table = scale().score(crowd(), population="histogram")
    assert table["percentile"].mean() == pytest.approx(50.0, abs=0.01)
    normal = scale().score(crowd())
    pd.testing.assert_frame_equal(table[["theta", "se", "lower", "upper"]], normal[["theta", "se", "lower", "upper"]])
    assert np.abs(table["percentile"] - normal["percentile"]).max() > 0.1
    assert (table["percentile_low"] <= table["percentile_high"]).all()


def test_histogram_percentile_by_hand() -> None:
    """The posterior under the histogram, and the share below each node, summed in plain loops."""
    from tests.reference.latent_histogram import pattern_likelihood

    pattern = [1, 1, 0, 1, 0, 0, 1, 0]
    measure, histogram = scale().item_parameters, scale().histogram
    assert histogram is not None
    likelihood = [
        pattern_likelihood(pattern, measure.slopes[:, 0], measure.intercepts, node) for node in histogram.nodes
    ]
    joint = [value * weight for value, weight in zip(likelihood, histogram.weights, strict=True)]
    share, below = 0.0, 0.0
    for weight, part in zip(histogram.weights, joint, strict=True):
        share += (below + weight / 2) * part / sum(joint)
        below += weight
    table = scale().score(answers("11010010"), population="histogram")
    assert table["percentile"].iloc[0] == pytest.approx(100 * share, abs=1e-8)
    wald = scale().score(answers("11010010"), "WLE", population="histogram")
    assert wald["percentile"].iloc[0] == pytest.approx(100 * float(histogram.share_below(wald["theta"].iloc[0])))


def test_histogram_needs_a_crowd() -> None:
    """Without people there is no histogram; falling back to the normal would answer another question."""
    made = Scale.from_calibration(fix(pd.DataFrame({"a": [1.0, 1.5], "b": [0.0, 1.0]}, index=["x", "y"])), name="x")
    with pytest.raises(NotAvailableError, match="no empirical histogram"):
        made.score(Responses.from_array([[1, 0]], item_names=["x", "y"]), population="histogram")


def test_percentile_of_a_rasch_scale_uses_its_own_variance() -> None:
    """Rasch abilities have a free variance: Phi(theta) would put everybody too far out."""
    made = Scale.from_calibration(fit_mml(crowd(), "Rasch"), name="rasch")
    table = made.score(crowd())
    assert made.population.sd != pytest.approx(1.0, abs=0.02)
    assert table["percentile"].mean() == pytest.approx(50.0, abs=1.0)
    wald = made.score(answers("11110000"), "WLE")
    expected = 100 * norm.cdf(wald["theta"].iloc[0] / made.population.sd)
    assert wald["percentile"].iloc[0] == pytest.approx(expected, rel=1e-12)
    per_score = table.groupby("correct")["crowd_percentile"].nunique()
    assert (per_score == 1).all()


def test_published_sum_of_ceiling_and_posterior() -> None:
    """R mirt 1.47, LSAT6, 2PL: EAP of all right .6456 in 298 of 1,000 subjects, of all wrong -1.8968 in 3."""
    patterns, counts = lsat6()
    made = Scale.from_calibration(fit_mml(Responses.from_array(patterns), weights=counts.astype(float)), name="lsat6")
    assert made.quality.theta_high == pytest.approx(0.645620884347499, abs=1e-4)
    assert made.quality.theta_low == pytest.approx(-1.89677034972547, abs=1e-4)
    assert made.quality.at_ceiling == 0.298
    assert made.quality.at_floor == 0.003
    assert made.crowd is not None
    assert made.crowd.number_correct == (3.0, 20.0, 85.0, 237.0, 357.0, 298.0)
    assert made.quality.marginal_reliability == pytest.approx(0.29894921169342, abs=1e-4)
    assert made.quality.empirical_reliability == pytest.approx(0.301089157185684, abs=1e-3)


@given(st.lists(st.sampled_from("01."), min_size=8, max_size=8).filter(lambda marks: set(marks) != {"."}))
def test_more_right_answers_never_lower_a_score(marks: list[str]) -> None:
    """On items with positive slopes, turning a wrong answer or a refusal right must raise every measure."""
    worse = "".join(marks)
    better = "".join("1" if k == marks.index(min(marks)) else mark for k, mark in enumerate(marks))
    table = scale().score(answers(worse, better))
    for column in ("theta", "lower", "upper", "percentile", "crowd_percentile", "accuracy"):
        assert table[column].iloc[1] >= table[column].iloc[0] - 1e-12
    bounded = table[["percentile", "percentile_low", "percentile_high", "crowd_percentile"]]
    assert ((bounded >= 0) & (bounded <= 100)).all(axis=None)
    assert (table["lower"] < table["theta"]).all()
    assert (table["theta"] < table["upper"]).all()


def test_scores_without_the_scales_own_rule_warn_of_what_they_leave_out() -> None:
    """psyirt.score takes a refusal for a question not asked, the scale's own score for a wrong answer."""
    given = answers("11110000", "1111....")
    with pytest.warns(DataWarning, match=r"score: 4 missing responses are left out\. .*Scale\.score") as caught:
        loose = score(scale(), given)
    assert caught[0].filename == __file__
    strict = scale().score(given)
    assert loose["theta"].iloc[0] == pytest.approx(strict["theta"].iloc[0])
    assert loose["theta"].iloc[1] > strict["theta"].iloc[1] + 0.3
    assert loose["theta"].iloc[1] == pytest.approx(scale().score(given, non_answer="missing")["theta"].iloc[1])
    # people's gaps are no refusals, and nothing is said of complete answers
    score(calibration(), given)
    score(scale(), answers("11110000"))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: scale().score([1]), "Scale.score: responses is a list"),
        (lambda: scale().baselines(draws="many"), "draws is a str"),
        (lambda: scale().baselines(seed="one"), "seed is a str"),
        (lambda: scale().baselines(seed=-1), "seed is -1"),
        (lambda: scale().baselines(items=3), "items is a int"),
        (lambda: scale().save(3), "the path is a int"),
    ],
)
def test_arguments_of_another_type_are_refused_in_one_line(ask, message) -> None:
    """An AttributeError from inside does not say which argument was wrong."""
    with pytest.raises(InputError, match=message):
        ask()
